import Foundation
import TestVectors

/// Runs the built `tve` as a user does.
struct Tool {
    struct Outcome {
        let exitCode: Int32
        let bytes: [UInt8]
        let error: String

        init(_ outcome: Program.Outcome) {
            (exitCode, bytes, error) = (outcome.exitCode, outcome.bytes, outcome.error)
        }

        var output: String { String(decoding: bytes, as: UTF8.self) }

        var lines: [Substring] { output.split(separator: "\n", omittingEmptySubsequences: true) }

        /// Standard output as one JSON object.
        var object: [String: Any] { Self.object(output) }
        /// Each line of standard output as a JSON object.
        var objects: [[String: Any]] { lines.map { Self.object(String($0)) } }
        /// The last line of standard error as a JSON object: a batch's summary, or a failure.
        var report: [String: Any] { Self.object(error.split(separator: "\n").last.map(String.init) ?? "") }

        private static func object(_ text: String) -> [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:]
        }
    }

    /// The build puts it beside the test runner.
    static let executable = Program.built("tve")

    /// Runs the tool to its end.
    ///
    /// - Parameters:
    ///   - arguments: The arguments.
    ///   - input: Standard input.
    ///   - environment: Variables that differ from those of the tests.
    ///   - output: What standard output is, if not a file, which is read afterwards.
    ///   - executable: Another program.
    /// - Returns: What came of it.
    /// - Throws: An error of the system.
    static func run(
        _ arguments: [String],
        input: [UInt8] = [],
        environment: [String: String] = [:],
        output: FileHandle? = nil,
        executable: URL = executable
    ) async throws -> Outcome {
        Outcome(
            try await Program.run(executable, arguments, input: input, environment: environment, output: output))
    }

    static func run(_ arguments: [String], input: String) async throws -> Outcome {
        try await run(arguments, input: Array(input.utf8))
    }

    static let privateKey = Vectors.key("test-only-issuer-2048.pkcs8.pem")
    static let publicKey = Vectors.key("test-only-issuer-2048.spki.pem")

    /// Issues a token for requestor REF30 and resource DemoChannel, without the line end.
    static func issue(_ arguments: String...) async throws -> String {
        String(decoding: try await issueBytes(arguments), as: UTF8.self)
    }

    /// The same for tokens that are no text.
    static func issueBytes(_ arguments: [String]) async throws -> [UInt8] {
        let outcome = try await run(
            ["issue", "media-token", "--key", privateKey, "--requestor", "REF30", "--resource", "DemoChannel"]
                + arguments)
        return Array(outcome.bytes.dropLast())
    }

    /// Verifies for requestor REF30 and resource DemoChannel.
    static func verify(_ token: String, _ arguments: String...) async throws -> Outcome {
        try await verify(Array(token.utf8), arguments)
    }

    /// The same for tokens that are no text.
    static func verify(_ token: [UInt8], _ arguments: [String]) async throws -> Outcome {
        try await run(
            ["verify", "-", "--keys", publicKey, "--requestor", "REF30", "--resource", "DemoChannel"] + arguments,
            input: token)
    }
}
