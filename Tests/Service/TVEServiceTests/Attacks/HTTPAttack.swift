#if Service
import Testing

/// What an attacker sends, and what may come of it.
struct HTTPAttack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The bytes of a connection; `TOKEN` stands for a token that nothing may use up.
    let text: String
    /// The statuses of all answers on the connection.
    let statuses: [Int]

    init(_ description: String, _ text: String, _ statuses: Int...) {
        (testDescription, self.text, self.statuses) = (description, text, statuses)
    }

    /// Sends the bytes until the service closes the connection, and compares the answers.
    ///
    /// - Parameter service: The service, in which the token must be good afterwards.
    /// - Throws: An error of the socket.
    func run(on service: RunningService) async throws {
        let token = try RunningService.token()
        let bytes = Array(text.replacing("TOKEN", with: token).utf8)
        let answers = Answer.all(in: try await RawConnection.exchange(service.publicPort, bytes))
        #expect(answers.map(\.status) == statuses)
        #expect(answers.allSatisfy { $0["X-TVE-Status"] != "VALID_TOKEN" })
        #expect(try await service.authorize(["X-Media-Token: \(token)"]).status == 200, "the token was used up")
    }
}

/// Attacks over HTTP, each over a socket: what proxies and servers read differently, what costs more to answer than to
/// send, and what keeps others out.
@Suite struct HTTPAttacks {}
#endif
