import EntitlementValues
public import TextCodecs

/// The reason why a body, or a part of one, could not be read.
///
/// No case contains a value of the body. Paths contain names of members, which are escaped in descriptions.
@nonexhaustive
public enum ServiceResponseError: Error, Sendable, Hashable {
    /// The body is longer than any that a service sends. Nothing was read.
    case tooLarge(limit: Int)
    /// The body is not JSON in UTF-8, or contains NUL or half a surrogate pair. Nothing was read.
    case notJSON(reason: String)
    /// An object in the body has two members of one name, of which readers choose different ones. Nothing was read.
    case duplicateMember(JSONLocation)
    /// The body has more than 64 levels. Nothing was read.
    case tooDeep
    /// The body has more values, or more elements at one location, than any that a service sends. Nothing at
    /// the location was read; the root is the whole body.
    case tooMany(JSONLocation, limit: Int)
    /// The service answered with its error object instead of the expected body.
    case refused(EnhancedError)
    /// A required member is missing or `null`.
    case missing(JSONLocation)
    /// A value has another type than the expected one.
    case wrongType(JSONLocation, expected: ExpectedType)
    /// A value is not an instant in the expected unit, or not a plausible one.
    case badTimestamp(JSONLocation, TimestampFault)
    /// The body can be read, and what is at the location belongs to another brand or provider than the question.
    case otherThanAsked(JSONLocation)

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .tooLarge: "too_large"
        case .notJSON: "not_json"
        case .refused: "service_error"
        case .duplicateMember: "duplicate_member"
        case .tooDeep: "too_deep"
        case .tooMany: "too_many"
        case .missing: "missing_member"
        case .wrongType: "wrong_type"
        case .badTimestamp: "bad_timestamp"
        case .otherThanAsked: "other_than_asked"
        }
    }

    /// Whether this is only a warning: the value was taken as sent.
    public var isWarning: Bool {
        switch self {
        case .badTimestamp(_, .tooEarly), .badTimestamp(_, .tooLate), .badTimestamp(_, .implausibleSeconds): true
        default: false
        }
    }

    /// The location of the fault; `nil` if it is about the whole body.
    public var path: JSONLocation? {
        switch self {
        case .duplicateMember(let path), .missing(let path), .wrongType(let path, _), .badTimestamp(let path, _),
            .otherThanAsked(let path):
            path
        case .tooMany(let path, _): path == .root ? nil : path
        case .tooLarge, .notJSON, .tooDeep, .refused: nil
        }
    }
}

extension ServiceResponseError {
    /// The same error without the names that the service chooses: of providers and attributes.
    ///
    /// For logs: a name could be what the service repeats of a user.
    package var hidingNames: ServiceResponseError {
        switch self {
        case .duplicateMember(let path): .duplicateMember(path.hidingNames)
        case .tooMany(let path, let limit): .tooMany(path.hidingNames, limit: limit)
        case .missing(let path): .missing(path.hidingNames)
        case .wrongType(let path, let expected): .wrongType(path.hidingNames, expected: expected)
        case .badTimestamp(let path, let fault): .badTimestamp(path.hidingNames, fault)
        case .otherThanAsked(let path): .otherThanAsked(path.hidingNames)
        case .tooLarge, .notJSON, .tooDeep, .refused: self
        }
    }
}

extension JSONLocation {
    /// Members whose own members have names that the service chooses.
    private static let maps: Set<String> = ["profiles", "attributes", "logouts", "value"]

    /// The location with `*` for each name below a map.
    ///
    /// Below a `value` all names are data of an attribute.
    fileprivate var hidingNames: JSONLocation {
        var isName = false
        var isData = false
        return steps.reduce(into: .root) { path, step in
            guard case .member(let name) = step else {
                path = path + step
                return
            }
            path = path + .member(isName || isData ? "*" : name)
            isData = isData || (!isName && name == "value")
            isName = !isName && Self.maps.contains(name)
        }
    }
}

/// The type that a value should have had.
@nonexhaustive
public enum ExpectedType: String, Sendable, Hashable {
    /// An object.
    case object = "an object"
    /// An array.
    case array = "an array"
    /// A string.
    case text = "a string"
    /// A string that is not empty.
    case identifier = "a string that is not empty"
    /// `true` or `false`.
    case boolean = "true or false"
    /// `true`, `false` or an array of names.
    case marking = "an array of names, true or false"
    /// A bearer token (RFC 6750 §2.1): letters, digits and `-._~+/`, then `=` if at all.
    case bearerToken = "a bearer token (RFC 6750)"
    /// An array of strings, or one string with commas or spaces between names.
    case names = "an array of strings, or one string of names"
    /// A number, or a string of digits.
    case timestamp = "a number or a string of digits"
    /// A whole number within 64 bits, or a string of its digits.
    case wholeNumber = "a whole number or a string of digits"
    /// An HTTP status, as a number or a string.
    case status = "a status of three digits, as a number or a string"
}

/// The reason why a value is not an instant in the expected unit.
///
/// The unit is that of the field's definition. It is never guessed from the size of the number, and nothing is repaired: a
/// number that is not plausible is taken as sent and reported.
@nonexhaustive
public enum TimestampFault: Sendable, Hashable {
    /// The string is not a number. It was not taken.
    case notANumber
    /// The number has a fraction or an exponent. It was not taken.
    case notWhole
    /// The number does not fit into 64 bits. It was not taken.
    case overflow
    /// Before March 1973; usually seconds were sent. It was taken as sent.
    case tooEarly
    /// After the year 9999; usually microseconds were sent. It was taken as sent.
    case tooLate
    /// As seconds, too few or too many; usually milliseconds were sent. It was taken as sent.
    case implausibleSeconds
    /// The number is negative, and a length of time cannot be. It was not taken.
    case negative
}

extension ServiceResponseError: CustomStringConvertible {
    /// What happened, where, and what to do, in one line, without values.
    public var description: String {
        switch self {
        case .tooLarge(let limit):
            "the body is longer than \(limit) bytes; is it a response of the service?"
        case .notJSON(let reason):
            "the body is not JSON: \(reason); ask the service for application/json, and pass the body on unchanged"
        case .duplicateMember(let path):
            "\(path) has two members of one name, so its content is ambiguous"
        case .tooDeep:
            "the body is nested deeper than \(JSONReader.maximumDepth) levels; is it a response of the service?"
        case .tooMany(.root, let limit):
            "the body has more than \(limit) values; is it a response of the service?"
        case .tooMany(let path, let limit):
            "\(path) has more than \(limit) elements; is it a response of the service?"
        case .refused(let error):
            "the service answered with an error: \(error)"
        case .missing(let path):
            "\(path) is missing; is this the response that was asked for?"
        case .wrongType(let path, let expected):
            "\(path) is not \(expected.rawValue)"
        case .badTimestamp(let path, let fault) where fault == .implausibleSeconds || fault == .negative:
            "\(path) is not a time in seconds: \(fault)"
        case .badTimestamp(let path, let fault) where fault == .tooEarly || fault == .tooLate:
            "\(path) is not a time in milliseconds: \(fault)"
        // Whatever the unit is.
        case .badTimestamp(let path, let fault): "\(path) is not a time: \(fault)"
        case .otherThanAsked(let path):
            "\(path) is about another brand or provider than was asked; is it the answer to this question?"
        }
    }
}

extension TimestampFault: CustomStringConvertible {
    /// What is wrong with the value.
    public var description: String {
        switch self {
        case .notANumber: "it must be a whole number, or a string of digits"
        case .notWhole: "it must be a whole number, without fraction or exponent"
        case .overflow: "it does not fit into 64 bits"
        case .tooEarly: "as milliseconds it is before March 1973; were seconds sent?"
        case .tooLate: "as milliseconds it is after the year 9999; were microseconds sent?"
        case .implausibleSeconds: "it is out of range; were milliseconds sent?"
        case .negative: "it must not be negative"
        }
    }
}
