import EntitlementValues
public import TextCodecs

/// The body of a request to the broker.
///
/// A client writes it, and a simulated broker reads it. Reading what was written gives the same request. Members and
/// fields that the definition does not name are ignored.
public protocol BrokerRequest: Sendable, Hashable {
    /// The value of `Content-Type`.
    static var mediaType: String { get }

    /// Writes the body.
    ///
    /// - Returns: The bytes of the body.
    func encoded() -> [UInt8]

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body.
    /// - Throws: `BrokerRequestError` if the body is not this request.
    init(parsing bytes: Span<UInt8>) throws(BrokerRequestError)
}

extension BrokerRequest {
    /// Reads a body from an array.
    ///
    /// - Parameter bytes: The whole body.
    /// - Throws: `BrokerRequestError` if the body is not this request.
    public init(parsing bytes: [UInt8]) throws(BrokerRequestError) {
        self = try bytes.withSpan { bytes throws(BrokerRequestError) in try Self(parsing: bytes) }
    }

    /// Reads a body from a string.
    ///
    /// - Parameter text: The whole body.
    /// - Throws: `BrokerRequestError` if the body is not this request.
    public init(parsing text: String) throws(BrokerRequestError) {
        self = try text.withBytes { bytes throws(BrokerRequestError) in try Self(parsing: bytes) }
    }
}

/// The limits on a request's body.
public enum BrokerRequestLimits: Sendable {
    /// The longest body, in bytes.
    public static let maximumLength = 1 << 20
    /// The most resources in one request.
    public static let maximumResources = 1000
    /// The most JSON values in a body, at all levels together.
    public static let maximumValues = 5000
}

/// Says why a body is not the request that it should be, or why a software statement is refused.
///
/// No case holds a value of the body.
@nonexhaustive
public enum BrokerRequestError: Error, Sendable, Hashable {
    /// The body is longer than any client sends. Nothing was read.
    case tooLarge(limit: Int)
    /// The body is not JSON in UTF-8, or an object in it has two members of one name. Nothing was read.
    case notJSON(reason: String)
    /// The body is not a form in UTF-8, or has two fields of one name. Nothing was read.
    case notForm(reason: String)
    /// A member or a field is missing or empty.
    case missing(JSONLocation)
    /// A member has another type than the expected one, or a value that is not allowed.
    case wrongType(JSONLocation, reason: String)
    /// There are more resources than are read.
    case tooMany(JSONLocation, limit: Int)
    /// The software statement is not one.
    case badStatement(SoftwareStatementFault)

    /// The stable name of the error, for programs and log searches.
    public var code: String { told.code }

    /// The location of the fault; `nil` if it is about the whole body.
    public var path: JSONLocation? { told.path }
}

extension BrokerRequestError: CustomStringConvertible {
    /// What is wrong, where, and what to do, in one line, without values.
    public var description: String { told.text }

    private var told: (code: String, path: JSONLocation?, text: String) {
        switch self {
        case .tooLarge(let limit): ("request_too_large", nil, "the body is longer than \(limit) bytes")
        case .notJSON(let reason): ("request_not_json", nil, "the body is not a JSON object: \(reason)")
        case .notForm(let reason):
            ("request_not_form", nil, "the body is not a form (application/x-www-form-urlencoded): \(reason)")
        case .missing(let path): ("request_missing_member", path, "\(path) is missing or empty")
        case .wrongType(let path, let reason): ("request_wrong_type", path, reason)
        case .tooMany(let path, let limit): ("request_too_many", path, "\(path) has more than \(limit) elements")
        case .badStatement(let fault): ("bad_software_statement", nil, "the software statement \(fault)")
        }
    }
}

extension BrokerRequestError {
    /// Reads a body that is a form.
    static func form(_ bytes: Span<UInt8>) throws(BrokerRequestError) -> FormFields {
        guard bytes.count <= BrokerRequestLimits.maximumLength else {
            throw .tooLarge(limit: BrokerRequestLimits.maximumLength)
        }
        return try rethrowing(FormFields(parsing: bytes)) { (fault: FormFault) in
            BrokerRequestError.notForm(reason: fault.description)
        }
    }

    /// Reads a body that is a JSON object; `null` counts as absent.
    static func object(_ bytes: Span<UInt8>) throws(BrokerRequestError) -> JSONObject {
        guard bytes.count <= BrokerRequestLimits.maximumLength else {
            throw .tooLarge(limit: BrokerRequestLimits.maximumLength)
        }
        guard bytes.isTextWithoutNUL else { throw .notJSON(reason: "not UTF-8, or NUL in it") }
        let values = BrokerRequestLimits.maximumValues
        let node = try mapping(JSONReader.node(of: bytes, in: 0..<bytes.count, maximumValues: values))
        return try mapping(JSONObject(node, at: .root, nulls: .countAsAbsent))
    }

    /// Reads; a fault of the JSON becomes an error of the request.
    static func mapping<Value>(
        _ read: @autoclosure () throws(JSONFault) -> Value
    ) throws(BrokerRequestError) -> Value {
        try rethrowing(read()) { (fault: JSONFault) -> BrokerRequestError in
            switch fault.kind {
            case .missing: .missing(fault.location)
            case .wrongType where fault.location == .root: .notJSON(reason: fault.reason)
            case .wrongType, .notAllowed: .wrongType(fault.location, reason: fault.reason)
            case .syntax, .repeatedMember, .tooDeep, .tooManyMembers, .tooManyValues: .notJSON(reason: fault.reason)
            }
        }
    }
}

extension FormFields {
    /// The value of a field that must be there and not be empty.
    func required(_ name: String) throws(BrokerRequestError) -> String {
        guard let value = self[name], !value.isEmpty else { throw .missing(.root + name) }
        return value
    }
}
