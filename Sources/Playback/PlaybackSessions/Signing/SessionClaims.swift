import EntitlementValues
import TextCodecs

/// The claims of a session, as they are signed.
package struct SessionClaims: Hashable {
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
    package init(reading payload: [UInt8]) throws(PlaybackSessionError) {
        guard payload.isTextWithoutNUL else { throw .malformed(.claims) }
        if let plain = Self(plain: payload[...]), plain.haveOrder {
            self = plain
        } else {
            try self.init(json: payload)
        }
    }

    /// Reads such claims with the reader of JSON, which says what is wrong with those that are refused.
    ///
    /// The payload is UTF-8 without NUL.
    package init(json payload: [UInt8]) throws(PlaybackSessionError) {
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

    /// Reads claims that are spelt as ``json`` spells them and have no escape, as nearly all are; `nil` for all others.
    ///
    /// The reader of JSON says the same of them, at several times the cost. The text is UTF-8 without NUL.
    private init?(plain text: ArraySlice<UInt8>) {
        let span = text.span
        guard span.isPlainStringOfJSON, span.firstIndex(of: 0x7F, in: 0..<span.count) == nil,
            let values = Self.plainValues(span), let id = PlaybackSessionID(reading: span.extracting(values[5]))
        else { return nil }
        let string = { (index: Int) in String(copying: text.span.extracting(values[index])) }
        let seconds = { (index: Int) in text.span.decimal(in: values[index], maximumDigits: 18) }
        guard let issued = seconds(3), let expires = seconds(4), let ceiling = seconds(8) else { return nil }
        (issuer, subscriber, requestor) = (string(0), string(1), string(2))
        (self.issued, self.expires, self.ceiling, self.id) = (issued, expires, ceiling, id)
        (resource, mvpd, client) = (string(6), string(7), values.count == 10 ? string(9) : nil)
    }

    /// Where the values of plain claims are, in their order: ten, or nine without a client; `nil` for other claims.
    private static func plainValues(_ text: Span<UInt8>) -> [Range<Int>]? {
        var values: [Range<Int>] = []
        values.reserveCapacity(10)
        var position = 0
        let form = plainForm.span
        for index in form.indices {
            let start = position
            switch form[index] {
            case UInt8(ascii: "T"):
                position = text.firstIndex(of: UInt8(ascii: "\""), in: start..<text.count) ?? start
                guard position > start else { return nil }
                values.append(start..<position)
            case UInt8(ascii: "N"):
                while position < text.count, text[position].isASCIIDigit { position += 1 }
                guard position > start, text[start] != UInt8(ascii: "0") else { return nil }
                values.append(start..<position)
            case let byte:
                guard position < text.count, text[position] == byte else {
                    // Claims of a session that is not bound end in the place of this comma.
                    let isEnd = byte == UInt8(ascii: ",") && values.count == 9 && position == text.count - 1
                    return isEnd && text[position] == UInt8(ascii: "}") ? values : nil
                }
                position += 1
            }
        }
        return position == text.count ? values : nil
    }

    /// Plain claims, with `T` for each text and `N` for each number.
    private static let plainForm = ContiguousArray(
        #"{"iss":"T","sub":"T","aud":"T","iat":N,"exp":N,"jti":"T","resource":"T","mvpd":"T","ceiling":N,"client":"T"}"#
            .utf8)

    /// The session that the claims describe, with the client if it was checked.
    func session(of client: SessionClient) -> PlaybackSession {
        PlaybackSession(
            id: id, requestor: RequestorID(requestor), resource: ResourceID(resource), mvpd: MVPDID(mvpd),
            subscriber: SessionGUID(subscriber), issued: Timestamp(milliseconds: issued * 1000),
            expires: Timestamp(milliseconds: expires * 1000), ceiling: Timestamp(milliseconds: ceiling * 1000),
            client: client)
    }
}
