#if Client
public import BrokerClient
import BrokerMessages
public import EntitlementValues
public import MetadataDecryption
public import ServiceResponses
import Synchronization

/// What the sessions of an application have in common: the broker, where users come back to, and keys.
///
/// It is shared by all sessions of an application in a process. Copies share what the broker was asked for all of them.
public struct EntitlementApplication: Sendable {
    /// The broker at its default origin, with the application that devices are registered for, and their records.
    public let broker: Broker
    /// The domain that authentications are for: one of those that the operator lists for the requestor.
    public let domain: String
    /// Where the user's browser comes back to; its host is one of the requestor's domains.
    public let redirect: String
    /// Which origin answers for a provider that several of them list.
    public var hostPolicy: HostPolicy = .ordered
    /// Verifies media tokens; `nil` if they are handed over as they came, which nothing takes for verified.
    public var verification: TokenVerification?
    /// Decrypts user metadata; `nil` if encrypted values stay encrypted.
    public var decrypter: MetadataDecrypter?
    /// Takes the events of all sessions, each at the moment at which it is told; `nil` if no one wants them all.
    ///
    /// A session waits for it, so it must return at once: put the event somewhere, and work on it elsewhere.
    public var observer: EventObserver?
    /// How often a device's sign-in is asked for: 5 s by default; less than 3 s counts as 3 s, which the broker wants at
    /// least.
    public var pollInterval: Duration = .seconds(5)
    /// The providers of promotional temporary access, which need an identity of the user: the broker's list does not tell
    /// them from other temporary access.
    ///
    /// One that is not named here fails with its first play or profile, because the broker refuses it without an identity.
    /// From then on it counts as named, in this process.
    public var promotionalProviders: Set<MVPDID> = []
    /// Whether an identity that comes as text is hashed (SHA-256) before it is kept and sent: the operator's documents make
    /// the programmer responsible for that.
    ///
    /// On by default. The broker counts each text as a user, so one who sent the text itself before begins anew. Off for an
    /// application that hands over a hash.
    public var hashesIdentity = true
    /// The providers whose pages may be shown in a view inside of the app; all others get the system's browser, unless
    /// ``systemBrowserProviders`` is set.
    public var webViewProviders: Set<MVPDID> = []
    /// The providers whose pages need the system's browser, if all others may be shown in a view inside of the app; `nil` if
    /// only those of ``webViewProviders`` may.
    ///
    /// The broker's list does not tell who needs it. The operator's library knew, and named it for those alone
    /// (`navigateToUrl:useSVC:`).
    public var systemBrowserProviders: Set<MVPDID>?

    /// What was asked for all sessions.
    package let shared: SharedAnswers

    /// Describes an application; nothing is sent.
    ///
    /// - Parameters:
    ///   - broker: The broker at its default origin. Sessions that name other origins call those in the same way.
    ///   - domain: The domain that authentications are for.
    ///   - redirect: Where the user's browser comes back to.
    public init(at broker: Broker, domain: String, redirect: String) {
        (self.broker, self.domain, self.redirect) = (broker, domain, redirect)
        shared = SharedAnswers(broker)
    }

    /// The time by which sessions wait, and compare lifetimes.
    package var time: TimeSource { broker.time }

    /// Whether a provider stands for promotional temporary access, by the settings or the broker's word.
    func isPromotional(_ mvpd: MVPDID) -> Bool { promotionalProviders.contains(mvpd) || shared.isPromotional(mvpd) }

    /// Whether a provider's page is for the system's browser; `nil` for a page of which the provider is not known.
    package func usesSystemBrowser(mvpd: MVPDID?) -> Bool {
        guard let mvpd else { return true }
        if let needy = systemBrowserProviders, !needy.contains(mvpd) { return false }
        return !webViewProviders.contains(mvpd)
    }

    /// The broker at an origin; one for all sessions, so that they share its pacing.
    func broker(at origin: BrokerOrigin) -> Broker { shared.broker(at: origin) }
}

/// Which origin of the broker answers for a provider that several of them list.
public enum HostPolicy: Sendable, Hashable {
    /// The first in the order of the call; the same in each run.
    case ordered
    /// The one that answered the fastest when it was asked last, as the operator's library did it.
    case fastest
}

extension EntitlementApplication {
    /// The providers that users of a platform choose from, without a device of theirs.
    ///
    /// For a list that is shown before a device is known to the broker. Sessions of devices of the same platform share it:
    /// it is asked for every three minutes at most, at the caller's origin.
    ///
    /// - Parameters:
    ///   - requestor: The brand.
    ///   - caller: Who asks: a device of the application's own, which says of itself what the user's device does: by that
    ///     the broker tells platforms apart.
    ///   - profile: The name of an application profile (``SessionOptions/profile``).
    /// - Returns: The providers, in the broker's order.
    /// - Throws: `.broker`, `.cancelled`.
    public func providers(
        requestor: RequestorID,
        for caller: Caller,
        profile: String? = nil
    ) async throws(EntitlementFlowError) -> [MVPD] {
        let key = SharedAnswers.ListKey(
            origin: caller.broker.environment.api, requestor: requestor, platform: caller.device.platform,
            profile: profile)
        return try await rethrowing(
            awaiting: await shared.list(key, by: caller).mvpds, as: EntitlementFlowError.init(_:))
    }
}

extension Device {
    /// What the broker may tell platforms apart by: the parts of the information that name one, else the program.
    var platform: [String] {
        let keys: [DeviceInfo.Key] = [.primaryHardwareType, .manufacturer, .model, .osName, .osFamily, .osVendor]
        let named = keys.map { info[$0] ?? "" }
        return named.contains { !$0.isEmpty } ? named : [userAgent?.headerValue ?? ""]
    }

    /// The same device, with what it says of itself in a call.
    func saying(what context: CallContext) -> Device {
        guard (info, userAgent) != (context.info, context.userAgent) else { return self }
        return Device(key: key, identifier: identifier, info: context.info, userAgent: context.userAgent)
    }
}
#endif
