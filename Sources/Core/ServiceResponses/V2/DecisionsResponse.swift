public import EntitlementValues
import TextCodecs

/// The answer of `decisions` (REST v2): whether the user may watch each resource, with media tokens to start playback.
///
/// Only the tokens are signed, so call ``verified(by:expecting:at:)`` before playback.
public struct DecisionsResponse: ServiceResponse {
    /// The decisions, in the order of the body.
    public let decisions: [Decision]
    /// Errors of the decisions that could not be read and are not in `decisions`, and warnings about implausible times.
    ///
    /// Only the first 100 are listed; see ``faultCount``.
    public let faults: [ServiceResponseError]
    /// The number of all faults.
    public let faultCount: Int
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// Makes an answer to be sent.
    package init(decisions: [Decision], unknownFields: [JSONField] = []) {
        (self.decisions, self.unknownFields) = (decisions, unknownFields)
        (faults, faultCount) = ([], 0)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not JSON, has no `decisions`, has more than
    ///   ``ResponseLimits`` allow, or is the service's error object. An error in one decision is not thrown; it is in
    ///   `faults`.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        // The limit of decisions ends the reading: nodes take a hundred times the memory of their text.
        var body = try BodyObject(body: bytes, maximumElements: ResponseLimits.maximumElements)
        guard let node = body.take("decisions") else { throw body.refusal(bytes, missing: "decisions") }
        let path = body.path + "decisions"
        guard node.value.kind == .array else { throw .wrongType(path, expected: .array) }
        var decisions: [Decision] = []
        var faults = ResponseFaults()
        for (index, element) in node.elements.enumerated() {
            do throws(ServiceResponseError) {
                var warnings: [ServiceResponseError] = []
                decisions.append(try Decision(element, at: path + .element(index), in: bytes, faults: &warnings))
                faults.append(contentsOf: warnings)
            } catch {
                faults.append(error)
            }
        }
        self.decisions = decisions
        (self.faults, faultCount) = (faults.first, faults.count)
        unknownFields = body.unknownFields(bytes)
    }
}

extension DecisionsResponse: CustomStringConvertible {
    /// The decisions and faults, without the tokens.
    public var description: String {
        (decisions.map(\.description) + faults.map(\.description)).joined(separator: "; ")
    }
}

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

/// The unverified media token of a decision.
///
/// Anyone who has the token can use it until it expires, so neither its description nor its mirror shows it.
public struct SerializedMediaToken: Sendable {
    private let redactedToken: Redacted<String>
    /// When the token begins to be valid, as the service says.
    public let notBefore: Timestamp?
    /// The last instant at which the token is valid, as the service says.
    public let notAfter: Timestamp?
    /// When the token was issued, as the service says.
    public let issuedAt: Timestamp?
    /// Members that this library does not know, as they were sent.
    public let unknownFields: [JSONField]

    /// The token: Base64, as a media token verifier takes it.
    public var serializedToken: String { redactedToken.value }

    /// Makes a token to be sent.
    package init(
        serializedToken: String,
        notBefore: Timestamp? = nil,
        notAfter: Timestamp? = nil,
        issuedAt: Timestamp? = nil,
        unknownFields: [JSONField] = []
    ) {
        redactedToken = Redacted(serializedToken)
        (self.notBefore, self.notAfter, self.issuedAt) = (notBefore, notAfter, issuedAt)
        self.unknownFields = unknownFields
    }

    init(
        _ node: JSONNode,
        at path: JSONLocation,
        in text: Span<UInt8>,
        faults: inout [ServiceResponseError]
    ) throws(ServiceResponseError) {
        var object = try BodyObject(node, at: path)
        redactedToken = Redacted(try object.requireText("serializedToken", text))
        notBefore = try object.takeInstant("notBefore", text)
        notAfter = try object.takeInstant("notAfter", text)
        issuedAt = try object.takeInstant("issuedAt", text)
        unknownFields = object.unknownFields(text)
        faults += object.faults
    }
}

extension SerializedMediaToken: CustomStringConvertible {
    /// The same text for every token.
    public var description: String { "unverified media token" }
}
