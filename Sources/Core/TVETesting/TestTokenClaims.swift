public import EntitlementValues

/// The claims of a test token.
///
/// Everything but requestor and resource has a harmless default.
public struct TestTokenClaims: Sendable, Hashable {
    /// The subscriber: 32 hexadecimal digits on the wire.
    ///
    /// The default is random, so that two tokens of one second are two tokens for a store of used ones.
    public var sessionGUID = SessionGUID.random
    /// The brand.
    public var requestor: RequestorID
    /// What was authorized.
    ///
    /// MRSS is written as a CDATA section, as on the wire.
    public var resource: ResourceID
    /// The provider.
    public var mvpd = MVPDID("TestMVPD")
    /// The proxy provider; `nil` leaves the element out.
    public var proxyMVPD: MVPDID?
    /// How long the token is good, written in milliseconds.
    public var ttl = TimeToLive.minutes(7)
    /// When it was issued, written to the second.
    public var issued: Timestamp
    /// The time zone in which the issue time is written, in minutes east of Greenwich.
    public var zoneOffset = -480
    /// The text to write instead of `ttl`, if set; it is escaped.
    public var ttlText: String?
    /// The text to write instead of `issued`, if set; it is escaped.
    public var issueTimeText: String?
    /// Further elements, written after the known ones.
    public var furtherElements: [(name: String, text: String)] {
        get { further.map { ($0.name, $0.text) } }
        set { further = newValue.map { FurtherElement(name: $0.name, text: $0.text) } }
    }

    private var further: [FurtherElement] = []

    private struct FurtherElement: Hashable {
        let name: String
        let text: String
    }

    /// Sets requestor, resource and issue time; the rest can be set afterwards.
    ///
    /// - Parameters:
    ///   - requestor: The brand.
    ///   - resource: What was authorized.
    ///   - issued: When the token was issued.
    public init(requestor: RequestorID, resource: ResourceID, issued: Timestamp = .now) {
        self.requestor = requestor
        self.resource = resource
        self.issued = issued
    }
}

/// The form of a test token: one of those on the wire or in the service's documentation.
public struct TestTokenLayout: Sendable, Hashable {
    /// The spelling of the marker between signature and signed text.
    public enum SecondMarker: String, Sendable, CaseIterable {
        /// `<signatureInfo>`, as on the wire.
        case opening
        /// `</signatureInfo>`.
        case closing
    }

    /// The name of the root element.
    public enum Root: String, Sendable, CaseIterable {
        /// As on the wire.
        case authToken
        /// As in the service's documentation.
        case shortAuthorizationToken
    }

    /// The spelling of the marker between signature and signed text.
    public var secondMarker = SecondMarker.opening
    /// The name of the root element.
    public var root = Root.authToken
    /// How many layers of Base64 enclose the plain text: SDKs use 0, REST services 1, and 2 occur by mistake.
    public var base64Layers = 0
    /// Whether the Base64 layers use `-` and `_`.
    public var isURLSafe = false
    /// Whether the Base64 layers have their padding.
    public var isPadded = true
    /// The line length after which the Base64 layers have a CR LF; `nil` for one line.
    public var lineLength: Int?
    /// Whether the plain text is percent-encoded.
    public var isPercentEncoded = false
    /// Whether there is white space between the elements, as the documentation prints them.
    public var isPrettyPrinted = false
    /// Whether the elements come in the reverse order.
    public var isReversed = false

    /// The plain form of the wire.
    public init() {}
}

extension SessionGUID {
    /// Random digits, in the form of the wire.
    fileprivate static var random: SessionGUID {
        SessionGUID(String((0..<32).map { _ in Character(String(Int.random(in: 0..<16), radix: 16)) }))
    }
}
