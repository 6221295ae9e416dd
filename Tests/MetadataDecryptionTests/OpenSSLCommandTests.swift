import EntitlementKeys
import Foundation
import MetadataDecryption
import TestVectors
import Testing
import TextCodecs

/// Decrypts values that the `openssl` command encrypted.
@Suite(.enabled(if: OpenSSLCommand.executable != nil, "there is no openssl command"))
struct OpenSSLCommandTests {
    static let options: [(MetadataPadding, [String])] = [
        (.insecurePKCS1v15, ["rsa_padding_mode:pkcs1"]),
        (.oaepSHA1, ["rsa_padding_mode:oaep"]),
        (.oaepSHA256, ["rsa_padding_mode:oaep", "rsa_oaep_md:sha256"]),
        (.oaepSHA256MGF1SHA1, ["rsa_padding_mode:oaep", "rsa_oaep_md:sha256", "rsa_mgf1_md:sha1"]),
    ]

    @Test(arguments: options)
    func valuesOfTheCommandAreRead(_ padding: MetadataPadding, _ options: [String]) throws {
        for name in ["issuer-1024", "issuer-2048", "issuer-2048-e3", "issuer-4096"] {
            let decrypter = try TestRing.decrypter(name, padding: padding)
            for text in ["7", "77754", "Zoë's account, and more"] {
                let value = Base64.encode(try OpenSSLCommand.encrypt(text, for: "test-only-\(name).spki.pem", options))
                #expect(try decrypter.decrypt(value).text == text)
            }
        }
    }
}

enum OpenSSLCommand {
    static let executable = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/opt/openssl@3/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static func encrypt(_ text: String, for key: String, _ options: [String]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-openssl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appending(path: "text"))
        let process = Process()
        process.executableURL = executable.map { URL(filePath: $0) }
        process.arguments =
            ["pkeyutl", "-encrypt", "-pubin", "-inkey", Vectors.key(key), "-in", "text", "-out", "value"]
            + options.flatMap { ["-pkeyopt", $0] }
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Array(try Data(contentsOf: folder.appending(path: "value")))
    }
}
