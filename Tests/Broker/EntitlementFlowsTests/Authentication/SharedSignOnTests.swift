#if Client
import BrokerClient
import BrokerMessages
import BrokerSimulation
import DeviceRecords
import EntitlementFlows
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import RequestorSigning
import ServiceResponses
import TVETesting
import Testing

/// Devices that hand over the same token share a sign-in.
@Suite("Single sign-on by the token of an identity service, or of the platform")
struct SharedSignOnTests {
    enum Kind: Sendable, CaseIterable {
        case service, platform

        var header: String { self == .service ? "AD-Service-Token" : "Adobe-Subject-Token" }
        var profileType: ProfileType { self == .service ? .serviceTokenSSO : .platformSSO }
    }

    /// A broker that trusts an identity service, and a token of it.
    private static func bench() throws -> (bench: FlowBench, token: String) {
        let key = try SigningKey.generated(named: "service")
        var world = SimulatedWorld.sample
        world.requestors[0].serviceTokenKeys = [key.publicKeyPEM]
        let bench = try FlowBench([world])
        let claims = ServiceTokenClaims(issuer: "id.example", subject: "home", audience: ["adobe"], lifetime: .hours(1))
        return (bench, try ServiceTokenSigner(key: key, keyID: "1").sign(claims, at: bench.time.now))
    }

    /// The session of a device with an address of its own, by which requests are counted.
    private static func session(
        _ number: Int,
        of bench: FlowBench,
        _ kind: Kind? = nil,
        token: String = ""
    ) async throws -> EntitlementSession {
        var options = SessionOptions()
        options.clientAddress = try ClientAddress("192.0.2.\(number)")
        switch kind {
        case .service: options.serviceToken = try ServiceToken(token)
        case .platform: options.platformToken = try .subject(token)
        case nil: break
        }
        return try await bench.session(key: DeviceKey("device \(number)"), options: options)
    }

    @Test(arguments: Kind.allCases)
    func `A user who has signed in on one device is signed in on another one by the token`(kind: Kind) async throws {
        let (bench, token) = try Self.bench()
        let one = try await Self.session(1, of: bench, kind, token: token)
        try await bench.signIn(one)
        let two = try await Self.session(2, of: bench, kind, token: token)
        #expect(try await two.checkAuthentication(.localOnly) == .unknown)
        let log = EventLog(of: two)
        guard case .authenticated(let signIn) = try await two.synchronize().status else {
            Issue.record("not signed in")
            return
        }
        #expect(signIn.mvpd == "SampleCable")
        #expect(await log.names() == ["authenticated", "tracking of authentication"])
        #expect(bench.requests() == [.profiles])
        #expect(try await two.profile(.localOnly)?.type == kind.profileType)
        #expect(try await one.profile(.localOnly)?.type == .regular)
        #expect(try await two.checkAuthorization("news").playback != nil)

        let name = try #require(HTTPField.Name(kind.header))
        for endpoint in ["/sessions", "/profiles", "/decisions/authorize/"] {
            let request = try #require(bench.transport.requests.last { $0.path?.contains(endpoint) == true })
            #expect(request.headerFields[name] == token, "\(endpoint)")
        }
        let stranger = try await Self.session(3, of: bench)
        #expect(try await stranger.synchronize().status == .notAuthenticated)
    }

    @Test(arguments: Kind.allCases)
    func `A logout with the token ends the sign-in on all devices`(kind: Kind) async throws {
        let (bench, token) = try Self.bench()
        let one = try await Self.session(1, of: bench, kind, token: token)
        try await bench.signIn(one)
        let two = try await Self.session(2, of: bench, kind, token: token)
        _ = try await two.synchronize()
        bench.forgetRequests()
        #expect(try await two.logout(.all).unconfirmed.isEmpty)
        #expect(bench.requests() == [.logout])
        for session in [one, two] {
            #expect(try await session.checkAuthentication(.broker) == .notAuthenticated)
        }
    }
}
#endif
