import EntitlementValues
public import TextCodecs

/// A header of a request to the broker: a value with one spelling to send, and one way to read it.
///
/// A value can only be made if it may be sent: it has no control characters and is not longer than its type says. Some
/// spellings that other clients send are read as well; each type says which.
public protocol BrokerHeader: Sendable, Hashable {
    /// The header's name as it is sent; names compare without regard to case (RFC 9110 §5.1).
    static var name: String { get }

    /// The header's value as it is sent.
    var headerValue: String { get }

    /// Reads a header's value.
    ///
    /// - Parameter headerValue: The value, without white space around it.
    /// - Throws: `BrokerHeaderError` if this is not a value of the header.
    init(headerValue: String) throws(BrokerHeaderError)
}

/// Says why a value is not sent or read as a header.
///
/// Each case names the header, and none holds the value or a part of it: most values are secrets or identify a device.
@nonexhaustive
public enum BrokerHeaderError: Error, Sendable, Hashable {
    /// The value is empty.
    case empty(header: String)
    /// The value is longer than allowed, in bytes of UTF-8.
    case tooLong(header: String, limit: Int)
    /// The value has a character that it must not have: a control character, or one that the header's form lacks.
    case unexpectedCharacter(header: String, offset: Int)
    /// The value is not of the header's form.
    case unexpectedForm(header: String, expected: String)
    /// The value, or the part of it that must be, is not Base64.
    case notBase64(header: String)
    /// The decoded value is not one JSON object in UTF-8.
    case notJSON(header: String, reason: String)
    /// A member of the decoded object is missing or unsuitable.
    case badMember(header: String, JSONLocation, reason: String)
    /// libcrypto failed (for example, out of memory). Carries OpenSSL's message, never input.
    case backend(header: String, reason: String)

    /// The stable name of the error, for programs and log searches.
    public var code: String { told.code }

    /// The name of the header.
    public var header: String { told.header }
}

extension BrokerHeaderError: CustomStringConvertible {
    /// What is wrong with which header, and what to do, in one line, without the value.
    public var description: String { "the header \(told.header) \(told.words)" }

    private var told: (code: String, header: String, words: String) {
        switch self {
        case .empty(let header):
            ("header_empty", header, "is empty; leave the header out if there is nothing to send")
        case .tooLong(let header, let limit): ("header_too_long", header, "is longer than \(limit) bytes")
        case .unexpectedCharacter(let header, let offset):
            (
                "header_unexpected_character", header,
                "has a control character, or one that the header does not allow, at byte \(offset); remove it"
            )
        case .unexpectedForm(let header, let expected): ("header_unexpected_form", header, "is not \(expected)")
        case .notBase64(let header): ("header_not_base64", header, "is not Base64 (RFC 4648 §4) on one line")
        case .notJSON(let header, let reason):
            ("header_not_json", header, "does not decode to a JSON object: \(reason)")
        case .badMember(let header, _, let reason): ("header_bad_member", header, "is not accepted: \(reason)")
        case .backend(let header, let reason):
            ("header_backend", header, "could not be made, because libcrypto failed (\(reason)); try again")
        }
    }
}

extension BrokerHeaderError {
    /// Reads; a fault of the JSON becomes an error of the header.
    static func mapping<Value>(
        _ header: String,
        _ read: @autoclosure () throws(JSONFault) -> Value
    ) throws(BrokerHeaderError) -> Value {
        try rethrowing(read()) { (fault: JSONFault) -> BrokerHeaderError in
            switch fault.kind {
            case .wrongType where fault.location == .root: .notJSON(header: header, reason: fault.reason)
            case .missing, .wrongType, .notAllowed: .badMember(header: header, fault.location, reason: fault.reason)
            case .syntax, .repeatedMember, .tooDeep, .tooManyMembers, .tooManyValues:
                .notJSON(header: header, reason: fault.reason)
            }
        }
    }
}
