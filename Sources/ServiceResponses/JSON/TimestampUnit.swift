import TextCodecs
import EntitlementValues

extension TimestampFault: Error {}

/// In which unit a field is defined.
enum TimestampUnit {
    case milliseconds
    /// Seconds below 10^11, which as seconds is the year 5138 and as milliseconds 1973: no value can be meant both ways.
    case secondsOrMilliseconds

    private static let earliest: Int64 = 100_000_000_000
    /// The last millisecond of the year 9999.
    private static let latest: Int64 = 253_402_300_799_999

    func instant(_ number: Int64) -> Timestamp {
        guard self == .secondsOrMilliseconds, number < Self.earliest else { return Timestamp(milliseconds: number) }
        return Timestamp(milliseconds: 0) + .seconds(number)
    }

    /// What is odd about a number; `nil` where it can be meant.
    func fault(_ number: Int64) -> TimestampFault? {
        switch self {
        case .milliseconds where number < Self.earliest: .tooEarly
        case .secondsOrMilliseconds where number < 0: .tooEarly
        default: number > Self.latest ? .tooLate : nil
        }
    }
}

extension JSONNode {
    /// A whole number, given as a number or as a text of its digits; `nil` for values of other types.
    func wholeNumber(_ text: Span<UInt8>) throws(TimestampFault) -> Int64? {
        switch value.kind {
        case .number: return try wholeNumber(text, value)
        case .string:
            // A text must be what a number would be: no plus, no leading zero, no white space.
            let content = JSONReader.string(text, value) ?? []
            let digits = content.span
            guard let number = try? JSONReader.node(of: digits, in: 0..<digits.count), number.value.kind == .number,
                number.value.range == 0..<digits.count
            else { throw .notANumber }
            return try wholeNumber(digits, number.value)
        default: return nil
        }
    }

    private func wholeNumber(_ text: Span<UInt8>, _ number: JSONValue) throws(TimestampFault) -> Int64 {
        guard number.range.allSatisfy({ text[$0] == UInt8(ascii: "-") || text[$0].isASCIIDigit }) else {
            throw .notWhole
        }
        guard let whole = JSONReader.integer(text, number) else { throw .overflow }
        return whole
    }
}
