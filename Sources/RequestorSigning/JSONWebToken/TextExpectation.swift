/// Says which values of a field are accepted.
///
/// Always given: a check that is not wanted is `.unchecked`, and an empty string or list is never taken for one. Texts
/// compare byte by byte: case and white space count.
public struct TextExpectation: Sendable {
    /// `nil` for every value.
    private let accepted: [String]?

    /// Accepts one value.
    public static func exactly(_ text: String) -> TextExpectation {
        TextExpectation(accepted: [text])
    }

    /// Accepts any of several values.
    public static func anyOf(_ texts: [String]) -> TextExpectation {
        TextExpectation(accepted: texts)
    }

    /// Accepts every value, and none.
    ///
    /// Only for callers that check it themselves.
    public static var unchecked: TextExpectation {
        TextExpectation(accepted: nil)
    }

    /// Whether the expectation could be meant: an empty one is a slip of configuration.
    var isWellFormed: Bool {
        guard let accepted else { return true }
        return !accepted.isEmpty && accepted.allSatisfy { !$0.isEmpty }
    }

    /// Refuses a field none of whose values is accepted.
    func check(_ presented: [String], field: String) throws(RequestorSigningError) {
        guard let accepted else { return }
        let isMet = presented.contains { value in accepted.contains { $0.utf8.elementsEqual(value.utf8) } }
        guard isMet else { throw .mismatch(field: field, expected: accepted, presented: presented) }
    }
}

extension TextExpectation: ExpressibleByStringLiteral {
    /// The same as `.exactly`.
    public init(stringLiteral value: String) {
        self = .exactly(value)
    }
}
