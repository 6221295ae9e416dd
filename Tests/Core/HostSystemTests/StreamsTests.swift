import Foundation
import HostSystem
import Testing

/// Standard streams and signals belong to a whole process, so each test runs in a process of its own.
@Suite struct StreamsTests {
    @Test func `Input is read as it comes up to its end`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            #expect(unsafe pipe(&ends) == 0)
            #expect(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO)
            #expect(!StandardStreams.inputIsTerminal)
            #expect(StandardStreams.inputSize == nil)
            #expect(StandardStreams.awaitInput(mayWait: false) == .notYet)
            unsafe _ = write(ends[1], "abcd", 4)
            #expect(StandardStreams.awaitInput(mayWait: false) == .ready)
            let pieces = [try StandardStreams.read(upTo: 3), try StandardStreams.read(upTo: 3)]
            #expect(pieces == [Array("abc".utf8), Array("d".utf8)])
            _ = close(ends[1])
            #expect(StandardStreams.awaitInput(mayWait: true) == .ready)
            let rest = try StandardStreams.read(upTo: 3)
            #expect(rest.isEmpty)
        }
    }

    @Test func `Output is written whole until its reader is gone`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            #expect(unsafe pipe(&ends) == 0)
            StandardStreams.ignoreBrokenPipes()
            let output = dup(STDOUT_FILENO)
            #expect(dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO)
            let hasReader = try StandardStreams.write(Array("abc".utf8))
            #expect(hasReader)
            var bytes = [UInt8](repeating: 0, count: 8)
            #expect(unsafe read(ends[0], &bytes, 8) == 3)
            #expect(bytes.starts(with: "abc".utf8))
            _ = close(ends[0])
            let stillHasReader = try StandardStreams.write(Array("abc".utf8))
            #expect(!stillHasReader)
            _ = dup2(output, STDOUT_FILENO)
        }
    }

    @Test func `A signal to stop ends the wait for input`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            #expect(unsafe pipe(&ends) == 0)
            #expect(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO)
            StopSignals.unblock()
            StopSignals.catchOnce()
            #expect(StopSignals.received == nil)
            #expect(StandardStreams.awaitInput(mayWait: false) == .notYet)
            #expect(raise(SIGTERM) == 0)
            #expect(StopSignals.received == SIGTERM)
            #expect(StandardStreams.awaitInput(mayWait: true) == .stopped)
        }
    }

    @Test func `The same signal again ends the process`() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            StopSignals.unblock()
            StopSignals.catchOnce()
            _ = raise(SIGTERM)
            _ = raise(SIGTERM)
        }
    }

    @Test func `The process ends with its exit code`() async {
        await #expect(processExitsWith: .exitCode(78)) { endProcess(78) }
    }
}
