package import Foundation

/// Runs programs to their end, and holds no thread meanwhile.
package enum Program {
    /// What came of a run.
    package struct Outcome: Sendable {
        /// For a signal that ended it, minus its number.
        package let exitCode: Int32
        /// Standard output.
        package let bytes: [UInt8]
        /// Standard error.
        package let error: String

        /// Standard output as a text.
        package var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - executable: The program.
    ///   - arguments: The arguments.
    ///   - input: Standard input.
    ///   - files: If any, the program runs in a folder that has these files.
    ///   - place: Another folder that the program runs in.
    ///   - environment: Variables that differ from those of the tests; `nil` for those that it must not have.
    ///   - output: What standard output is, if not a file, which is read afterwards.
    /// - Returns: What came of it.
    /// - Throws: An error of the system, or `WaitedInVain`.
    package static func run(
        _ executable: URL,
        _ arguments: [String],
        input: [UInt8] = [],
        files: [String: [UInt8]] = [:],
        in place: URL? = nil,
        environment: [String: String?] = [:],
        output: FileHandle? = nil
    ) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-run-\(UUID().uuidString)")
        // Files instead of pipes: nothing can fill up, however much either side writes.
        let streams = folder.appending(path: "streams")
        try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (standardInput, standardOutput, standardError) =
            (streams.appending(path: "in"), streams.appending(path: "out"), streams.appending(path: "err"))
        try Data(input).write(to: standardInput)
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }

        let exitCode = try await ProgramPlaces.shared.withPlace {
            try await StartedProgram(
                executable, arguments, in: place ?? (files.isEmpty ? nil : folder), environment: environment,
                input: .file(standardInput), output: output.map { .open($0) } ?? .file(standardOutput),
                errors: .file(standardError)
            ).end()
        }
        return Outcome(
            exitCode: exitCode,
            bytes: output == nil ? Array(try Data(contentsOf: standardOutput)) : [],
            error: String(decoding: try Data(contentsOf: standardError), as: UTF8.self)
        )
    }

    /// A program that the build puts beside the test runner.
    package static func built(_ name: String) -> URL {
        URL(filePath: CommandLine.arguments[0])
            .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name)
    }

    /// The `openssl` command, if there is one: the other side.
    package static let openSSL =
        ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/opt/openssl@3/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }.map { URL(filePath: $0) }

    /// Runs the `openssl` command, which must be there.
    package static func runOpenSSL(
        _ arguments: [String],
        input: [UInt8] = [],
        files: [String: [UInt8]] = [:],
        in place: URL? = nil
    ) async throws -> Outcome {
        guard let openSSL else { throw CocoaError(.fileNoSuchFile) }
        return try await run(openSSL, arguments, input: input, files: files, in: place)
    }
}

/// Tests that wait hold no thread, so all of them would start their programs at once.
private actor ProgramPlaces {
    static let shared = ProgramPlaces()

    private var free = max(4, ProcessInfo.processInfo.activeProcessorCount)
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated func withPlace<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        await take()
        do {
            let value = try await body()
            await give()
            return value
        } catch {
            await give()
            throw error
        }
    }

    private func take() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func give() {
        guard !waiting.isEmpty else {
            free += 1
            return
        }
        waiting.removeFirst().resume()
    }
}
