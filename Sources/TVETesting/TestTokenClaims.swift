public import EntitlementValues

/// What a test token shall say.
///
/// Everything has a harmless default.
public struct TestTokenClaims: Sendable, Hashable {
    /// The subscriber: 32 hexadecimal digits on the wire.
    ///
    /// The default belongs to nobody.
    public var sessionGUID = SessionGUID("00112233445566778899aabbccddeeff")
    /// The brand.
    public var requestor: RequestorID
    /// What was authorized.
    ///
    /// MRSS goes into CDATA, as on the wire.
    public var resource: ResourceID
    /// The provider.
    public var mvpd = MVPDID("TestMVPD")
    /// The proxy provider; left out of the token where it is `nil`.
    public var proxyMVPD: MVPDID?
    /// How long the token is good.
    public var ttl = TimeToLive.minutes(7)
    /// When it was issued, written to the second.
    public var issued: Timestamp
    /// The time zone in which the issue time is written, in minutes east of Greenwich.
    public var zoneOffset = -480
    /// Takes the place of `ttl` where it is set: the text to write, escaped.
    public var ttlText: String?
    /// Takes the place of `issued` where it is set: the text to write, escaped.
    public var issueTimeText: String?
    /// Further elements behind the known ones, with their texts.
    public var furtherElements: [(name: String, text: String)] {
        get { further.map { ($0.name, $0.text) } }
        set { further = newValue.map { FurtherElement(name: $0.name, text: $0.text) } }
    }

    private var further: [FurtherElement] = []

    private struct FurtherElement: Hashable {
        let name: String
        let text: String
    }

    /// Names requestor and resource; the rest can be set afterwards.
    public init(requestor: RequestorID, resource: ResourceID, issued: Timestamp = .now) {
        self.requestor = requestor
        self.resource = resource
        self.issued = issued
    }
}

/// Which of the forms on the wire and in the documents a test token shall have.
public struct TestTokenLayout: Sendable, Hashable {
    /// Spelling of the marker between signature and signed text.
    public enum SecondMarker: String, Sendable, CaseIterable {
        /// `<signatureInfo>`, as on the wire.
        case opening
        /// `</signatureInfo>`.
        case closing
    }

    /// Name of the root element.
    public enum Root: String, Sendable, CaseIterable {
        /// As on the wire.
        case authToken
        /// As in the public documents.
        case shortAuthorizationToken
    }

    /// Spelling of the marker between signature and signed text.
    public var secondMarker = SecondMarker.opening
    /// Name of the root element.
    public var root = Root.authToken
    /// Layers of Base64 around the plain text: 0 as SDKs hand tokens over, 1 as REST services do, 2 as mistakes do.
    public var base64Layers = 0
    /// Whether the Base64 layers use `-` and `_`.
    public var isURLSafe = false
    /// Whether the Base64 layers have their padding.
    public var isPadded = true
    /// After how many characters the Base64 layers are wrapped with CR LF; `nil` for one line.
    public var lineLength: Int?
    /// Whether the plain text is percent-encoded.
    public var isPercentEncoded = false
    /// Whether white space stands between the elements, as the documents print them.
    public var isPrettyPrinted = false
    /// Whether the elements come in the reverse order.
    public var isReversed = false

    /// The wire's plain form.
    public init() {}
}
