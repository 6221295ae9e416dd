#if Client
import BrokerClient
import EntitlementFlows
import EntitlementKeys
import MediaTokens
import MetadataDecryption
import SQLiteStores

// The code of the articles, so that the compiler sees it. `FlowArticleTests` compares it with the articles, byte by
// byte.

/// What the articles call the way to the device.
private protocol Screen: Sendable {
    func choose(among providers: [MVPD]) async -> MVPDID?
    func open(_ address: String) async -> String
    func show(_ text: String) async
    func ask(_ question: PartnerQuestion) async -> PartnerReply
    func startStream(_ resource: ResourceID, with token: PlaybackToken) async throws
    func send(_ callback: String) async
}

private enum Overview {
    static func start(broker: Broker, device: Device) async throws {
        // EntitlementFlows.md
        let application = EntitlementApplication(
            at: broker, domain: "example.org", redirect: "https://example.org/done")
        let session = EntitlementSession(of: device, for: application)
        try await session.setRequestor("REF30")
        switch try await session.checkAuthentication() {
        case .authenticated(let signIn): print("signed in with", signIn.mvpd)
        case .notAuthenticated, .unknown: print("next:", try await session.getAuthentication())
        }
        // end
    }
}

private struct Leaving {
    let screen: any Screen

    // LeavingTheSDK.md
    func makeApplication(simulatedAt address: String? = nil) async throws -> EntitlementApplication {
        let statement = try SoftwareStatement(contentsOfFile: "statement.jwt")
        let records = try await DeviceDirectory.open(SQLiteRecordStore(path: "devices.sqlite"), keys: "sealing.keys")
        let environment = try address.map { BrokerEnvironment(of: try BrokerOrigin(parsing: $0)) } ?? .production
        let broker = Broker(at: environment, application: Broker.Application(statement), records: records)
        var application = EntitlementApplication(
            at: broker, domain: "example.com", redirect: "https://example.com/done")
        application.verification = TokenVerification(
            by: MediaTokenVerifier(keys: try VerificationKeys(contentsOfFile: "issuer.pem")),
            redeemingIn: try SQLiteReplayStore(path: "used.sqlite"))
        application.decrypter = MetadataDecrypter(keys: try DecryptionKeys(contentsOfFile: "metadata.key"))
        return application
    }
    // end

    // LeavingTheSDK.md
    func play(_ resource: ResourceID, for device: Device, of application: EntitlementApplication) async throws {
        let session = EntitlementSession(of: device, for: application)
        if let question = try await session.setRequestor("REF30") {
            try await session.partnerReplied(await screen.ask(question))
        }
        var outcome = try await session.getAuthorization(resource)
        if case .needsAuthentication(let step, let pending) = outcome {
            try await signIn(session, beginningWith: step)
            outcome = try await pending.outcome()
        }
        switch outcome {
        case .permitted(let playback): try await screen.startStream(playback.resource, with: playback.token)
        case .denied(let denial): await screen.show(denial.message ?? "You may not watch this.")
        case .needsAuthentication: break
        }
    }

    func signIn(_ session: EntitlementSession, beginningWith first: AuthenticationStep) async throws {
        var step: AuthenticationStep? = first
        while let next = step {
            switch next {
            case .authenticated:
                return
            case .chooseProvider(let choice):
                step = try await session.setSelectedProvider(await screen.choose(among: choice.providers))
            case .openUserAgent(let visit):
                try await session.handleExternalURL(await screen.open(visit.url))
                _ = try await session.awaitAuthentication()
                return
            case .showCode(let code):
                await screen.show(code.code.text)
                _ = try await session.awaitAuthentication()
                return
            case .askPartner(let question):
                step = try await session.partnerReplied(await screen.ask(question))
            case .needsIdentity:
                step = try await session.setSelectedProvider(nil)
            }
        }
    }
    // end

    // LeavingTheSDK.md
    func forwardCallbacks(of session: EntitlementSession) async {
        for await event in session.events() {
            for callback in await session.callbacks(of: event) { await screen.send(callback.json) }
        }
    }
    // end
}
#endif
