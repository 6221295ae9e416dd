public import TextCodecs
import EntitlementValues

/// Says why a body could not be read, or a part of one.
///
/// No case holds a value of the body; paths hold names of members, escaped where they are shown.
@nonexhaustive
public enum ServiceResponseError: Error, Sendable, Hashable {
    /// The body is longer than any service sends. Nothing was read.
    case tooLarge(limit: Int)
    /// The body is not JSON in UTF-8, or holds NUL or half a surrogate pair. Nothing was taken from it.
    case notJSON(reason: String)
    /// An object of the body has two members of one name, and readers do not agree which counts. Nothing was taken from
    /// the body.
    case duplicateMember(JSONLocation)
    /// The body has more than 64 levels. Nothing was taken from it.
    case tooDeep
    /// The body is the service's error object instead of what was asked for.
    case refused(EnhancedError)
    /// A member that must be there is missing or `null`.
    case missing(JSONLocation)
    /// A value has another type than its definition says.
    case wrongType(JSONLocation, expected: ExpectedType)
    /// A value is not the instant that its definition says, or cannot be meant.
    case badTimestamp(JSONLocation, TimestampFault)

    /// The stable name of the error: what programs and log searches should look at.
    public var code: String {
        switch self {
        case .tooLarge: "too_large"
        case .notJSON: "not_json"
        case .refused: "service_error"
        case .duplicateMember: "duplicate_member"
        case .tooDeep: "too_deep"
        case .missing: "missing_member"
        case .wrongType: "wrong_type"
        case .badTimestamp: "bad_timestamp"
        }
    }

    /// Whether the value in question was taken all the same, as it stands.
    public var isWarning: Bool {
        switch self {
        case .badTimestamp(_, .tooEarly), .badTimestamp(_, .tooLate): true
        default: false
        }
    }

    /// Where the fault is; `nil` where it is the body as a whole.
    public var path: JSONLocation? {
        switch self {
        case .duplicateMember(let path), .missing(let path), .wrongType(let path, _), .badTimestamp(let path, _): path
        case .tooLarge, .notJSON, .tooDeep, .refused: nil
        }
    }
}

/// Names what a value should have been.
@nonexhaustive
public enum ExpectedType: String, Sendable, Hashable {
    /// Members by name.
    case object = "an object"
    /// A list.
    case array = "an array"
    /// A text.
    case text = "a text"
    /// A text that is not empty.
    case identifier = "a text that is not empty"
    /// `true` or `false`.
    case boolean = "true or false"
    /// `true`, `false` or a list of names.
    case marking = "an array of names, true or false"
    /// A number, or a text of its digits.
    case timestamp = "a number or a text of its digits"
    /// A status of HTTP, as number or text.
    case status = "a status of three digits, as number or text"
}

/// Says why a value is not the instant that its definition says.
///
/// The unit is that of the definition: it is never guessed from the size of the number, and nothing is repaired. A
/// number that cannot be meant is taken as it stands, and reported.
@nonexhaustive
public enum TimestampFault: Sendable, Hashable {
    /// A text that is no number. It was not taken.
    case notANumber
    /// A fraction or an exponent. It was not taken.
    case notWhole
    /// More than 64 bits hold. It was not taken.
    case overflow
    /// Milliseconds before March 1973, as seconds are, and negative numbers. It was taken as it stands.
    case tooEarly
    /// Milliseconds behind the year 9999, as microseconds are. It was taken as it stands.
    case tooLate
}

extension ServiceResponseError: CustomStringConvertible {
    /// What happened, where, and what to do, in one line, without anything of a value.
    public var description: String {
        switch self {
        case .tooLarge(let limit):
            "the body is longer than \(limit) bytes; is it a response of the service?"
        case .notJSON(let reason):
            "the body is not JSON: \(reason); ask the service for application/json, and pass the body on unchanged"
        case .duplicateMember(let path):
            "\(path) has two members of one name; nobody can say which of them counts"
        case .tooDeep:
            "the body is nested deeper than \(JSONReader.maximumDepth) levels; is it a response of the service?"
        case .refused(let error):
            "the service answered with an error: \(error)"
        case .missing(let path):
            "\(path) is missing; is this the response that was asked for?"
        case .wrongType(let path, let expected):
            "\(path) is not \(expected.rawValue)"
        case .badTimestamp(let path, let fault):
            "\(path) is not the instant that it should be: \(fault)"
        }
    }
}

extension TimestampFault: CustomStringConvertible {
    /// What is wrong with the number.
    public var description: String {
        switch self {
        case .notANumber: "it must be a whole number, or a text of its digits"
        case .notWhole: "it must be a whole number, without fraction or exponent"
        case .overflow: "it has more than 64 bits"
        case .tooEarly: "as milliseconds it is before March 1973; were seconds sent?"
        case .tooLate: "as milliseconds it is behind the year 9999; were microseconds sent?"
        }
    }
}
