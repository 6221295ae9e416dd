import BrokerMessages
import EntitlementValues
import ServiceResponses
import Testing
import TestVectors

/// What is written is read back the same, for random values; seeded, so that a failure can be repeated.
@Suite struct RegistrationPropertyTests {
    @Test(arguments: 0..<8)
    func whatIsWrittenIsReadBackTheSame(_ seed: UInt64) throws {
        var random = Noise(seed: seed)
        func list(_ random: inout Noise) -> [String] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in random.text(upTo: 12) }
        }
        let last = Timestamp(milliseconds: 253_402_300_799_000)
        for _ in 0..<500 {
            let seconds = Int64.random(in: 100_000_000...253_402_300_799, using: &random)
            let unknown = [JSONField(name: "x-" + random.text(upTo: 5), value: JSONText(string: random.text(upTo: 20)))]
            let credentials = ClientCredentials(
                clientID: random.text(upTo: 20, from: 1), clientSecret: random.text(upTo: 40, from: 1),
                issuedAt: random.maybe { _ in Timestamp(milliseconds: seconds * 1000) }, redirectURIs: list(&random),
                grantTypes: list(&random).map { GrantType($0) }, scopes: list(&random).map { AccessScope($0) },
                unknownFields: unknown)
            try expectSame(credentials)
            let token = AccessToken(
                try BearerToken(random.text(of: urlSafeCharacters + ".~+/", count: 1...300)),
                id: random.maybe { $0.text(upTo: 20) },
                createdAt: min(Timestamp(milliseconds: seconds * 1000 + 7), last),
                lifetime: .seconds(Int64.random(in: 0...2_678_400, using: &random)),
                type: random.maybe { $0.text(upTo: 8) }, unknownFields: unknown)
            try expectSame(token)
            let error = RegistrationError(
                RegistrationErrorCode(random.text(upTo: 20, from: 1)),
                errorDescription: random.maybe { $0.text(upTo: 50) },
                errorURI: random.maybe { $0.text(upTo: 20) },
                unknownFields: unknown)
            try expectSame(error)
        }
    }

    /// Numbers as far as they fit are read and written the same, plausible or not.
    @Test func timesOfAnySizeSurvive() throws {
        var random = Noise(seed: 7591)
        for _ in 0..<2000 {
            let number = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random)
            let body = #"{"client_id":"a","client_secret":"b","client_id_issued_at":\#(number)}"#
            guard let credentials = try? ClientCredentials(parsing: body) else {
                #expect(number.multipliedReportingOverflow(by: 1000).overflow)
                continue
            }
            try expectSame(credentials)
        }
    }

    /// Only failures are recorded: `#expect` would take most of the time.
    private func expectSame<Response: EncodableResponse & Equatable>(_ response: Response) throws {
        let written = response.encoded()
        guard try Response(parsing: written) == response else {
            Issue.record("read as something else: \(String(decoding: written, as: UTF8.self))")
            return
        }
    }
}
