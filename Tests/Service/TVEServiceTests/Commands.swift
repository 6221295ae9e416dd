#if Service
import Foundation
import TestVectors
import Testing

/// Encrypts a value as the entitlement service does, with the `openssl` command.
func encrypted(_ text: String) async throws -> String {
    let folder = try Folder()
    let input = try folder.write(text, to: "in")
    try await run(
        "openssl", "pkeyutl", "-encrypt", "-pubin", "-inkey", Vectors.key("test-only-other-2048.spki.pem"), "-in",
        input, "-out", folder.path("out"))
    return try Data(contentsOf: URL(filePath: folder.path("out"))).base64EncodedString()
}

/// Runs a command to its end, and returns what it writes to standard output.
@discardableResult
func run(_ command: String...) async throws -> String {
    let ended = try await Program.run(URL(filePath: "/usr/bin/env"), command)
    #expect(ended.exitCode == 0, "\(command.first ?? ""): \(ended.error)")
    return ended.output
}
#endif
