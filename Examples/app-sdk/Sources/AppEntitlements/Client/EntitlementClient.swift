public import Foundation

/// The calls of the operator's library, over a gateway: change the import and the initialiser, and keep the delegate.
///
/// Calls return at once; their answers are callbacks of the ``delegate``, on the main actor. Calls that are made before
/// `setRequestor` is done wait for it, and all run one after the other.
///
/// ```swift
/// let client = EntitlementClient(at: gateway, device: device, signingIn: .browser(returnTo: "exampletv://done"))
/// client.delegate = self
/// client.setRequestor("tv")
/// client.getAuthorization("TestChannel")
/// ```
@MainActor
public final class EntitlementClient {
    /// Gets the callbacks; it is not kept alive.
    public weak var delegate: (any EntitlementDelegate)?

    let address: URL
    let place: SignInPlace
    let partner: (any PartnerFramework)?
    let store: any DeviceStateStore
    let transport: any GatewayTransport
    let time: GatewayTime
    let lastProvider: String?
    var device: DeviceDescription
    var visitorID: String?
    /// Whether `navigateToUrl(_:useSVC:)` is called (`handleSVC`).
    var namesBrowser = false

    /// The gateway once `setRequestor` has succeeded.
    var gateway: Gateway?
    /// Why there is none.
    var failure: GatewayError = .requestorNotSet
    /// Raised by whatever makes a sign-in void: its later answers are dropped then.
    var epoch = 0
    /// Waits for the end of the sign-in.
    var watch: Task<Void, Never>?
    /// What is known of the viewer; `nil` if it is not known.
    var viewer: Viewer?
    /// What the single sign-on of the device's system has said, and the gateway was told, last.
    var partnerStatus: PartnerStatus?
    /// The identity for promotional temporary access.
    var identity: String?
    /// The providers and the featured ones of `getAuthentication`, for the partner's picker.
    var filter: [String: [String]]?
    /// The resource of `getAuthorization` that waits for the viewer to sign in.
    var pendingResource: String?
    /// The providers that were shown last.
    var providers: [MVPD] = []
    /// What is left of a logout, and what follows it.
    var leaving: Leaving?
    /// The preauthorizations that hold still.
    var permits = PermitCache()
    /// The plays by their resource.
    var playbacks: [String: Playback] = [:]
    /// The last command that was put into the queue.
    private var last: Task<Void, Never>?

    /// Makes a client; asks the gateway nothing.
    ///
    /// - Parameters:
    ///   - gateway: The gateway's address: `https`, or `http` on the loopback interface for tests.
    ///   - device: What the device says of itself.
    ///   - place: Where the viewer signs in.
    ///   - lastProvider: The provider that the viewer had in the operator's library, so that it is shown first.
    ///   - partner: The single sign-on of the device's system; on Apple's systems ``SubscriberAccount``.
    ///   - store: Keeps the device's token between the starts of the app.
    ///   - transport: Sends the requests.
    ///   - time: The time by which tokens are renewed and answers are waited for.
    public init(
        at gateway: URL,
        device: DeviceDescription,
        signingIn place: SignInPlace,
        lastProvider: String? = nil,
        partner: (any PartnerFramework)? = nil,
        store: any DeviceStateStore,
        transport: any GatewayTransport = URLSessionTransport(),
        time: GatewayTime = .device
    ) {
        (address, self.device, self.place, self.lastProvider) = (gateway, device, place, lastProvider)
        (self.partner, self.store, self.transport, self.time) = (partner, store, transport, time)
        #if canImport(VideoSubscriberAccount) && canImport(UIKit) && !targetEnvironment(macCatalyst)
        if let account = partner as? SubscriberAccount {
            account.present = { [weak self] in self?.delegate?.presentTvProviderDialog($0) }
            account.dismiss = { [weak self] in self?.delegate?.dismissTvProviderDialog($0) }
        }
        #endif
    }

    deinit { watch?.cancel() }

    /// Runs a command after those that were called before it.
    func enqueue(_ command: @escaping @MainActor () async -> Void) {
        let before = last
        last = Task {
            await before?.value
            await command()
        }
    }

    /// The gateway, or why there is none.
    func ready() throws(GatewayError) -> Gateway {
        guard let gateway else { throw failure }
        return gateway
    }
}

/// What is known of the viewer.
struct Viewer: Codable, Sendable, Hashable {
    /// The provider; `nil` if the viewer is not signed in.
    var mvpd: String?
    /// When the sign-in ends, in milliseconds since the Unix epoch; `nil` if it is not known.
    var until: Int64?

    /// A viewer who is not signed in.
    static let signedOut = Viewer()
}
