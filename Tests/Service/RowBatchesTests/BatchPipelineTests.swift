import RowBatches
import Synchronization
import Testing

@Suite struct BatchPipelineTests {
    /// Answers each line by itself, earlier lines later, and counts how many pieces are worked on at once.
    private final class Rows: BatchRows {
        let limits = LineCutter.Limits(maximumLineLength: 100, maximumLines: 1)
        let goodCode = "good"
        let otherName = "other"
        let shortestRow = 1
        let running = Mutex((now: 0, most: 0))

        func answers(to piece: LineCutter.Piece) async -> BatchOutput {
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            for _ in 0..<(100 - min(piece.firstLine, 100)) { await Task.yield() }
            running.withLock { $0.now -= 1 }
            var output = BatchOutput()
            guard case .lines(let bytes) = piece.content else { return output }
            output.bytes = bytes
            output.tally.codes["good"] = 1
            if bytes.starts(with: "stop".utf8) { output.stop = BatchStop(code: "stop", detail: "line") }
            return output
        }
    }

    private struct Refusal: Error {}

    private func cutter(_ text: String) -> LineCutter {
        var cutter = LineCutter(limits: Rows().limits)
        cutter.add(Array(text.utf8))
        cutter.finish(isCut: false)
        return cutter
    }

    @Test(arguments: [1, 2, 7, 64])
    func `Answers are written in the order of the input`(_ maximumRunning: Int) async throws {
        let rows = Rows()
        let text = (0..<300).map { "\($0)\n" }.joined()
        var (input, output, summary) = (cutter(text), [UInt8](), BatchSummary(goodCode: "good", otherName: "other"))
        let stop = try await BatchPipeline(rows: rows, maximumRunning: maximumRunning).run(
            reading: { _ in input.next() },
            writing: {
                output += $0.bytes
                summary.add($0.tally)
            })
        #expect(stop == nil)
        #expect(String(decoding: output, as: UTF8.self) == text)
        #expect(rows.running.withLock { $0.most } <= maximumRunning)
        #expect(summary.rows == 300 && summary.good == 300)
        #expect(
            summary.line.hasPrefix("{\"rows\":300,\"good\":300,\"other\":0,\"bad_rows\":0,\"codes\":{\"good\":300},"))
    }

    @Test func `Input is waited for only when everything is written`() async throws {
        var (next, written) = (0, 0)
        _ = try await BatchPipeline(rows: Rows(), maximumRunning: 4).run(
            reading: { mayWait in
                // The writer of the input sends a row only after it has read all answers.
                guard mayWait else { return nil }
                #expect(written == next)
                guard next < 5 else { return nil }
                next += 1
                var input = cutter("\(next)\n")
                return input.next()
            },
            writing: { _ in written += 1 })
        #expect(written == 5)
    }

    @Test func `A row that ends the run is the last that is written`() async throws {
        var (input, output) = (cutter("1\n2\nstop\n4\n5\n"), [UInt8]())
        let stop = try await BatchPipeline(rows: Rows(), maximumRunning: 4).run(
            reading: { _ in input.next() }, writing: { output += $0.bytes })
        #expect(stop == BatchStop(code: "stop", detail: "line"))
        #expect(String(decoding: output, as: UTF8.self) == "1\n2\nstop\n")
    }

    @Test func `A failed write ends the run`() async {
        var (input, written) = (cutter("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), 0)
        let rows = Rows()
        await #expect(throws: Refusal.self) {
            try await BatchPipeline(rows: rows, maximumRunning: 3).run(
                reading: { _ in input.next() },
                writing: { _ in
                    written += 1
                    if written == 2 { throw Refusal() }
                })
        }
        #expect(written == 2)
        // What was under way is finished.
        #expect(rows.running.withLock { $0.now } == 0)
    }

    @Test func `A failed read ends the run`() async {
        await #expect(throws: Refusal.self) {
            try await BatchPipeline(rows: Rows(), maximumRunning: 3).run(
                reading: { _ in throw Refusal() }, writing: { _ in Issue.record("nothing was read") })
        }
    }

    @Test func `A cancelled run still answers what it read`() async throws {
        let task = Task {
            var (input, count) = (cutter("1\n2\n3\n"), 0)
            _ = try await BatchPipeline(rows: Rows(), maximumRunning: 2).run(
                reading: { _ in input.next() }, writing: { _ in count += 1 })
            return count
        }
        task.cancel()
        #expect(try await task.value == 3)
    }
}
