import EntitlementValues
import TextCodecs

/// The claims of a session, as they are signed.
struct SessionClaims: Hashable {
    let issuer: String
    let id: PlaybackSessionID
    let requestor: String
    let resource: String
    let mvpd: String
    let subscriber: String
    /// Seconds since 1970, as the other instants.
    let issued: Int64
    let expires: Int64
    let ceiling: Int64
    /// The keyed hash of the client's address in Base64url; `nil` if the session is not bound.
    let client: String?

    init(_ session: PlaybackSession, issuer: String, clientHash: [UInt8]?) {
        self.issuer = issuer
        id = session.id
        requestor = session.requestor.rawValue
        resource = session.resource.rawValue
        mvpd = session.mvpd.rawValue
        subscriber = session.subscriber.rawValue
        issued = session.issued.milliseconds / 1000
        expires = session.expires.milliseconds / 1000
        ceiling = session.ceiling.milliseconds / 1000
        client = clientHash.map(Base64.encodeURLSafe)
    }

    /// The claims in JSON, in their one order and spelling.
    var json: [UInt8] {
        var object = JSONWriter(escaping: .minimal)
        object.member("iss", issuer)
        object.member("sub", subscriber)
        object.member("aud", requestor)
        object.member("iat", issued)
        object.member("exp", expires)
        object.member("jti", id.description)
        object.member("resource", resource)
        object.member("mvpd", mvpd)
        object.member("ceiling", ceiling)
        if let client { object.member("client", client) }
        return object.finished
    }

    /// Refuses claims that no verifier takes, with `.unsuitable`.
    func check() throws(PlaybackSessionError) {
        let texts = [("issuer", issuer), ("requestor", requestor), ("resource", resource), ("MVPD", mvpd)]
        for (field, text) in texts + [("subscriber", subscriber)] where text.isEmpty {
            throw .unsuitable(.empty(field: field))
        }
        guard haveOrder else { throw .unsuitable(.instants) }
    }

    /// Whether the instants can be written, are in their order, and end within the longest ceiling.
    ///
    /// Revocations are kept as long as that, so no session may live longer.
    private var haveOrder: Bool {
        guard 0 <= issued, issued < expires, expires <= ceiling,
            ceiling <= Timestamp.lastPlausible.milliseconds / 1000
        else { return false }
        return ceiling - issued <= SessionLifetimes.maximumCeiling.milliseconds / 1000
    }

    // MARK: Reading

    /// Reads claims that a trusted key signed: the second part of a session, decoded.
    ///
    /// Throws `.malformed`: everything but what ``json`` writes is refused.
    init(reading payload: [UInt8]) throws(PlaybackSessionError) {
        guard payload.isTextWithoutNUL else { throw .malformed(.claims) }
        let bytes = payload[...]
        do throws(JSONFault) {
            let object = try JSONObject(bytes.span, in: 0..<bytes.count)
            let text = { (name: String) throws(JSONFault) in
                try object.requiredIdentifier(name, in: bytes.span)
            }
            let seconds = { (name: String) throws(JSONFault) in
                try object.requiredInteger(name, in: bytes.span)
            }
            issuer = try text("iss")
            subscriber = try text("sub")
            requestor = try text("aud")
            issued = try seconds("iat")
            expires = try seconds("exp")
            id = try object.required("jti", PlaybackSessionID(text: try text("jti")))
            resource = try text("resource")
            mvpd = try text("mvpd")
            ceiling = try seconds("ceiling")
            client = try object.identifier("client", in: bytes.span)
            try object.allowOnly(Self.names)
        } catch {
            throw .malformed(.claims)
        }
        guard haveOrder else { throw .malformed(.claims) }
        // The same claims in another order, with other escapes or with white space would be a second session text.
        guard json == payload else { throw .malformed(.spelling) }
    }

    private static let names: Set<String> = [
        "iss", "sub", "aud", "iat", "exp", "jti", "resource", "mvpd", "ceiling", "client",
    ]

    /// The session that the claims describe, with the client if it was checked.
    func session(of client: SessionClient) -> PlaybackSession {
        PlaybackSession(
            id: id, requestor: RequestorID(requestor), resource: ResourceID(resource), mvpd: MVPDID(mvpd),
            subscriber: SessionGUID(subscriber), issued: Timestamp(milliseconds: issued * 1000),
            expires: Timestamp(milliseconds: expires * 1000), ceiling: Timestamp(milliseconds: ceiling * 1000),
            client: client)
    }
}
