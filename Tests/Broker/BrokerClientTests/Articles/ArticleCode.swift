#if Client
import BrokerClient
import EntitlementKeys
import Foundation
import MetadataDecryption
import SQLiteStores

// The code of the articles, so that the compiler sees it. `ArticleTests` compares it with the articles, byte by byte.

/// What the article's code takes from the application around it.
private let softwareStatement = ""

private func choose(among providers: [MVPD]) async -> MVPD? { providers.first }

private func open(_ address: String) async {}

private enum Overview {
    static func start(statement: SoftwareStatement) async throws {
        // BrokerClient.md
        let device = Device(
            key: "tv-1", identifier: try DeviceIdentifier(hashing: "tv-1"),
            info: try DeviceInfo([.model: "TV-1000", .osName: "Linux"]))
        let records = DeviceDirectory(in: InMemoryRecordStore(), sealer: .unsealed)
        let broker = Broker(at: .production, application: Broker.Application(statement), records: records)
        let caller = try broker.caller(device, from: "203.0.113.7")
        let session = try await caller.startSession(
            .init(mvpd: "TestMVPD", domain: "example.org", redirect: "https://example.org/done"), requestor: "REF30")
        if let address = try broker.address(of: session) {
            print("open", address)
        }
        // end
    }
}

struct Talking {
    // TalkingToTheBroker.md
    func firstDecision() async throws -> Bool {
        let statement = try SoftwareStatement(softwareStatement)
        let device = Device(
            key: "tv-1", identifier: try DeviceIdentifier(hashing: "tv-1"),
            info: try DeviceInfo(json: #"{"model": "TV-1000", "version": "2", "osName": "Linux", "osVersion": "4.4"}"#))

        let records = try await DeviceDirectory.open(SQLiteRecordStore(path: "devices.sqlite"), keys: "sealing.keys")
        let broker = Broker(at: .production, application: Broker.Application(statement), records: records)
        let caller = try broker.caller(device, from: "203.0.113.7")
        let decisions = try await caller.authorize(["news"], mvpd: "TestMVPD", requestor: "REF30")
        return decisions["news"]?.isAuthorized == true
    }
    // end

    // TalkingToTheBroker.md
    func makeKeys() throws {
        try SealingKeys.generate(id: "2026-11").write(to: "sealing.keys")
    }
    // end

    // TalkingToTheBroker.md
    func signIn(by caller: Caller, lastProvider: MVPDID?) async throws {
        let known =
            if let lastProvider {
                try await caller.profile(mvpd: lastProvider, requestor: "REF30")
            } else {
                try await caller.profiles(requestor: "REF30")
            }
        guard known.profiles.isEmpty else { return }
        let configuration = try await caller.configuration(requestor: "REF30")
        guard let mvpd = await choose(among: configuration.requestor.mvpds) else { return }
        let session = try await caller.startSession(
            .init(mvpd: mvpd.id, domain: "example.org", redirect: "https://example.org/done"), requestor: "REF30")
        if let address = try caller.broker.address(of: session) {
            await open(address)
        }
    }
    // end

    // TalkingToTheBroker.md
    func awaitProfile(
        of session: SessionResponse, by caller: Caller, askingEvery interval: Duration = .seconds(5)
    ) async throws -> Profile? {
        guard let code = session.code, let end = session.notAfter else { return nil }
        while Timestamp.now < end {
            var wait = interval
            do throws(BrokerError) {
                let answer = try await caller.profile(code: code, requestor: "REF30", priority: .polling)
                if let profile = answer.profiles.first { return profile }
            } catch {
                switch error {
                case .throttled(let retryAfter), .unavailable(_, let retryAfter):
                    wait = max(wait, retryAfter ?? .zero)
                case .pollSkipped, .transport, .unreadable:
                    // Other calls of this client address go first, or the broker fails. The next poll asks again.
                    break
                case .refused(_, let status) where status >= 500: break
                default: throw error
                }
            }
            try await Task.sleep(for: wait)
        }
        return nil
    }
    // end

    // TalkingToTheBroker.md
    func firstAccepted(
        of brokers: [Broker], for device: Device, from address: String
    ) async throws -> Caller? {
        for broker in brokers {
            let caller = try broker.caller(device, from: address)
            do throws(BrokerError) {
                _ = try await caller.register()
                return caller
            } catch {
                guard case .registration(let refusal) = error, refusal.decision == .replaceStatement else {
                    throw error
                }
            }
        }
        return nil
    }
    // end

    // TalkingToTheBroker.md
    func makeDecrypter() throws -> MetadataDecrypter {
        MetadataDecrypter(keys: try DecryptionKeys(contentsOfFile: "/etc/tve/secrets/metadata.key"))
    }

    func zipCodes(of mvpd: MVPDID, by caller: Caller, with decrypter: MetadataDecrypter) async throws -> [String] {
        let answer = try await caller.profile(mvpd: mvpd, requestor: "REF30")
        return try answer.decrypted(with: decrypter).profiles.first?.attributes.zip ?? []
    }
    // end

    // TalkingToTheBroker.md
    func play(_ resource: ResourceID, by caller: Caller) async throws -> String? {
        let answer = try await caller.authorize([resource], mvpd: "TestMVPD", requestor: "REF30")
        guard let decision = answer[resource], decision.isAuthorized else { return nil }
        return decision.token?.serializedToken
    }
    // end

    // TalkingToTheBroker.md
    func makeBroker(
        registering app: SoftwareStatement, resettingWith management: SoftwareStatement, in records: DeviceDirectory
    ) -> Broker {
        var settings = BrokerSettings()
        settings.management = management
        return Broker(at: .staging, application: Broker.Application(app), records: records, settings: settings)
    }

    func beginAnew(_ device: DeviceIdentifier, by caller: Caller) async throws {
        try await caller.resetTemporaryAccess(.device(device.text), mvpd: "TempPass", requestor: "REF30")
    }
    // end

    // TalkingToTheBroker.md
    func caller(
        for known: Device, at broker: Broker, from address: String, port: UInt16, userAgent: String?
    ) throws -> Caller {
        let info = try known.info.connected(from: try ClientAddress(address), port: port)
        let program = userAgent.flatMap { try? UserAgent(headerValue: $0) }
        let device = Device(key: known.key, identifier: known.identifier, info: info, userAgent: program)
        return try broker.caller(device, from: address)
    }
    // end

    // TalkingToTheBroker.md
    func makeTransport() throws -> AsyncHTTPTransport {
        var settings = AsyncHTTPTransport.Settings()
        settings.proxy = try HTTPProxy.ofEnvironment()
        return try AsyncHTTPTransport(settings)
    }
    // end

    // TalkingToTheBroker.md
    func reaction(to error: BrokerError) -> String {
        switch error {
        case .throttled(let wait): "try again in \(wait ?? .seconds(1))"
        case .refused(let refusal, _): refusal.action == .authentication ? "sign in" : "tell the user"
        case .registration(let refusal): "ask the operator of this server: \(refusal.decision)"
        case .request: "a defect of this server"
        default: "try again later"
        }
    }
    // end
}

/// What the tests of an application make, which sees only what is public.
enum OfAnApplication {
    static let errors: [BrokerError] = [
        .registration(RegistrationRefusal(step: .accessToken, decision: .registerAnew, status: 400)),
        .unreadable(UnreadableAnswer(status: 200, contentType: "text/html")),
    ]
}
#endif
