// How long one verification takes. Run: cd Benchmarks && swift package benchmark

import Benchmark
import TVETesting
import TVETokens

let benchmarks: @Sendable () -> Void = {
    Benchmark(
        "Verify a media token, RSA 2048",
        configuration: .init(metrics: [.wallClock, .cpuTotal], scalingFactor: .kilo, maxDuration: .seconds(3))
    ) { benchmark in
        let request = try request.get()
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            blackHole(try request.verifier.verify(request.token, expecting: request.expectations, at: request.now))
        }
    }
}

/// What is verified, made once in the warm-up: a new key takes longer than all verifications of a sample.
private let request = Result { try Request() }

private struct Request {
    let now = Timestamp(milliseconds: 1_768_498_200_000)
    let expectations = TokenExpectations(requestor: "REF30", resource: "TestChannel")
    let verifier: MediaTokenVerifier
    let token: String

    init() throws {
        let issuer = try TestMediaTokenIssuer()
        verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        token = try issuer.issueText(TestTokenClaims(requestor: "REF30", resource: "TestChannel", issued: now))
    }
}
