package import EntitlementValues
package import TextCodecs

extension TimestampFault: Error {}

/// The unit in which a body's definition gives an instant.
package enum TimestampUnit: Sendable {
    /// Milliseconds since 1970.
    case milliseconds
    /// Numbers below ``Timestamp/firstPlausible`` are seconds, and others milliseconds; no number is plausible as both.
    case secondsOrMilliseconds
    /// Seconds since 1970.
    case seconds

    private static let earliest = Timestamp.firstPlausible.milliseconds

    /// The instant that a number stands for.
    func instant(_ number: Int64) -> Timestamp {
        if self == .milliseconds || (self == .secondsOrMilliseconds && number >= Self.earliest) {
            return Timestamp(milliseconds: number)
        }
        return Timestamp(milliseconds: 0) + .seconds(number)
    }

    /// The number to write for an instant: seconds if they are allowed and exact, otherwise milliseconds.
    ///
    /// An instant is cut to seconds if they are the only unit, or if it is before ``Timestamp/firstPlausible`` and both
    /// units are allowed.
    package func number(for instant: Timestamp) -> Int64 {
        if self == .milliseconds { return instant.milliseconds }
        let (seconds, rest) = instant.milliseconds.quotientAndRemainder(dividingBy: 1000)
        if self == .seconds || instant.milliseconds < Self.earliest { return rest < 0 ? seconds - 1 : seconds }
        return rest == 0 && seconds < Self.earliest ? seconds : instant.milliseconds
    }

    /// The warning about a number that is not plausible; `nil` if it is.
    func fault(_ number: Int64) -> TimestampFault? {
        switch self {
        case .milliseconds where number < Self.earliest: .tooEarly
        case .secondsOrMilliseconds where number < 0: .tooEarly
        case .seconds where !(Self.earliest / 1000...Timestamp.lastPlausible.milliseconds / 1000).contains(number):
            .implausibleSeconds
        default: number > Timestamp.lastPlausible.milliseconds ? .tooLate : nil
        }
    }
}

extension JSONNode {
    /// The whole number of a JSON number, or of a string that holds one; `nil` for values of other types.
    package func wholeNumber(_ text: Span<UInt8>) throws(TimestampFault) -> Int64? {
        switch value.kind {
        case .number: return try wholeNumber(text, value)
        case .string:
            // The string must be spelled like a JSON number: no plus, no leading zero, no white space.
            let content = (value.bytes(in: text) ?? [])[...]
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
        guard let whole = number.integer(in: text) else { throw .overflow }
        return whole
    }
}
