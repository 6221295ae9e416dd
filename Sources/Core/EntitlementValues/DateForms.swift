import TextCodecs

/// The spellings of a date and time that a reader accepts.
///
/// Media tokens write `yyyy-MM-dd HH:mm:ss ±hhmm`, 25 bytes. Each option adds a spelling that other issuers, or other
/// kinds of token, use or document. In every form the date must exist in the calendar, the year is 1 to 9999, there is
/// no second 60, and the offset is at most 14 hours either way. A text without a time zone is never accepted.
public struct DateForms: OptionSet, Sendable, Hashable {
    /// The options, one bit each.
    public let rawValue: UInt16

    /// Makes a set from its bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `2017-03-16T07:39:48 -0700`: a `T` between date and time.
    public static let separatorT = DateForms(rawValue: 1 << 0)
    /// `07:39:48.250`: a fraction of one to nine digits, cut off after the milliseconds.
    public static let fraction = DateForms(rawValue: 1 << 1)
    /// `Z` for the offset.
    public static let zulu = DateForms(rawValue: 1 << 2)
    /// `-07:00` for the offset.
    public static let colonInOffset = DateForms(rawValue: 1 << 3)
    /// `07:39:48-0700`: no space before the offset.
    public static let attachedOffset = DateForms(rawValue: 1 << 4)
    /// `GMT -0700` and `_GMT -0700`: the letters are ignored, and the offset counts.
    public static let gmtBeforeOffset = DateForms(rawValue: 1 << 5)
    /// `2017/03/16`: slashes between year, month and day.
    public static let slashes = DateForms(rawValue: 1 << 6)
    /// Milliseconds since the Unix epoch: exactly 13 digits, so that seconds are never read as milliseconds.
    public static let epochMilliseconds = DateForms(rawValue: 1 << 7)

    /// Only the form of media tokens, `yyyy-MM-dd HH:mm:ss ±hhmm`.
    public static let wireOnly: DateForms = []
    /// All forms.
    public static let all: DateForms = [
        .separatorT, .fraction, .zulu, .colonInOffset, .attachedOffset, .gmtBeforeOffset, .slashes, .epochMilliseconds,
    ]
}

extension Timestamp {
    /// Reads an instant from a text; `nil` if the whole text has none of the forms.
    ///
    /// - Parameters:
    ///   - text: The text, without white space around it.
    ///   - forms: The accepted spellings; `.all` includes RFC 3339 and milliseconds since the Unix epoch.
    public init?(_ text: String, forms: DateForms = .all) {
        guard let instant = text.withBytes({ Timestamp($0, in: 0..<$0.count, forms: forms) }) else { return nil }
        self = instant
    }

    /// Reads an instant from a range of a text in UTF-8; `nil` if the whole range has none of the forms.
    package init?(_ text: Span<UInt8>, in range: Range<Int>, forms: DateForms) {
        if forms.contains(.epochMilliseconds), range.count == 13,
            let milliseconds = text.decimal(in: range, maximumDigits: 13)
        {
            self.init(milliseconds: milliseconds)
            return
        }
        var reader = DateReader(position: range.lowerBound, end: range.upperBound, forms: forms)
        guard let instant = reader.instant(text) else { return nil }
        self = instant
    }
}

/// Reads one date and time from left to right.
///
/// Each step returns `nil` or `false` if the text has something else at this position.
private struct DateReader {
    var position: Int
    let end: Int
    let forms: DateForms

    mutating func instant(_ text: Span<UInt8>) -> Timestamp? {
        guard let year = number(text, digits: 4), let separator = dateSeparator(text),
            let month = number(text, digits: 2), take(text, separator),
            let day = number(text, digits: 2),
            take(text, UInt8(ascii: " ")) || (forms.contains(.separatorT) && take(text, UInt8(ascii: "T"))),
            let hour = number(text, digits: 2), take(text, UInt8(ascii: ":")),
            let minute = number(text, digits: 2), take(text, UInt8(ascii: ":")),
            let second = number(text, digits: 2),
            let millisecond = milliseconds(text),
            let offset = offset(text), position == end,
            let date = CivilDate(
                year: year, month: month, day: day,
                hour: hour, minute: minute, second: second, millisecond: millisecond
            )
        else { return nil }
        return date.timestamp - .minutes(Int64(offset))
    }

    private mutating func take(_ text: Span<UInt8>, _ byte: UInt8) -> Bool {
        guard position < end, text[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func number(_ text: Span<UInt8>, digits: Int) -> Int? {
        guard position + digits <= end else { return nil }
        var value = 0
        for index in position..<position + digits {
            guard text[index].isASCIIDigit else { return nil }
            value = value * 10 + Int(text[index] - UInt8(ascii: "0"))
        }
        position += digits
        return value
    }

    private mutating func dateSeparator(_ text: Span<UInt8>) -> UInt8? {
        if take(text, UInt8(ascii: "-")) { return UInt8(ascii: "-") }
        if forms.contains(.slashes), take(text, UInt8(ascii: "/")) { return UInt8(ascii: "/") }
        return nil
    }

    /// Reads an optional fraction: 0 if there is none, `nil` if no digit follows the point.
    private mutating func milliseconds(_ text: Span<UInt8>) -> Int? {
        guard forms.contains(.fraction), take(text, UInt8(ascii: ".")) else { return 0 }
        var value = 0
        var digits = 0
        while digits < 9, let digit = number(text, digits: 1) {
            if digits < 3 { value = value * 10 + digit }
            digits += 1
        }
        guard digits > 0 else { return nil }
        for _ in min(digits, 3)..<3 { value *= 10 }
        return value
    }

    /// Reads the time zone as minutes east of Greenwich.
    private mutating func offset(_ text: Span<UInt8>) -> Int? {
        if forms.contains(.gmtBeforeOffset), take(text, spacedGMT) || take(text, underscoredGMT) {
            return numericOffset(text)
        }
        guard take(text, UInt8(ascii: " ")) || forms.contains(.attachedOffset) else { return nil }
        if forms.contains(.zulu), take(text, UInt8(ascii: "Z")) { return 0 }
        return numericOffset(text)
    }

    private mutating func numericOffset(_ text: Span<UInt8>) -> Int? {
        let isWest = take(text, UInt8(ascii: "-"))
        guard isWest || take(text, UInt8(ascii: "+")), let hours = number(text, digits: 2) else { return nil }
        if forms.contains(.colonInOffset) { _ = take(text, UInt8(ascii: ":")) }
        guard let minutes = number(text, digits: 2), minutes < 60 else { return nil }
        let offset = hours * 60 + minutes
        guard offset <= 14 * 60 else { return nil }
        return isWest ? -offset : offset
    }

    private mutating func take(_ text: Span<UInt8>, _ bytes: [UInt8]) -> Bool {
        guard end - position >= bytes.count,
            bytes.indices.allSatisfy({ text[position + $0] == bytes[$0] })
        else { return false }
        position += bytes.count
        return true
    }
}

private let spacedGMT = Array(" GMT ".utf8)
private let underscoredGMT = Array("_GMT ".utf8)
