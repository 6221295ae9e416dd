public import EntitlementValues
package import TextCodecs

/// The answer to starting or resuming an authentication session: what the application does next.
///
/// ``actionName`` decides. For `authenticate`, open ``url`` in a browser; for `resume` and `retry`, send what is in
/// ``missingParameters``; for `authorize`, ask for authorization; for `partner_profile`, hand
/// ``authenticationRequest`` to the device's partner.
///
/// Neither the description nor the mirror shows the code, the session's identifier or the address, which holds the
/// code.
public struct SessionResponse: ServiceResponse, Hashable {
    /// What comes next.
    public let actionName: SessionAction
    /// How it is done.
    public let actionType: ActionType
    /// Why it comes next.
    ///
    /// Older brokers do not send it; that is ``SessionReason/noReason``.
    public let reason: SessionReason
    /// The session.
    public let sessionID: SessionID
    /// The service provider that asked.
    public let serviceProvider: RequestorID
    /// The code of the session; `nil` if the user need not sign in.
    public let code: AuthenticationCode?
    /// The provider, if one is chosen.
    public let mvpd: MVPDID?
    /// The parameters to send with the next request.
    public let missingParameters: [MissingParameter]
    /// When the session begins.
    public let notBefore: Timestamp?
    /// When the session ends, and with it the code.
    public let notAfter: Timestamp?
    /// What to ask the device's single sign-on partner.
    public let authenticationRequest: PartnerAuthenticationRequest?
    /// Errors of names that could not be read and were left out, and warnings about implausible times.
    ///
    /// Only the first 100 are listed; see ``faultCount``.
    public let faults: [ServiceResponseError]
    /// The number of all faults.
    public let faultCount: Int
    /// Members of the body that this library does not know, as they were sent.
    public let unknownFields: [JSONField]
    private let redactedURL: Redacted<String>?

    /// Where the next step is taken; usually relative to the broker's address, and often with the code in it.
    public var url: String? { redactedURL?.value }

    /// Makes an answer to be sent.
    package init(
        actionName: SessionAction,
        actionType: ActionType,
        reason: SessionReason = .noReason,
        sessionID: SessionID,
        serviceProvider: RequestorID,
        url: String? = nil,
        code: AuthenticationCode? = nil,
        mvpd: MVPDID? = nil,
        missingParameters: [MissingParameter] = [],
        notBefore: Timestamp? = nil,
        notAfter: Timestamp? = nil,
        authenticationRequest: PartnerAuthenticationRequest? = nil,
        unknownFields: [JSONField] = []
    ) {
        (self.actionName, self.actionType, self.reason) = (actionName, actionType, reason)
        (self.sessionID, self.serviceProvider) = (sessionID, serviceProvider)
        (redactedURL, self.code, self.mvpd) = (url.map { Redacted($0) }, code, mvpd)
        (self.missingParameters, self.notBefore, self.notAfter) = (missingParameters, notBefore, notAfter)
        (self.authenticationRequest, self.unknownFields) = (authenticationRequest, unknownFields)
        (faults, faultCount) = ([], 0)
    }

    /// Reads a body.
    ///
    /// - Parameter bytes: The whole body, JSON in UTF-8.
    /// - Throws: `ServiceResponseError` if the body is not JSON, lacks a required member, or is the broker's error
    ///   object. An error in one name of a list is not thrown; it is in `faults`.
    public init(parsing bytes: Span<UInt8>) throws(ServiceResponseError) {
        var body = try BodyObject(body: bytes)
        var faults = ResponseFaults()
        guard let actionName = try body.takeIdentifier("actionName", bytes) else {
            throw body.refusal(bytes, missing: "actionName")
        }
        self.actionName = SessionAction(actionName)
        actionType = ActionType(try body.requireIdentifier("actionType", bytes))
        reason = try body.takeText("reasonType", bytes).map(SessionReason.init) ?? .noReason
        sessionID = SessionID(try body.requireIdentifier("sessionId", bytes))
        serviceProvider = RequestorID(try body.requireIdentifier("serviceProvider", bytes))
        redactedURL = try body.takeText("url", bytes).map { Redacted($0) }
        code = try body.takeIdentifier("code", bytes).map(AuthenticationCode.init)
        mvpd = try body.takeIdentifier("mvpd", bytes).map(MVPDID.init)
        missingParameters = try body.takeMissingParameters(bytes, faults: &faults)
        notBefore = try body.takeInstant("notBefore", bytes)
        notAfter = try body.takeInstant("notAfter", bytes)
        let path = body.path + "authenticationRequest"
        authenticationRequest = try body.take("authenticationRequest").map { node throws(ServiceResponseError) in
            try PartnerAuthenticationRequest(node, at: path, in: bytes, faults: &faults)
        }
        faults.append(contentsOf: body.faults)
        (self.faults, faultCount) = (faults.first, faults.count)
        unknownFields = body.unknownFields(bytes)
    }
}

extension SessionResponse: CustomStringConvertible {
    /// What comes next and why, and the faults; without the code, the session and the address.
    public var description: String {
        let parts = [actionName.rawValue, actionType.rawValue, reason.rawValue].map(\.printable)
        let missing =
            missingParameters.isEmpty
            ? [] : ["missing " + missingParameters.map(\.rawValue.printable).joined(separator: ", ")]
        return ([parts.joined(separator: "/")] + missing + faults.map(\.description)).joined(separator: "; ")
    }
}

extension SessionResponse: EncodableResponse {
    package var object: JSONWriter {
        var object = JSONWriter()
        object.member("actionName", actionName.rawValue)
        object.member("actionType", actionType.rawValue)
        object.member("reasonType", reason.rawValue)
        object.member("url", ifPresent: url)
        object.member("missingParameters", missingParameters)
        object.member("code", ifPresent: code?.text)
        object.member("sessionId", sessionID.text)
        object.member("mvpd", ifPresent: mvpd?.rawValue)
        object.member("serviceProvider", serviceProvider.rawValue)
        object.member("notBefore", digitsOf: notBefore)
        object.member("notAfter", digitsOf: notAfter)
        if let authenticationRequest { object.member("authenticationRequest", authenticationRequest.object) }
        object.members(unknownFields)
        return object
    }
}

/// The broker's identifier of an authentication session.
///
/// It belongs to one user's login, so neither its description nor its mirror shows it. Identifiers are compared byte by
/// byte.
public struct SessionID: Sendable {
    private let redactedText: Redacted<String>

    /// The identifier as it is written on the wire, usually a UUID.
    public var text: String { redactedText.value }

    /// Makes an identifier from its text, unchanged.
    public init(_ text: String) { redactedText = Redacted(text) }
}

extension SessionID: Hashable {
    /// Compares the UTF-8 bytes.
    public static func == (one: Self, other: Self) -> Bool { one.text.hasSameBytes(as: other.text) }

    /// Hashes the UTF-8 bytes, which are what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

extension SessionID: CustomStringConvertible {
    /// The same text for every identifier.
    public var description: String { "session" }
}
