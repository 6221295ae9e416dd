import Foundation
import TestVectors
import Testing

/// Files of other programs, as a user meets them.
@Suite struct ForeignKeysTests {
    private let folder: TemporaryFolder
    private let store = Vectors.key("formats/bad/test-only-private-key.jks")

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `The certificate of a Java store is inspected and converted`() async throws {
        let password = ["--password-file", folder.password]
        let inspected = try await Tool.run(["keys", "inspect", store, "--output", "json"] + password)
        // The private key cannot be used, which is a problem of the file.
        #expect(inspected.exitCode == 78)
        let files = inspected.object["files"] as? [[String: Any]] ?? []
        let entries = files.first?["entries"] as? [[String: Any]] ?? []
        #expect(entries.map { $0["kind"] as? String } == ["encrypted private key", "certificate"])
        #expect(entries.map { ($0["problem"] as? [String: Any])?["code"] as? String } == ["unsupported_key", nil])
        let converted = try await Tool.run(["keys", "convert", store] + password)
        #expect(converted.exitCode == 0 && converted.output.hasPrefix("-----BEGIN PUBLIC KEY-----"))
        let der = folder.path("public.pem")
        try folder.write(converted.output, to: der)
        #expect(
            try await Tool.run(["keys", "inspect", der]).output.contains(entries[1]["fingerprint"] as? String ?? "none")
        )
        for command in [["keys", "convert", store, "--private"], ["keys", "match", Tool.publicKey, store]] {
            let refused = try await Tool.run(command + password)
            #expect(refused.exitCode == 78 && refused.error.contains("keytool -importkeystore"), "\(refused.error)")
        }
    }

    @Test func `Authorities are marked in text and JSON`() async throws {
        let chain = Vectors.key("test-only-ca-and-leaf.pem")
        let text = try await Tool.run(["keys", "inspect", chain])
        #expect(text.output.components(separatedBy: "  authority ").count == 2)
        let files =
            try await Tool.run(["keys", "inspect", chain, "--output", "json"]).object["files"] as? [[String: Any]]
        let entries = files?.first?["entries"] as? [[String: Any]] ?? []
        #expect(entries.map { $0["authority"] as? Bool } == [true, false])
    }

    /// The commands of the advice are run: they end with a file that can be used.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-keygen"), "ssh-keygen is not installed")
    )
    func `The advice for an SSH key works`() async throws {
        let ssh = try await shell("ssh-keygen -i -m PKCS8 -f \"$0\"", Tool.publicKey)
        #expect(ssh.hasPrefix("ssh-rsa "))
        let file = folder.path("key.pub")
        try folder.write(ssh, to: file)
        let refused = try await Tool.run(["keys", "inspect", file])
        #expect(refused.exitCode == 78 && refused.output.contains("ssh-keygen -e -m PKCS8 -f FILE > KEY.pem"))
        let pem = folder.path("key.pem")
        try folder.write(try await shell("ssh-keygen -e -m PKCS8 -f \"$0\"", file), to: pem)
        #expect(try await Tool.run(["keys", "convert", pem]).output == (try folder.text(Tool.publicKey)))
        let ssh2 = folder.path("key.ssh2")
        try folder.write(try await shell("ssh-keygen -e -m RFC4716 -f \"$0\"", file), to: ssh2)
        #expect(try await Tool.run(["keys", "inspect", ssh2]).output.contains("ssh-keygen -i -f FILE > KEY.pub"))
        #expect(try await shell("ssh-keygen -i -f \"$0\"", ssh2).hasPrefix("ssh-rsa "))
    }

    private func shell(_ script: String, _ file: String) async throws -> String {
        let outcome = try await Tool.run(["-c", script, file], executable: URL(filePath: "/bin/sh"))
        #expect(outcome.exitCode == 0, "\(outcome.error)")
        return outcome.output
    }
}
