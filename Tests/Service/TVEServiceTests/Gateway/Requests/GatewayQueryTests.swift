#if Service
import Testing

/// The queries of requests to the gateway.
@Suite struct GatewayQueryTests {
    @Test func `What stands twice in a query is refused, whatever it is`() async throws {
        try await GatewayBench.with { bench in
            let token = try await bench.register()
            for (path, name) in [
                ("/v1/authentication", "wait"), ("/v1/profile", "refresh"), ("/v1/profile", "events"),
                ("/activate", "code"),
            ] {
                for values in [("1", "1"), ("0", "1"), ("", "")] {
                    let target = "\(path)?\(name)=\(values.0)&x=y&\(name)=\(values.1)"
                    let answer = try await bench.ask("GET", target, token: token)
                    #expect(answer.status == 400 && answer.code == "bad_request", "\(target)")
                    #expect(answer.text.contains("\(name) is in the query more than once"), "\(target)")
                }
            }
        }
    }
}
#endif
