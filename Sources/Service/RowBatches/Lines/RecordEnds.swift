/// Finds where records of separated values end: a value may contain line ends, in quotation marks (RFC 4180 §2) or
/// after backslashes.
///
/// A quotation mark opens a value only as its first character; elsewhere it is text, so that one stray mark does not
/// swallow the records after it.
struct RecordEnds: Sendable {
    private enum Place {
        case valueStart, plain, quoted
        /// After a mark in a quoted value: a second one means the mark itself.
        case afterMark
        /// After a backslash that takes the next byte along, in a quoted value or in one without marks.
        case quotedEscape, plainEscape
    }

    private let separator: UInt8
    private let mark: UInt8
    private let quotedEscape: UInt8
    private let plainEscape: UInt8
    private var place = Place.valueStart
    /// The line of the input in which a mark last opened a value.
    private var markLine = 0
    /// How many line feeds came since the beginning of the input, within records and after them.
    private(set) var lineFeeds: Int

    /// Begins at the start of a record, before which the input has `lineFeeds` line feeds.
    init(form: SeparatedForm, lineFeeds: Int = 0) {
        separator = form.separator
        self.lineFeeds = lineFeeds
        // A byte that the form does not have is a line feed, which is looked for before all others.
        mark = form.quoting == .unquoted ? lineFeed : SeparatedForm.mark
        quotedEscape = form.quoting == .backslash ? SeparatedForm.backslash : lineFeed
        plainEscape = form.quoting == .unquoted ? SeparatedForm.backslash : lineFeed
    }

    /// The line of the input in which the quotation mark stands that is still open.
    var openMark: Int? { place == .quoted || place == .quotedEscape ? markLine : nil }

    /// Takes bytes of the input from `start` on, up to the end of the record; those before have been taken.
    ///
    /// Returns the index of the line feed that ends the record, after which the next one begins; `nil` if the record
    /// goes on after the bytes.
    mutating func end(in bytes: [UInt8], from start: Int) -> Int? {
        var place = self.place
        defer { self.place = place }
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == lineFeed {
                lineFeeds += 1
                switch place {
                case .valueStart, .plain, .afterMark:
                    place = .valueStart
                    return index
                case .quoted: break
                case .quotedEscape: place = .quoted
                case .plainEscape: place = .plain
                }
            } else {
                switch place {
                case .plain:
                    if byte == separator { place = .valueStart } else if byte == plainEscape { place = .plainEscape }
                case .quoted:
                    if byte == mark { place = .afterMark } else if byte == quotedEscape { place = .quotedEscape }
                case .valueStart:
                    if byte == mark {
                        place = .quoted
                        markLine = lineFeeds + 1
                    } else if byte != separator {
                        place = byte == plainEscape ? .plainEscape : .plain
                    }
                case .afterMark: place = byte == mark ? .quoted : byte == separator ? .valueStart : .plain
                case .quotedEscape: place = .quoted
                case .plainEscape: place = .plain
                }
            }
            index += 1
        }
        return nil
    }
}

private let lineFeed = UInt8(ascii: "\n")
