import Foundation
import TestVectors

/// A folder for the files of one test, with passwords in it, removed at the end.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "tve-keys-\(UUID().uuidString)")
    /// Opens every encrypted file of the vectors.
    let password: String
    /// Opens none.
    let wrongPassword: String

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        password = url.appending(path: "password.txt").path
        wrongPassword = url.appending(path: "wrong.txt").path
        try write("test-only\n", to: password)
        try write("5ec2e7-wrong\n", to: wrongPassword)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ text: String, to path: String, permissions: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try setPermissions(permissions, of: path)
    }

    /// Copies a file of the vectors, which version control makes readable by every user.
    func copy(_ key: String, permissions: Int = 0o600) throws -> String {
        let target = path(URL(filePath: key).lastPathComponent)
        try FileManager.default.copyItem(atPath: Vectors.key(key), toPath: target)
        try setPermissions(permissions, of: target)
        return target
    }

    func setPermissions(_ permissions: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }

    func permissions(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}

/// The `openssl` command: the other side.
func openSSL(_ arguments: String..., input: String = "") async throws -> Tool.Outcome {
    Tool.Outcome(try await Program.runOpenSSL(arguments, input: Array(input.utf8)))
}
