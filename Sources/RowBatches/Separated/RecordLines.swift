import TextCodecs

/// What the lines of a record look like, each taken alone.
///
/// A quotation mark that was meant as text makes the rows after it part of its value, up to a mark that ends a value of
/// the same column. The record then has as many values as the header, and nothing else tells that rows are lost in it.
struct RecordLines {
    /// Whether two lines hold an encrypted value in the same column: they are rows.
    private(set) var areRows = false
    /// Whether the lines may be rows: there are very many, or all of several have as many values as the header.
    let maySeemRows: Bool

    /// A value of more lines is possible, and so rare that it has to be meant.
    private static let maximumLines = 1000
    /// As many lines of a text may have as many separators as the header by chance.
    private static let maximumRowLines = 3

    /// Looks at the lines of a record.
    ///
    /// - Parameters:
    ///   - record: The record, without its line end.
    ///   - header: The header, which says how many values a row has and which are encrypted.
    init(_ record: ArraySlice<UInt8>, under header: SeparatedHeader) {
        var lines = 0
        var rows = 0
        var columns: Set<Int> = []
        var rest = record
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let values = rest[..<end].split(
                separator: header.form.separator, maxSplits: header.count, omittingEmptySubsequences: false)
            rest = rest[end...].dropFirst()
            lines += 1
            guard values.count == header.count else { continue }
            rows += 1
            for column in header.columns where Self.isEncrypted(values[column.index]) {
                if !columns.insert(column.index).inserted { areRows = true }
            }
        }
        let areAllRows = rows == lines && lines > Self.maximumRowLines && header.count > 1
        maySeemRows = areAllRows || lines > Self.maximumLines
    }

    /// Whether a value may be encrypted: with keys of 1024 bits and more, its Base64 has 171 characters and more.
    static func isEncrypted(_ value: ArraySlice<UInt8>) -> Bool {
        value.count > 170 && value.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || others.contains($0) }
    }

    /// What Base64 has beside letters and digits, and what may stand around it.
    private static let others = Array("+/-_=\"\r".utf8)
}
