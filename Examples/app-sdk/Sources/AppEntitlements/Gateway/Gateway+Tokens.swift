import Foundation

extension Gateway {
    /// What is known of the device; `nil` if it is not registered.
    func state() throws(GatewayError) -> DeviceState? {
        if wasLoaded { return known }
        let bytes: Data?
        do { bytes = try store.load(for: app) } catch { throw .storage }
        let found = bytes.flatMap { try? JSONDecoder().decode(DeviceState.self, from: $0) }
        // Another gateway would not take the token, and should not see it.
        known = found?.gateway == address.absoluteString ? found : nil
        wasLoaded = true
        return known
    }

    func keep(_ state: DeviceState?) throws(GatewayError) {
        (known, wasLoaded) = (state, true)
        do {
            try store.save(try state.map { try JSONEncoder().encode($0) }, for: app)
        } catch {
            throw .storage
        }
    }

    /// Drops a token that the gateway does not know anymore, unless another request has put a new one in its place.
    func drop(_ token: String?) throws(GatewayError) {
        guard let token, let state = try state(), state.token == token else { return }
        lastProvider = state.provider?.id ?? lastProvider
        try keep(nil)
    }

    /// The token to send; the device registers if it has none, and renews one that ends soon.
    func token() async throws(GatewayError) -> String {
        guard let state = try state() else { return try await shared { await $0.registered() } }
        let now = time.now()
        guard state.expires - now < Self.renewal, now >= nextRenewal else { return state.token }
        nextRenewal = now + Self.renewalPause
        // The request itself will say what is wrong with the token, so a renewal that fails holds nothing up.
        return (try? await shared { await $0.renewed(state.token) }) ?? state.token
    }

    /// Runs a registration or a renewal once for all requests that wait for it.
    ///
    /// It goes on if one of them is cancelled.
    private func shared(
        _ job: @escaping @Sendable (Gateway) async -> Result<String, GatewayError>
    ) async throws(GatewayError) -> String {
        let task = registration ?? Task { await job(self) }
        registration = task
        let result = await task.value
        if registration == task { registration = nil }
        return try result.get()
    }

    private func registered() async -> Result<String, GatewayError> {
        do throws(GatewayError) {
            let told = device.digest(with: visitorID)
            let call = GatewayCall.register(app, device, lastProvider: lastProvider, visitorID: visitorID)
            return .success(try adopt(try await exchange(call, token: nil), telling: told))
        } catch {
            return .failure(error)
        }
    }

    private func renewed(_ token: String) async -> Result<String, GatewayError> {
        do throws(GatewayError) {
            return .success(try adopt(try await exchange(.renewToken, token: token)))
        } catch {
            return .failure(error)
        }
    }

    /// Keeps the token of an answer, and the digest of what the request for it told of the device.
    private func adopt(_ answer: GatewayAnswer, telling told: String? = nil) throws(GatewayError) -> String {
        guard let token = answer[text: "deviceToken"], !token.isEmpty, let expires = answer[instant: "expires"] else {
            throw .unreadable(status: 200, retryAfter: nil)
        }
        var state = try self.state() ?? DeviceState(gateway: address.absoluteString, token: token, expires: expires)
        (state.token, state.expires, state.told) = (token, expires, told ?? state.told)
        try keep(state)
        return token
    }

    // MARK: What outlives a start of the app

    /// The provider that the viewer chose last.
    func lastChosen() -> MVPD? { (try? state())?.provider }

    /// Remembers the provider that the viewer has chosen.
    func remember(_ provider: MVPD?) throws(GatewayError) {
        guard var state = try state(), state.provider != provider else { return }
        state.provider = provider
        try keep(state)
    }

    /// What was known of the viewer last; `nil` if nothing was.
    func lastViewer() -> Viewer? { (try? state())?.viewer }

    /// Keeps what is known of the viewer.
    func remember(viewer: Viewer?) throws(GatewayError) {
        guard var state = try state(), state.viewer != viewer else { return }
        state.viewer = viewer
        try keep(state)
    }

    /// Whether the viewer has logged out, and the gateway does not know it yet.
    func owesLogout() -> Bool { (try? state())?.owesLogout ?? false }

    /// Marks that the viewer has logged out, or that the gateway knows it.
    func owe(_ owes: Bool) throws(GatewayError) {
        guard var state = try state(), state.owesLogout != owes else { return }
        state.owesLogout = owes
        try keep(state)
    }

    /// Tells a logout that could not be told, so that it does not undo itself.
    func payLogout(before call: GatewayCall) async throws(GatewayError) {
        guard try state()?.owesLogout == true, let token = try state()?.token, call.path != "/v1/logout" else { return }
        _ = try await exchange(.logout(), token: token)
        try owe(false)
    }

    // MARK: What the device says of itself

    /// Changes what the device says of itself, at once if it is registered.
    func change(device: DeviceDescription?, visitorID: String?) async throws(GatewayError) {
        self.device = device ?? self.device
        self.visitorID = visitorID ?? self.visitorID
        nextTelling = .min
        guard try state() != nil else { return }
        await tellChanges(token: try await token())
    }

    /// Tells the gateway what the device says of itself, unless it was told the same last, also by an earlier start.
    ///
    /// If that fails it holds no request up, and the next one tells it.
    func tellChanges(before call: GatewayCall? = nil, token: String) async {
        guard call?.path.hasPrefix("/v1/devices") != true, time.now() >= nextTelling, let state = try? state(),
            state.told != device.digest(with: visitorID)
        else { return }
        let task = telling ?? Task { await tellAll(token: token) }
        telling = task
        await task.value
        if telling == task { telling = nil }
    }

    private func tellAll(token: String) async {
        let told = device.digest(with: visitorID)
        do throws(GatewayError) {
            _ = try await exchange(.change(device: device, visitorID: visitorID), token: token)
            guard var state = try state() else { return }
            state.told = told
            try keep(state)
        } catch {
            // What is refused now would be refused again; and without a connection, each request would wait twice.
            if case .transport = error {
                nextTelling = time.now() + 60_000
            } else if error.action != .retry {
                nextTelling = time.now() + Self.renewalPause
            }
        }
    }
}
