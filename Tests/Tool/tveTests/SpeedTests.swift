import Foundation
import TestVectors
import Testing

/// Tests check that everything is measured and how it is reported, not the figures.
@Suite struct SpeedTests {
    @Test(arguments: [("verify", "usual_us"), ("decrypt", "repeat_us")])
    func `Results are JSON`(_ operation: String, _ other: String) async throws {
        let outcome = try await Tool.run([
            "speed", operation, "--bits", "1024", "--bits", "2048", "--seconds", "0.01", "--output", "json",
        ])
        #expect(outcome.exitCode == 0, "\(outcome.error)")
        let results = try #require(outcome.object["results"] as? [[String: Any]])
        #expect(results.map { $0["bits"] as? Int } == [1024, 2048])
        for result in results {
            #expect(result["operation"] as? String == operation)
            let names = ["ours_us", "ours_us_p10", "ours_us_p90", "floor_us", other]
            #expect(Set(result.keys) == Set(names + ["operation", "bits", "ratio"]))
            let times = names.compactMap { result[$0] as? Double }
            #expect(times.count == names.count && times.allSatisfy { $0 > 0 })
            #expect(times[1] <= times[0] && times[0] <= times[2])
            let ratio = try #require(result["ratio"] as? Double)
            #expect(abs(ratio - times[0] / times[3]) < 0.01)
        }
    }

    /// A look-up is quicker than RSA, unless another process takes the processor in one of the few rounds.
    @Test(.enabled(if: DeepRun.isAsked, "compares times"))
    func `How much quicker remembered values are`() async throws {
        let outcome = try await Tool.run([
            "speed", "decrypt", "--bits", "2048", "--seconds", "0.01", "--output", "json",
        ])
        let result = try #require((outcome.object["results"] as? [[String: Any]])?.first)
        let ours = try #require(result["ours_us"] as? Double)
        let repeated = try #require(result["repeat_us"] as? Double)
        DeepRun.note("a remembered value ÷ a decryption", repeated / ours, "times")
    }

    @Test(arguments: [("verify", "usual µs"), ("decrypt", "repeat µs")])
    func `A key of one's own is measured`(_ operation: String, _ heading: String) async throws {
        let outcome = try await Tool.run(["speed", operation, "--key", Tool.privateKey, "--seconds", "0.01"])
        #expect(outcome.exitCode == 0, "\(outcome.error)")
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.first?.contains(heading) == true)
        #expect(outcome.lines.last?.hasPrefix("\(operation) ") == true)
        #expect(outcome.lines.last?.contains(" 2048 ") == true)
        #expect(outcome.lines.first?.count == outcome.lines.last?.count)
    }

    @Test(arguments: ["verify", "decrypt"])
    func `Wrong words are refused`(_ operation: String) async throws {
        let small = Vectors.key("test-only-issuer-1024.pkcs8.pem")
        for (words, code) in [
            (["--bits", "2047"], 64), (["--seconds", "0"], 64), (["--key", Tool.privateKey, "--bits", "2048"], 64),
            (["--key", "no-such-file"], 66), (["--key", Tool.publicKey], 78), (["--key", small], 78),
        ] {
            let outcome = try await Tool.run(["speed", operation, "--seconds", "0.01"] + words)
            #expect(outcome.exitCode == code, "\(words): \(outcome.error)")
            #expect(outcome.bytes.isEmpty)
        }
        let admitted = try await Tool.run([
            "speed", operation, "--key", small, "--allow-weak-keys", "--seconds", "0.01",
        ])
        #expect(admitted.exitCode == 0, "\(admitted.error)")
    }

    @Test(arguments: ["verify", "decrypt"])
    func `Help has examples`(_ operation: String) async throws {
        let outcome = try await Tool.run(["speed", operation, "--help"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.contains("  tve speed \(operation) --key programmer.key --seconds 10"))
    }
}
