public import EntitlementValues
import TextCodecs

/// An error object of the service, which is a whole body or part of a decision.
///
/// Every member may be absent; older services send only `status` and `message`. The service may add actions and codes at
/// any time.
///
/// Source: the service's list of enhanced error codes.
public struct EnhancedError: ServiceResponse, Hashable {
    /// What may resolve the error.
    public let action: EnhancedErrorAction?
    /// The HTTP status in the object, which may differ from that of the HTTP response.
    public let status: Int?
    /// What happened.
    public let code: EnhancedErrorCode?
    /// A text for people.
    public let message: String?
    /// A text for people, from the provider.
    public let details: String?
    /// Where more can be read.
    public let helpURL: String?
    /// The identifier of the response for the service's support.
    public let trace: String?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an error to be sent; it needs a status or a code.
    package init(
        action: EnhancedErrorAction? = nil,
        status: Int? = nil,
        code: EnhancedErrorCode? = nil,
        message: String? = nil,
        details: String? = nil,
        helpURL: String? = nil,
        trace: String? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.action, self.status, self.code) = (action, status, code)
        (self.message, self.details, self.helpURL) = (message, details, helpURL)
        (self.trace, self.unknownFields) = (trace, unknownFields)
    }

    /// Reads a body.
    ///
    /// Services send the bare object, although their prose wraps it: `{"error": {…}}` is read as what it wraps.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not an error object.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        let body = try BodyObject(body: bytes)
        if let error = try Self(wrappedIn: body, bytes) {
            self = error
        } else {
            try self.init(body, bytes)
        }
    }

    /// Reads the error object that a body wraps; `nil` if the body does not wrap one.
    ///
    /// Unknown members beside it are kept as if they were inside.
    init?(wrappedIn body: BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
        guard !body.contains("status"), !body.contains("code") else { return nil }
        var body = body
        guard let node = body.take("error"), node.value.kind == .object else { return nil }
        let object = try BodyObject(node, at: body.path + "error")
        let beside = body.unknownFields(text).filter { !object.has($0.name) && !Self.memberNames.contains($0.name) }
        try self.init(object, text, beside: beside)
    }

    private static let memberNames: Set<String> = [
        "action", "status", "code", "message", "details", "helpUrl", "trace",
    ]

    /// Reads an object, which must have a status or a code.
    init(
        _ object: BodyObject,
        _ text: Span<UInt8>,
        beside others: [JSONField] = []
    ) throws(ServiceResponseError) {
        var object = object
        let path = object.path
        action = try object.takeText("action", text).map(EnhancedErrorAction.init)
        status = try object.take("status").map { status throws(ServiceResponseError) in
            guard let status = status.status(text) else { throw .wrongType(path + "status", expected: .status) }
            return status
        }
        code = try object.takeText("code", text).map(EnhancedErrorCode.init)
        message = try object.takeText("message", text)
        details = try object.takeText("details", text)
        helpURL = try object.takeText("helpUrl", text)
        trace = try object.takeText("trace", text)
        unknownFields = object.unknownFields(text) + others
        guard status != nil || code != nil else { throw .missing(path + "code") }
    }
}

extension EnhancedError {
    /// What may resolve the error: the action that was sent, or else the one that is documented for the code.
    package var actionOrDocumented: EnhancedErrorAction? { action ?? code?.documentedAnswer?.action }

    /// Whether an action may resolve the error: the one that was sent, or the one that is documented for the code.
    package func asks(for action: EnhancedErrorAction) -> Bool {
        self.action == action || code?.documentedAnswer?.action == action
    }
}

extension EnhancedError: CustomStringConvertible {
    /// The members in one line, with control characters escaped; unknown members and the help page are left out.
    public var description: String {
        var parts: [String] = []
        if let code { parts.append(code.rawValue) }
        if let status { parts.append("status \(status)") }
        if let action { parts.append("action \(action)") }
        if let message { parts.append(message) }
        if let details { parts.append(details) }
        if let trace { parts.append("trace \(trace)") }
        return parts.map(\.printable).joined(separator: ", ")
    }
}

/// What may resolve an error, by the service's name.
///
/// The service may add names at any time. Upper and lower case are different.
public struct EnhancedErrorAction: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes an action from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// No action is known; often the request itself is wrong.
    public static let noAction: EnhancedErrorAction = "none"
    /// Change the configuration of the integration.
    public static let configuration: EnhancedErrorAction = "configuration"
    /// Register the application again.
    public static let applicationRegistration: EnhancedErrorAction = "application-registration"
    /// Let the user sign in.
    public static let authentication: EnhancedErrorAction = "authentication"
    /// Ask for authorization.
    public static let authorization: EnhancedErrorAction = "authorization"
    /// Try again.
    public static let retry: EnhancedErrorAction = "retry"

    private static let documented: Set<EnhancedErrorAction> = [
        .noAction, .configuration, .applicationRegistration, .authentication, .authorization, .retry,
    ]

    /// The action if it is a documented one, for descriptions and logs.
    package var shown: String { shown(ifAmong: Self.documented) }
}

extension JSONNode {
    /// An HTTP status, sent as a number or as text.
    fileprivate func status(_ text: Span<UInt8>) -> Int? {
        let digits: [UInt8]? =
            value.kind == .string ? value.bytes(in: text) : value.range.map { text[$0] }
        guard let digits, digits.count == 3, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
