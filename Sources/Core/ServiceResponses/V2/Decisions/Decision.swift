public import EntitlementValues
import TextCodecs

/// The service's decision whether a user may watch one resource.
public struct Decision: Sendable {
    /// The resource that was asked for.
    public let resource: ResourceID
    /// The brand that asked.
    public let serviceProvider: RequestorID
    /// The provider of the user.
    public let mvpd: MVPDID
    /// Who or what decided.
    public let source: DecisionSource?
    /// Whether the service says that the user may watch; ``verified(by:expecting:at:)`` proves it.
    public let isAuthorized: Bool
    /// When the authorization begins; the token has its own times.
    public let notBefore: Timestamp?
    /// When the authorization ends; the token has its own times.
    public let notAfter: Timestamp?
    /// The unverified media token; preauthorization, which asks before playback, returns none.
    public let token: SerializedMediaToken?
    /// Why the user may not watch, or what else went wrong.
    public let error: EnhancedError?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes a decision to be sent.
    package init(
        resource: ResourceID,
        serviceProvider: RequestorID,
        mvpd: MVPDID,
        source: DecisionSource? = nil,
        isAuthorized: Bool,
        notBefore: Timestamp? = nil,
        notAfter: Timestamp? = nil,
        token: SerializedMediaToken? = nil,
        error: EnhancedError? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.resource, self.serviceProvider, self.mvpd) = (resource, serviceProvider, mvpd)
        (self.source, self.isAuthorized) = (source, isAuthorized)
        (self.notBefore, self.notAfter) = (notBefore, notAfter)
        (self.token, self.error, self.unknownFields) = (token, error, unknownFields)
    }

    init(
        _ node: JSONNode,
        at path: JSONLocation,
        in text: Span<UInt8>,
        faults: inout [ServiceResponseError]
    ) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        resource = ResourceID(try object.requireIdentifier("resource", text))
        serviceProvider = RequestorID(try object.requireIdentifier("serviceProvider", text))
        mvpd = MVPDID(try object.requireIdentifier("mvpd", text))
        source = try object.takeText("source", text).map(DecisionSource.init)
        isAuthorized = try object.requireBoolean("authorized", text)
        notBefore = try object.takeInstant("notBefore", text)
        notAfter = try object.takeInstant("notAfter", text)
        var tokenFaults: [ServiceResponseError] = []
        token = try object.take("token").map { node throws(ServiceResponseError) in
            try SerializedMediaToken(node, at: path + "token", in: text, faults: &tokenFaults)
        }
        error = try object.take("error").map { node throws(ServiceResponseError) in
            try EnhancedError(try BodyObject(node, at: path + "error"), text)
        }
        unknownFields = object.unknownFields(text)
        faults += object.faults + tokenFaults
    }
}

extension Decision: CustomStringConvertible {
    /// The resource, the brand, the provider, the decision and the code of its reason, without the token and texts.
    public var description: String {
        let outcome = isAuthorized ? "authorized" : "not authorized"
        let reason = error.map { " (\($0.code?.shown ?? "no code"))" } ?? ""
        return "\(resource.rawValue.printable) for \(serviceProvider.rawValue.printable) by "
            + "\(mvpd.rawValue.printable): \(outcome)\(reason)"
    }
}

/// Who or what decided, by the service's name.
///
/// The service may add names at any time. Upper and lower case are different.
public struct DecisionSource: EntitlementIdentifier {
    /// The name as it is written on the wire.
    public let rawValue: String

    /// Makes a source from its name, unchanged.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The provider decided.
    public static let mvpd: DecisionSource = "mvpd"
    /// A rule decided, because the provider cannot be asked.
    public static let degradation: DecisionSource = "degradation"
    /// The user has temporary access.
    public static let temporaryAccess: DecisionSource = "temppass"
    /// A test setting decided.
    public static let dummy: DecisionSource = "dummy"
}
