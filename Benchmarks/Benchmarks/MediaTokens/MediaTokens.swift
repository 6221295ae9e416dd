// How long one verification takes. Run: cd Benchmarks && swift package benchmark

import Benchmark
import TVETesting
import TVETokens

let benchmarks: @Sendable () -> Void = {
    Benchmark(
        "Verify a media token, RSA 2048",
        configuration: .init(metrics: [.wallClock, .cpuTotal], scalingFactor: .kilo)
    ) { benchmark in
        let issuer = try TestMediaTokenIssuer()
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let issued = Timestamp(milliseconds: 1_768_498_200_000)
        let claims = TestTokenClaims(requestor: "REF30", resource: "TestChannel", issued: issued)
        let token = try issuer.issueText(claims)
        let expectations = TokenExpectations(requestor: "REF30", resource: "TestChannel")

        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            blackHole(try verifier.verify(token, expecting: expectations, at: issued))
        }
    }
}
