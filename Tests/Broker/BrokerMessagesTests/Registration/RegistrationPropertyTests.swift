import BrokerMessages
import EntitlementValues
import ServiceResponses
import Testing
import TestVectors

/// Times of any size; seeded, so that a failure can be repeated.
@Suite struct RegistrationPropertyTests {
    /// Numbers as far as they fit are read and written the same, plausible or not.
    @Test func `Times of any size survive`() throws {
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
