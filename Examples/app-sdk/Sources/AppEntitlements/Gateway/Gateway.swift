public import Foundation

/// The gateway, as one app on one device asks it: registers the device, renews its token, repeats what may be repeated.
///
/// Most apps use ``EntitlementClient``, which has the calls of the operator's library. This is for new code that wants
/// values instead of callbacks:
///
/// ```swift
/// let gateway = try Gateway(at: address, for: "tv", device: device)
/// let playback = Playback(try await gateway.send(.play("TestChannel")), of: "TestChannel")
/// ```
public actor Gateway {
    /// How long a pause the gateway may ask for that is waited for here; longer ones are the app's matter.
    public static let patience = Duration.seconds(5)
    /// How often a request is repeated.
    static let repetitions = 2
    /// A token is renewed when less than this is left of it: a week, in milliseconds.
    static let renewal: Int64 = 7 * 24 * 3_600_000
    /// A renewal that failed, or that a wrong clock wants at once again, is tried after this: an hour, in milliseconds.
    static let renewalPause: Int64 = 3_600_000
    /// How long an answer may take beside the wait of a long poll, in seconds: the gateway itself waits for the broker.
    static let timeLimit = 20.0
    /// The codes that mean: this device has no token, or an old one.
    static let unregistered: Set = [
        "no_device_token", "bad_device_token", "device_token_expired", "device_token_revoked",
    ]

    /// The app's id at the gateway.
    public nonisolated let app: String
    let address: URL
    let transport: any GatewayTransport
    let store: any DeviceStateStore
    let time: GatewayTime
    var device: DeviceDescription
    var visitorID: String?
    /// The provider that the operator's library had before; it is told when the device registers.
    var lastProvider: String?
    /// What is known of the device; `nil` until it is first needed.
    var known: DeviceState?
    var wasLoaded = false
    /// The registration or the renewal that is under way, which all requests of the moment wait for.
    var registration: Task<Result<String, GatewayError>, Never>?
    /// Before this no renewal is tried, in milliseconds since the Unix epoch.
    var nextRenewal: Int64 = .min
    /// The request that is under way and tells what the device says of itself now.
    var telling: Task<Void, Never>?
    /// Before this it is not told again, in milliseconds since the Unix epoch.
    var nextTelling: Int64 = .min

    /// Names a gateway; asks it nothing.
    ///
    /// - Parameters:
    ///   - address: Its address: `https`, or `http` on the loopback interface for tests. A path is a prefix.
    ///   - app: The app's id in the gateway's settings (`broker.apps`).
    ///   - device: What the device says of itself.
    ///   - visitorID: The visitor's identifier for analytics.
    ///   - lastProvider: The provider that the viewer had in the operator's library, so that it is shown first.
    ///   - store: Keeps the device's token.
    ///   - transport: Sends the requests.
    ///   - time: The time by which tokens are renewed.
    /// - Throws: `.unsafeAddress`.
    public init(
        at address: URL,
        for app: String,
        device: DeviceDescription,
        visitorID: String? = nil,
        lastProvider: String? = nil,
        store: any DeviceStateStore = InMemoryDeviceStateStore(),
        transport: any GatewayTransport = URLSessionTransport(),
        time: GatewayTime = .device
    ) throws(GatewayError) {
        guard address.isSafe else { throw .unsafeAddress }
        (self.address, self.app, self.device, self.visitorID) = (address, app, device, visitorID)
        (self.lastProvider, self.store, self.transport, self.time) = (lastProvider, store, transport, time)
    }

    /// Sends a request with the device's token, and registers the device first if need be, or tells what it says of itself
    /// now if that is not what the gateway was told last.
    ///
    /// If the gateway does not know the token anymore, the device registers anew, and asks once more. What the gateway
    /// refuses with the action `retry` is repeated twice at most, after `Retry-After` if that is not longer than
    /// ``patience``; a request that got lost only if asking twice does no harm.
    ///
    /// - Parameter call: The request.
    /// - Returns: The answer.
    /// - Throws: `GatewayError`.
    public func send(_ call: GatewayCall) async throws(GatewayError) -> GatewayAnswer {
        var (left, hasRegistered) = (Self.repetitions, false)
        while true {
            var used: String?
            do throws(GatewayError) {
                try await payLogout(before: call)
                let token = try await token()
                used = token
                await tellChanges(before: call, token: token)
                return try await exchange(call, token: token)
            } catch {
                if case .refused(let refusal) = error, Self.unregistered.contains(refusal.code), !hasRegistered {
                    hasRegistered = true
                    try drop(used)
                    continue
                }
                guard left > 0, let pause = pause(after: error, of: call) else { throw error }
                left -= 1
                do { try await time.sleep(pause) } catch { throw .cancelled }
            }
        }
    }

    /// Registers the device unless it has a token.
    ///
    /// - Throws: `GatewayError`.
    public func register() async throws(GatewayError) {
        var left = Self.repetitions
        while true {
            do throws(GatewayError) {
                _ = try await token()
                return
            } catch {
                guard left > 0, let pause = pause(after: error, of: nil) else { throw error }
                left -= 1
                do { try await time.sleep(pause) } catch { throw .cancelled }
            }
        }
    }

    /// Signs the device out, erases what the gateway knows of it, and drops its token.
    ///
    /// - Throws: `GatewayError`.
    public func forget() async throws(GatewayError) {
        guard try state() != nil else { return }
        _ = try await send(.forgetDevice)
        try keep(nil)
    }

    /// How long to wait before a request is repeated.
    ///
    /// - Parameters:
    ///   - error: Why it failed.
    ///   - call: The request; `nil` for a registration, which may be repeated always.
    /// - Returns: The pause; `nil` if the request is not repeated.
    private func pause(after error: GatewayError, of call: GatewayCall?) -> Duration? {
        guard error.action == .retry else { return nil }
        let pause = error.retryAfter ?? .seconds(1)
        guard pause <= Self.patience else { return nil }
        return switch error {
        // A refusal says that nothing was begun, whatever the request was.
        case .refused, .unreadable(status: 429, _): pause
        case .transport(let failure) where failure.provesNothingSent: pause
        default: call?.isRepeatable ?? true ? pause : nil
        }
    }
}

extension URL {
    /// Whether a token may be sent to the address.
    fileprivate var isSafe: Bool {
        guard let host, !host.isEmpty, query == nil, fragment == nil, user == nil else { return false }
        switch scheme?.lowercased() {
        case "https": return true
        case "http": return ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
        default: return false
        }
    }
}
