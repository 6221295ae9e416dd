import EntitlementKeys
import MetadataDecryption
import TestVectors
import Testing
import TextCodecs

/// Decrypts values that the `openssl` command encrypted.
@Suite(.enabled(if: Program.openSSL != nil, "openssl is not installed"))
struct OpenSSLCommandTests {
    static let options: [(MetadataPadding, [String])] = [
        (.insecurePKCS1v15, ["rsa_padding_mode:pkcs1"]),
        (.oaepSHA1, ["rsa_padding_mode:oaep"]),
        (.oaepSHA256, ["rsa_padding_mode:oaep", "rsa_oaep_md:sha256"]),
        (.oaepSHA256MGF1SHA1, ["rsa_padding_mode:oaep", "rsa_oaep_md:sha256", "rsa_mgf1_md:sha1"]),
    ]

    @Test(arguments: options)
    func `Values of the command are read`(_ padding: MetadataPadding, _ options: [String]) async throws {
        for name in ["issuer-1024", "issuer-2048", "issuer-2048-e3", "issuer-4096"] {
            let decrypter = try TestRing.decrypter(name, padding: padding)
            for text in ["7", "77754", "Zoë's account, and more"] {
                let value = Base64.encode(try await encrypt(text, for: "test-only-\(name).spki.pem", options))
                #expect(try decrypter.decrypt(value).text == text)
            }
        }
    }

    private func encrypt(_ text: String, for key: String, _ options: [String]) async throws -> [UInt8] {
        let outcome = try await Program.runOpenSSL(
            ["pkeyutl", "-encrypt", "-pubin", "-inkey", Vectors.key(key)] + options.flatMap { ["-pkeyopt", $0] },
            input: Array(text.utf8))
        try #require(outcome.exitCode == 0)
        return outcome.bytes
    }
}
