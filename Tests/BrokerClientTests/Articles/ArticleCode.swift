#if Client
import BrokerClient
import EntitlementKeys
import Foundation
import MetadataDecryption

// The code of the articles, so that the compiler sees it. `ArticleTests` compares it with the articles, byte by byte.

/// What the article's code takes from the application around it.
private let softwareStatement = ""

private func choose(among providers: [MVPD]) async -> MVPD? { providers.first }

private func open(_ address: String) async {}

private enum Overview {
    static func start() async throws {
        // BrokerClient.md
        let statement = try SoftwareStatement(ProcessInfo.processInfo.environment["SOFTWARE_STATEMENT"] ?? "")
        let device = Device(
            key: "tv-1", identifier: try DeviceIdentifier(hashing: "tv-1"),
            info: try DeviceInfo([.model: "TV-1000", .osName: "Linux"]))
        let store = DeviceDirectory(in: InMemoryRecordStore(), sealer: .unsealed)
        let broker = Broker(at: .production, over: AsyncHTTPTransport.shared)
        let registration = ClientRegistration(with: broker, statement: statement, device: device, store: store)
        let caller = Caller(registration: registration, device: device, clientAddress: try ClientAddress("203.0.113.7"))
        let session = try await broker.startSession(
            .init(mvpd: "TestMVPD", domain: "example.org", redirect: "https://example.org/done"), requestor: "REF30",
            as: caller)
        if let address = try broker.address(of: session) {
            print("open", address)
        }
        // end
    }
}

private enum Introduction {
    static func decide(statement: SoftwareStatement, device: Device, store: DeviceDirectory) async throws {
        // README.md
        let broker = Broker(at: .production, over: AsyncHTTPTransport.shared)
        let registration = ClientRegistration(with: broker, statement: statement, device: device, store: store)
        let caller = Caller(registration: registration, device: device, clientAddress: try ClientAddress("203.0.113.7"))
        let decisions = try await broker.authorize(["REF30"], mvpd: "TestMVPD", requestor: "REF30", as: caller)
        // end
        print(decisions)
    }
}

struct Talking {
    // TalkingToTheBroker.md
    func makeBroker() -> Broker {
        Broker(at: .production, over: AsyncHTTPTransport.shared)
    }

    func makeDirectory(in records: any RecordStore) async throws -> DeviceDirectory {
        let keys = try SealingKeys(contentsOfFile: "/etc/tve/sealing.keys")
        let directory = DeviceDirectory(in: records, sealer: RecordSealer(keys))
        try await directory.checkKeys()
        return directory
    }
    // end

    // TalkingToTheBroker.md
    func makeRegistration(
        of key: DeviceKey, with broker: Broker, in directory: DeviceDirectory
    ) throws -> ClientRegistration {
        let device = Device(
            key: key, identifier: try DeviceIdentifier(hashing: key.rawValue),
            info: try DeviceInfo(json: #"{"model": "TV-1000", "version": "2", "osName": "Linux", "osVersion": "4.4"}"#))
        let statement = try SoftwareStatement(softwareStatement)
        return ClientRegistration(with: broker, statement: statement, device: device, store: directory)
    }
    // end

    // TalkingToTheBroker.md
    func signIn(to broker: Broker, as caller: Caller, lastProvider: MVPDID?) async throws {
        let known =
            if let lastProvider {
                try await broker.profile(mvpd: lastProvider, requestor: "REF30", as: caller)
            } else {
                try await broker.profiles(requestor: "REF30", as: caller)
            }
        guard known.profiles.isEmpty else { return }
        let configuration = try await broker.configuration(requestor: "REF30", as: caller)
        guard let mvpd = await choose(among: configuration.requestor.mvpds) else { return }
        let session = try await broker.startSession(
            .init(mvpd: mvpd.id, domain: "example.org", redirect: "https://example.org/done"), requestor: "REF30",
            as: caller)
        if let address = try broker.address(of: session) {
            await open(address)
        }
    }
    // end

    // TalkingToTheBroker.md
    func awaitProfile(
        of session: SessionResponse, at broker: Broker, as caller: Caller, askingEvery interval: Duration = .seconds(5)
    ) async throws -> Profile? {
        guard let code = session.code, let end = session.notAfter else { return nil }
        while Timestamp.now < end {
            var wait = interval
            do throws(BrokerError) {
                let answer = try await broker.profile(code: code, requestor: "REF30", as: caller, priority: .polling)
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
    func makeDecrypter() throws -> MetadataDecrypter {
        MetadataDecrypter(keys: try DecryptionKeys(contentsOfFile: "/etc/tve/metadata.key"))
    }

    func zipCodes(
        of mvpd: MVPDID, at broker: Broker, as caller: Caller, with decrypter: MetadataDecrypter
    ) async throws -> [String] {
        let answer = try await broker.profile(mvpd: mvpd, requestor: "REF30", as: caller)
        return try answer.decrypted(with: decrypter).profiles.first?.attributes.zip ?? []
    }
    // end

    // TalkingToTheBroker.md
    func play(_ resource: ResourceID, at broker: Broker, as caller: Caller) async throws -> String? {
        let answer = try await broker.authorize([resource], mvpd: "TestMVPD", requestor: "REF30", as: caller)
        guard let decision = answer[resource], decision.isAuthorized else { return nil }
        return decision.token?.serializedToken
    }
    // end

    // TalkingToTheBroker.md
    func makeStagingBroker(withResetsAt origin: String) throws -> Broker {
        let environment = BrokerEnvironment(
            api: BrokerEnvironment.staging.api, management: try BrokerOrigin(parsing: origin))
        return Broker(at: environment, over: AsyncHTTPTransport.shared)
    }

    func beginAnew(_ device: DeviceIdentifier, at broker: Broker, as caller: Caller) async throws {
        try await broker.resetTemporaryAccess(.device(device.text), mvpd: "TempPass", requestor: "REF30", as: caller)
    }
    // end

    // TalkingToTheBroker.md
    func caller(
        of registration: ClientRegistration, from address: String, port: UInt16
    ) throws -> Caller {
        let client = try ClientAddress(address)
        let known = registration.device
        let device = Device(
            key: known.key, identifier: known.identifier, info: try known.info.connected(from: client, port: port))
        return Caller(registration: registration, device: device, clientAddress: client)
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
