#if Client
import BrokerMessages
import BrokerSimulation
import ServiceResponses
import Testing

/// What clients get if libcrypto fails, which no request can bring about.
@Suite struct FailureTests {
    private func reply(of endpoint: BrokerEndpoint) -> Reply {
        Reply(refusing: Refusal.failure("libcrypto has no random numbers").inForm(of: endpoint.family))
    }

    private func text(_ reply: Reply) -> String { String(decoding: reply.body, as: UTF8.self) }

    /// RFC 7591 §3.2.2 and RFC 6749 §5.2 have bodies for what a client did wrong, with status 400.
    @Test(arguments: [BrokerEndpoint.register, .token])
    func `Registration answers 500 without an error object of version 2`(endpoint: BrokerEndpoint) {
        let reply = reply(of: endpoint)
        #expect(reply.status == 500)
        #expect(reply.fields["Content-Type"]?.hasPrefix("text/html") == true)
        #expect(!text(reply).contains("internal_server_error") && !text(reply).contains("libcrypto"))
    }

    @Test func `Calls of version 2 have its error object, and a browser gets a page`() {
        let answer = reply(of: .startSession)
        #expect(answer.status == 500 && answer.fields["Content-Type"]?.hasPrefix("application/json") == true)
        #expect(text(answer).contains(#""internal_server_error""#) && text(answer).contains("libcrypto"))
        let page = reply(of: .userAgent)
        #expect(page.status == 500 && page.fields["Content-Type"]?.hasPrefix("text/html") == true)
    }

    /// What a client did wrong keeps its form.
    @Test func `The errors of registration stay`() {
        let refusal = Refusal.registration(.invalidClient, "unknown")
        #expect(refusal.inForm(of: BrokerEndpoint.token.family) == refusal)
    }
}
#endif
