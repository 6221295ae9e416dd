#if Service
    import Foundation
    import TestVectors
    import Testing

    /// `tve serve` as those who run it see it: its signals, its log, and what it exits with.
    @Suite struct ProcessTests {
        @Test func aReaderOfTheLogWhoStandsStillHoldsNobodyUp() async throws {
            let log = Pipe()
            let process = try await ServeProcess(["log.level": "info"], standardError: log)
            let one = request("GET", "/v1/authz", ["X-Original-URI: /live/1", "X-Media-Token: x"], closes: false)
            let last = request("GET", "/v1/authz", ["X-Original-URI: /live/1", "X-Media-Token: x"])
            // A line is logged for each: more than the pipe and the queue take.
            for _ in 0..<20 {
                let octets = try await RawConnection.exchange(
                    process.publicPort, [UInt8](repeatElement(one, count: 299).joined()) + last)
                #expect(Answer.all(in: octets).count == 300)
            }
            async let text = Self.text(of: log)
            process.kill(SIGTERM)
            let lines = try await text.split(separator: "\n")
            #expect(lines.count { $0.contains("refused") } > 4000)
            #expect(lines.contains { $0.contains("lines were dropped") })
            #expect(process.exitCode() == 0)
        }

        /// All that was written to a pipe; the process must end, or be about to.
        private static func text(of pipe: Pipe) async throws -> String {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
                        })
                }
            }
        }
    }
#endif
