import TextCodecs
public import EntitlementValues

/// What the service says of one resource.
public struct Decision: Sendable {
    /// What was asked for.
    public let resource: ResourceID
    /// The brand that asked.
    public let serviceProvider: RequestorID
    /// The provider.
    public let mvpd: MVPDID
    /// Where the decision comes from.
    public let source: DecisionSource?
    /// Whether the user may watch, by the word of the service; ``verified(by:expecting:at:)`` proves it.
    public let isAuthorized: Bool
    /// From when on the authorization is good; not the token's time.
    public let notBefore: Timestamp?
    /// When the authorization ends; not the token's time.
    public let notAfter: Timestamp?
    /// The media token, not verified; there is none before playback is asked for (preauthorization).
    public let token: SerializedMediaToken?
    /// Why not.
    public let error: EnhancedError?
    /// Members that are not known here.
    public let unknownFields: [JSONField]

    init(
        _ node: JSONNode,
        at path: JSONLocation,
        _ text: Span<UInt8>,
        _ faults: inout [ServiceResponseError]
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
            try SerializedMediaToken(node, at: path + "token", text, &tokenFaults)
        }
        error = try object.take("error").map { node throws(ServiceResponseError) in
            try EnhancedError(try BodyObject(node, at: path + "error"), text)
        }
        unknownFields = object.unknownFields(text)
        faults += object.faults + tokenFaults
    }
}

extension Decision: CustomStringConvertible {
    /// Resource, brand, provider, the decision and why; not the token.
    public var description: String {
        let outcome = isAuthorized ? "authorized" : "not authorized"
        let reason = error.map { " (\($0))" } ?? ""
        return "\(resource.rawValue.printable) for \(serviceProvider.rawValue.printable) by "
            + "\(mvpd.rawValue.printable): \(outcome)\(reason)"
    }
}

/// Names where a decision comes from, in the service's words.
///
/// The set is open. Case counts.
public struct DecisionSource: EntitlementIdentifier {
    /// As it stands on the wire.
    public let rawValue: String

    /// Takes the text as it is.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The provider decided.
    public static let mvpd: DecisionSource = "mvpd"
    /// The provider cannot be asked, and a rule decides in its place.
    public static let degradation: DecisionSource = "degradation"
    /// The user has temporary access.
    public static let temporaryAccess: DecisionSource = "temppass"
    /// A test setting decides.
    public static let dummy: DecisionSource = "dummy"
}
