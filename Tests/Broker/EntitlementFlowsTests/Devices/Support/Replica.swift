#if Client
import Foundation
import HostSystem
import Synchronization
import TestVectors

/// A process that serves devices: the executable `DeviceWorker`, beside the test runner.
final class Replica: Sendable {
    private struct State {
        /// Who waits for the line that ends with a command and a device.
        var waiters: [String: [CheckedContinuation<String?, Never>]] = [:]
        var rest = ""
        var hasEnded = false
        var isDrained = false
    }

    private let program: StartedProgram
    private let input = Pipe()
    private let state = Mutex(State())

    init(_ arguments: [String]) throws {
        // A replica that was killed reads no commands.
        StandardStreams.ignoreBrokenPipes()
        let output = Pipe()
        program = try StartedProgram(
            Program.built("DeviceWorker"), arguments, input: .pipe(input), output: .pipe(output),
            errors: .open(.standardError))
        let reading = output.fileHandleForReading
        // A thread of its own: it waits for most of its life.
        Thread { [self] in
            while case let data = reading.availableData, !data.isEmpty { take(String(decoding: data, as: UTF8.self)) }
            take(nil)
        }.start()
    }

    /// Gives a command, and waits until it has ended.
    ///
    /// - Returns: How it ended; `nil` if the process ended before.
    func serve(_ command: String, _ device: String) async -> String? {
        let key = "\(command) \(device)"
        return await withCheckedContinuation { waiter in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiters[key, default: []].append(waiter) }
                return state.hasEnded
            }
            if hasEnded { return waiter.resume(returning: nil) }
            // If the process has gone, the end of its output tells.
            try? input.fileHandleForWriting.write(contentsOf: Data("\(key)\n".utf8))
        }
    }

    func kill() { program.send(SIGKILL) }

    /// Ends the input, so that the process drains its sessions and ends.
    ///
    /// - Returns: Whether all calls ended; one that does not end is killed.
    func end() async -> Bool {
        try? input.fileHandleForWriting.close()
        do {
            try await eventually { state.withLock(\.hasEnded) }
        } catch {
            kill()
        }
        return state.withLock(\.isDrained)
    }

    private func take(_ text: String?) {
        let answers = state.withLock { state -> [(CheckedContinuation<String?, Never>, String?)] in
            guard let text else {
                state.hasEnded = true
                defer { state.waiters = [:] }
                return state.waiters.values.joined().map { ($0, nil) }
            }
            state.rest += text
            var answers: [(CheckedContinuation<String?, Never>, String?)] = []
            while let end = state.rest.firstIndex(of: "\n") {
                let words = state.rest[..<end].split(separator: " ", maxSplits: 1)
                state.rest = String(state.rest[state.rest.index(after: end)...])
                if words == ["drained"] { state.isDrained = true }
                guard words.count == 2, var waiters = state.waiters[String(words[1])], !waiters.isEmpty else {
                    continue
                }
                answers.append((waiters.removeFirst(), String(words[0])))
                state.waiters[String(words[1])] = waiters
            }
            return answers
        }
        for (waiter, answer) in answers { waiter.resume(returning: answer) }
    }
}
#endif
