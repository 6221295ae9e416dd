/// Finds where records of separated values end: a quoted value may contain line ends (RFC 4180 §2).
///
/// A quotation mark opens a value only as its first character; elsewhere it is text, so that one stray mark does not
/// swallow the records after it.
struct RecordEnds: Sendable {
    private enum Place {
        case valueStart, plain, quoted
        /// After a mark in a quoted value: a second one means the mark itself.
        case afterQuote
    }

    private let separator: UInt8
    private var place = Place.valueStart

    /// Begins at the start of a record.
    ///
    /// - Parameter separator: What stands between two values.
    init(separator: UInt8) { self.separator = separator }

    /// Takes the next byte.
    ///
    /// - Returns: Whether it is the line feed that ends the record.
    mutating func isEnd(_ byte: UInt8) -> Bool {
        switch (place, byte) {
        case (.quoted, quotationMark):
            place = .afterQuote
        case (.quoted, _):
            break
        case (.afterQuote, quotationMark), (.valueStart, quotationMark):
            place = .quoted
        case (_, UInt8(ascii: "\n")):
            place = .valueStart
            return true
        default:
            place = byte == separator ? .valueStart : .plain
        }
        return false
    }
}

private let quotationMark = UInt8(ascii: "\"")
