/// A value in a row, or one that is bound to a statement.
package enum SQLiteValue: Equatable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ number: Int64?) {
        self = number.map { .integer($0) } ?? .null
    }

    init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
