#if Service
import TVEService
import BrokerSimulation
import EntitlementValues
import Foundation
import Testing

/// Two replicas of a gateway, which share a store and a broker.
struct GatewayReplicas: Sendable {
    let first: GatewayBench
    let second: GatewayBench
}

extension GatewayBench {
    /// Where the app `tv` is called after a return.
    static let returnTo = "myapp://done"

    /// Runs a gateway whose requests come from many addresses, as long as `body` runs.
    static func spread<Found: Sendable>(
        _ changes: [String: String] = [:],
        world: SimulatedWorld = .sample,
        time: ShiftedTime = ShiftedTime(),
        _ body: @Sendable (GatewayBench) async throws -> Found
    ) async throws -> Found {
        try await with(
            ["broker.clientAddressHeader": "X-Test-Address"].merging(changes) { $1 }, world: world, time: time, body)
    }

    /// Runs two replicas as long as `body` runs.
    static func withReplicas<Found: Sendable>(
        _ changes: [String: String] = [:],
        time: ShiftedTime = ShiftedTime(),
        _ body: @Sendable (GatewayReplicas) async throws -> Found
    ) async throws -> Found {
        try await spread(changes, time: time) { first in
            let more = ["broker.clientAddressHeader": "X-Test-Address"].merging(changes) { $1 }
            let settings = try settings(in: first.folder, of: first.simulator).merging(more) { $1 }
            return try await RunningService.with(
                settings, time: time.source, transport: first.sent, devices: first.store
            ) { service in
                try await body(GatewayReplicas(first: first, second: first.at(service)))
            }
        }
    }

    // MARK: Sign-ins

    /// Begins a sign-in on a first screen, whatever the device says of itself.
    ///
    /// - Returns: The address of the provider's login.
    func begin(_ token: String, mvpd: String = "SampleCable", returnTo: String = returnTo) async throws -> String {
        let answer = try await ask(
            "POST", "/v1/authentication", #"{"mvpd":"\#(mvpd)","returnTo":"\#(returnTo)","secondScreen":false}"#,
            token: token)
        #expect(answer.status == 200 && answer.code == "open", "\(answer.text)")
        #expect(answer.object["purpose"] as? String == "login")
        return try #require(answer.object["url"] as? String)
    }

    /// A user signs in at the provider.
    ///
    /// - Parameters:
    ///   - address: The address of the login.
    ///   - user: Who.
    /// - Returns: Where the browser is sent then.
    /// - Throws: What the simulated broker refuses.
    func logIn(at address: String, as user: String = "ok") throws -> String {
        try simulator.logIn(code: try code(of: address), as: user)
    }

    /// The code of a sign-in, which stands at the end of the address of the provider's login.
    func code(of address: String) throws -> String { try #require(address.split(separator: "/").last.map(String.init)) }

    /// Signs a device in on a first screen, from the beginning to the proof.
    func signIn(_ token: String, mvpd: String = "SampleCable", as user: String = "ok") async throws {
        let back = try logIn(at: try await begin(token, mvpd: mvpd), as: user)
        let answer = try await Browser(of: self).open(back)
        let proved = try await prove(token, try code(handedOverBy: answer))
        #expect(proved.status == 200 && proved.code == "authenticated", "\(proved.text)")
    }

    /// The one-time code that an answer hands over to the app.
    func code(handedOverBy answer: Answer) throws -> String {
        #expect(answer.status == 303, "\(answer.text)")
        let location = try #require(answer["Location"])
        #expect(location.hasPrefix(Self.returnTo))
        return String(try #require(location.split(separator: "returned=", maxSplits: 1).last))
    }

    /// Hands a one-time code in.
    func prove(_ token: String, _ code: String) async throws -> Answer {
        try await ask("PUT", "/v1/authentication", #"{"returned":"\#(code)"}"#, token: token)
    }

    /// How far a device is.
    func status(_ token: String, wait: Int = 0) async throws -> Answer {
        try await ask("GET", "/v1/authentication\(wait == 0 ? "" : "?wait=\(wait)")", token: token)
    }

    // MARK: What an attacker sees

    /// Checks that nothing of a user's subscription is seen or used with a device.
    func expectNothing(with token: String, _ comment: Comment, at location: SourceLocation = #_sourceLocation)
        async throws
    {
        let status = try await status(token)
        #expect(status.code != "authenticated", comment, sourceLocation: location)
        for target in ["/v1/profile", "/v1/profile?refresh=1"] {
            let profile = try await ask("GET", target, token: token)
            #expect(profile.status == 401, "\(comment): \(target) \(profile.text)", sourceLocation: location)
        }
        let play = try await ask("POST", "/v1/plays", #"{"resource":"TestChannel"}"#, token: token)
        #expect(play.status == 401, "\(comment): \(play.text)", sourceLocation: location)
        let ahead = try await ask("POST", "/v1/preauthorizations", #"{"resources":["TestChannel"]}"#, token: token)
        #expect(ahead.status == 401, "\(comment): \(ahead.text)", sourceLocation: location)
    }

    /// Checks that a device has its user's profile, at the broker as well.
    func expectSignedIn(_ token: String, at location: SourceLocation = #_sourceLocation) async throws {
        #expect(try await status(token).code == "authenticated", sourceLocation: location)
        let profile = try await ask("GET", "/v1/profile?refresh=1", token: token)
        #expect(profile.status == 200, "\(profile.text)", sourceLocation: location)
    }

    /// How many profiles the broker has, of all devices.
    var profileCount: Int {
        let kept = (try? JSONSerialization.jsonObject(with: Data(simulator.snapshot))) as? [String: Any]
        return (kept?["profiles"] as? [Any])?.count ?? 0
    }
}
#endif
