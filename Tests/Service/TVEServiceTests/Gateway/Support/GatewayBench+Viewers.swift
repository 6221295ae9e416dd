#if Service
import Synchronization
import BrokerSimulation
import EntitlementValues
import Testing

extension GatewayBench {
    /// Registers a device, and signs its user in.
    ///
    /// The broker's requests of it are forgotten, so that tests count their own.
    ///
    /// - Parameters:
    ///   - user: The user's name in the simulated world.
    ///   - mvpd: The provider.
    ///   - app: The app.
    /// - Returns: The device token.
    /// - Throws: An error of the connection.
    func signedIn(_ user: String = "ok", with mvpd: String = "SampleCable", app: String = "tv") async throws -> String {
        let token = try await register(app, #","visitorId":"visitor-7""#)
        try await signIn(token, mvpd: mvpd, as: user)
        simulator.clearJournal()
        return token
    }

    /// Asks for a play.
    func play(
        _ resource: String = "TestChannel",
        _ more: String = "",
        token: String,
        target: String = "/v1/plays",
        fields: [String] = []
    ) async throws -> Answer {
        try await ask("POST", target, #"{"resource":"\#(resource)"\#(more)}"#, token: token, fields: fields)
    }

    /// Lets something go wrong at the broker.
    func activate(_ scenario: Scenario, at endpoint: BrokerEndpoint, times: Int? = nil) {
        simulator.activate(ActiveScenario("test", scenario, endpoints: [endpoint], remaining: times))
    }
}
#endif
