import TextCodecs
import EntitlementValues

/// An error that the service sent: the whole body, or part of a decision.
///
/// Every member may be absent; older services send `status` and `message` alone. New actions and codes may come at any
/// time, so both are open.
///
/// Source: the service's list of enhanced error codes.
public struct EnhancedError: ServiceResponse, Hashable {
    /// What may help.
    public let action: EnhancedErrorAction?
    /// The status in the object, which may differ from that of the HTTP response; sent as a number or as text.
    public let status: Int?
    /// What happened.
    public let code: EnhancedErrorCode?
    /// A text for people.
    public let message: String?
    /// A text of the provider's, for people.
    public let details: String?
    /// Where more can be read.
    public let helpURL: String?
    /// Names the response to the service's support.
    public let trace: String?
    /// Members that are not known here.
    public let unknownFields: [JSONField]

    /// Reads a body.
    ///
    /// - Throws: `ServiceResponseError` where the body is not an error object.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        try self.init(try BodyObject(body: bytes), bytes)
    }

    /// Reads the object; one that has neither a status nor a code is none.
    init(_ object: BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
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
        unknownFields = object.unknownFields(text)
        guard status != nil || code != nil else { throw .missing(path + "code") }
    }
}

extension EnhancedError: CustomStringConvertible {
    /// Everything but the unknown members, control characters escaped, on one line.
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

extension JSONNode {
    fileprivate func status(_ text: Span<UInt8>) -> Int? {
        let digits: [UInt8]? =
            value.kind == .string ? value.bytes(in: text) : value.range.map { text[$0] }
        guard let digits, digits.count == 3, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
