#if Client
public import BrokerMessages
public import EntitlementValues
public import ServiceResponses

/// What the device asks its sign-on partner: first which provider, then to vouch for the user.
public enum PartnerQuestion: Sendable, Hashable {
    /// The partner's own picker is shown.
    case pick(PartnerPick)
    /// The partner confirms who the user is.
    case confirm(PartnerConfirmation)

    /// The channel that the device names to its framework: the operator's SAML issuer.
    ///
    /// Source: the operator's page on single sign-on with partners for its REST API V2.
    public static let channel = "https://saml.sp.auth.adobe.com"
}

/// What the partner's picker shows, by the partner's own identifiers.
public struct PartnerPick: Sendable, Hashable {
    /// The providers that the partner may show, in order.
    public let supported: [String]
    /// Those of them that it shows first.
    public let featured: [String]

    /// Describes what a picker shows.
    ///
    /// - Parameters:
    ///   - supported: The providers that the partner may show, in order.
    ///   - featured: Those of them that it shows first.
    public init(supporting supported: [String], featuring featured: [String]) {
        (self.supported, self.featured) = (supported, featured)
    }
}

/// What the device hands to its partner's framework so that it vouches for the user.
///
/// Neither description nor mirror shows the request: it names the user's login.
public struct PartnerConfirmation: Sendable, Hashable {
    /// The broker's request, unchanged: XML in Base64.
    public var verificationToken: String { request.request }
    /// The names of the attributes that the partner is to answer with.
    public var attributeNames: [String] { request.attributeNames }

    /// Whether the framework may show something to the user; without that, it answers from what it knows or not at all.
    public let allowsInterruption: Bool

    private let request: PartnerAuthenticationRequest

    /// Takes the broker's request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - allowsInterruption: Whether the framework may show something to the user.
    public init(_ request: PartnerAuthenticationRequest, allowingInterruption allowsInterruption: Bool = true) {
        (self.request, self.allowsInterruption) = (request, allowsInterruption)
    }
}

/// What the device's sign-on partner answered.
public enum PartnerReply: Sendable, Hashable {
    /// The framework's state, without an answer to a question.
    case status(PartnerFrameworkStatus)
    /// The framework's state with the partner's answer about the user: SAML as text, as the framework gave it.
    case answer(PartnerFrameworkStatus, response: PartnerResponse)
    /// The user chose a provider in the partner's picker that signs in at the provider itself.
    case unsupported(mappingID: String)
    /// The user wants a provider that the partner does not list.
    case otherProvider
    /// The user closed the partner's picker.
    case cancelled
}

/// A partner's answer about the user; its description does not show it.
public struct PartnerResponse: Sendable, Hashable {
    private let redactedText: Redacted<String>

    /// The answer as the framework gave it: SAML in XML, or that in Base64.
    public var text: String { redactedText.value }

    /// Takes an answer.
    ///
    /// - Parameter text: The answer as the framework gave it.
    public init(_ text: String) { redactedText = Redacted(text) }
}

/// The providers that the partner's picker shows, of those that the partner supports; it concerns no other picker.
///
/// The operator's library took them as `TV_PROVIDERS` and `FEATURED_TV_PROVIDERS`.
public struct ProviderFilter: Sendable, Hashable {
    /// The providers, in the order in which they are shown; those that the partner does not support are skipped.
    public let supported: [MVPDID]
    /// Those of them that are shown first.
    public let featured: [MVPDID]

    /// Makes a filter.
    ///
    /// - Parameters:
    ///   - supported: The providers, in the order in which they are shown.
    ///   - featured: Those of them that are shown first.
    /// - Throws: `.unsupported(.featuredNotSupported)` if a featured provider is not among the supported ones.
    public init(_ supported: [MVPDID], featuring featured: [MVPDID] = []) throws(EntitlementFlowError) {
        guard featured.allSatisfy(supported.contains) else { throw .unsupported(.featuredNotSupported) }
        (self.supported, self.featured) = (supported, featured)
    }
}

extension PartnerFrameworkStatus {
    /// Whether the partner knows the user's provider, and its sign-on has not ended.
    func namesProvider(at now: Timestamp) -> Bool {
        guard let id = provider.mappingID, !id.isEmpty, let end = provider.expires else { return false }
        return now < end
    }
}

extension ProviderList {
    /// What the partner's picker shows: by the partner's own identifiers, and only providers that it supports.
    func partnerPick(filteredBy filter: ProviderFilter?) -> PartnerPick {
        func mappingIDs(of ids: [MVPDID]) -> [String] {
            ids.compactMap { id in self[id].flatMap { $0.isInPartnerPicker ? $0.platformMappingID : nil } }
        }
        return PartnerPick(
            supporting: mappingIDs(of: filter?.supported ?? mvpds.map(\.id)),
            featuring: mappingIDs(of: filter?.featured ?? []))
    }
}

extension MVPD {
    fileprivate var isInPartnerPicker: Bool {
        appearsInPlatformPicker == true && enablesPlatformServices == true && platformMappingID?.isEmpty == false
    }
}

extension PartnerResponse {
    /// The request that makes a profile of the answer: the text is XML, or Base64 of it.
    var request: PartnerProfileRequest {
        get throws(EntitlementFlowError) {
            let isXML = text.first { !$0.isWhitespace } == "<"
            return try rethrowing(
                isXML ? PartnerProfileRequest(samlXML: text) : PartnerProfileRequest(samlResponse: text)
            ) { (_: BrokerRequestError) in EntitlementFlowError.unsupported(.malformedResponse) }
        }
    }
}
#endif
