import EntitlementKeys
import EntitlementValues
import Foundation
import RequestorSigning
import TestVectors
import Testing
import TextCodecs

/// Compares signatures with those of the `openssl` command, byte by byte, since both schemes are deterministic.
@Suite(.enabled(if: Program.openSSL != nil, "openssl is not installed"))
struct OpenSSLCommandTests {
    static let keys = [
        "issuer-1024", "issuer-2048", "issuer-2048-e3", "issuer-2048-e32bits", "issuer-3072", "issuer-4096",
        "issuer-8192",
    ]

    @Test(arguments: keys, ["REF30", "Test Brand é"])
    func `Signatures are those of the command`(_ key: String, _ requestor: String) async throws {
        let privateKey = "test-only-\(key).pkcs8.pem"
        let publicKey = "test-only-\(key).spki.pem"
        let text = Array(requestor.utf8)
        let ours = try RequestorSigner(key: TestKeys.signingKey(privateKey)).sign(RequestorID(requestor))
        let signature = try #require(Base64.decode(Array(ours.utf8), options: .canonical))

        let made = try await Program.runOpenSSL(
            ["dgst", "-sha256", "-sign", Vectors.key(privateKey), "id"], files: ["id": text])
        #expect(made.exitCode == 0)
        #expect(made.bytes == signature)

        let accepted = try await Program.runOpenSSL(
            ["dgst", "-sha256", "-verify", Vectors.key(publicKey), "-signature", "sig", "id"],
            files: ["id": text, "sig": signature])
        #expect(accepted.exitCode == 0)
        let refused = try await Program.runOpenSSL(
            ["dgst", "-sha256", "-verify", Vectors.key(publicKey), "-signature", "sig", "id"],
            files: ["id": text + [0x0A], "sig": signature])
        #expect(refused.exitCode != 0)

        let verifier = RequestorVerifier(keys: try TestKeys.verificationKeys([publicKey]))
        #expect(try verifier.verify(Base64.encode(made.bytes), of: RequestorID(requestor)).label == publicKey)
    }

    @Test func `SHA-1 is that of the command`() async throws {
        let ours = try RequestorSigner(key: TestKeys.signingKey(TestKeys.issuer)).sign("REF30", options: .legacySHA1)
        let made = try await Program.runOpenSSL(
            ["dgst", "-sha1", "-sign", Vectors.key(TestKeys.issuer), "id"], files: ["id": Array("REF30".utf8)])
        #expect(Base64.encode(made.bytes) == ours)
    }

    @Test func `Service tokens are accepted by the command`() async throws {
        let signer = try ServiceTokenSigner(key: TestKeys.signingKey(TestKeys.issuer), keyID: "one")
        let claims = ServiceTokenClaims(
            issuer: "programmer", subject: "REF30", audience: ["broker"], lifetime: .minutes(5))
        let token = try signer.sign(claims)
        let parts = token.split(separator: ".").map { Array($0.utf8) }
        let signature = try #require(Base64.decode(parts[2], options: [.urlSafe, .unpadded]))
        let outcome = try await Program.runOpenSSL(
            ["dgst", "-sha256", "-verify", Vectors.key(TestKeys.issuerPublic), "-signature", "sig", "signed"],
            files: ["signed": parts[0] + [UInt8(ascii: ".")] + parts[1], "sig": signature])
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: ["a", "two words", "0123456789abcdef0123456789abcdef"])
    func `Request codes are those of the command`(_ secret: String) async throws {
        let bytes = Array(secret.utf8)
        let signer = try ClientlessRequestSigner(secret: ClientlessSecret(bytes.span), publicKey: "abc")
        let header = try signer.authorization(
            for: ClientlessRequest(method: "GET", requestor: "REF30", uri: "/api/v1/mediatoken"))
        let end = try #require(header.range(of: ", public_key="))
        let outcome = try await Program.runOpenSSL(
            ["dgst", "-sha1", "-hmac", secret, "-binary", "signed"],
            files: ["signed": Array(header[..<end.lowerBound].utf8)])
        #expect(header.hasSuffix("signature=\(Base64.encode(outcome.bytes))"))
    }
}
