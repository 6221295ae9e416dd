import EntitlementKeys
import Foundation
import OpenSSLBridge
import TestVectors
import Testing

/// The RSA signing vectors of C2SP/wycheproof, if `TVE_WYCHEPROOF` names their folder.
@Suite(.enabled(if: Vectors.wycheproof != nil, "set TVE_WYCHEPROOF to the folder of the Wycheproof vectors"))
struct WycheproofTests {
    static let file = Result {
        let folder = try #require(Vectors.wycheproof)
        return try VectorFile<Group>.read(folder.appending(path: "rsa_pkcs1_2048_sig_gen_test.json"))
    }

    static let all = (try? file.get())?.testGroups.flatMap(\.cases) ?? []
    /// The digests that this package signs with.
    static let cases = all.filter { $0.digest != nil }

    @Test func `File holds as many tests as it says`() throws {
        #expect(Self.all.count == (try Self.file.get()).numberOfTests)
        #expect(Self.cases.count >= 17)
    }

    @Test(arguments: cases)
    func `Signature is the stated one`(_ vector: Case) throws {
        let pem = Array(vector.privateKey.utf8)
        let key = try SigningKey(pem.span, named: "wycheproof")
        let algorithm = try #require(vector.digest)
        let message = Vectors.bytes(hexadecimal: vector.test.msg)
        let digest = try algorithm.hash(message.span, in: 0..<message.count)
        let signature = try key.sign(digest: digest, algorithm: algorithm)
        #expect(signature == Vectors.bytes(hexadecimal: vector.test.sig))
    }

    struct Group: Decodable, Sendable {
        let privateKeyPem: String
        let sha: String
        let tests: [Vector]

        var cases: [Case] { tests.map { Case(privateKey: privateKeyPem, sha: sha, test: $0) } }
    }

    struct Vector: Decodable, Sendable {
        let tcId: Int
        let comment: String
        let msg: String
        let sig: String
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let privateKey: String
        let sha: String
        let test: Vector

        var digest: Digest? { ["SHA-256": .sha256, "SHA-1": .insecureSHA1][sha] }

        var testDescription: String { "tcId \(test.tcId), \(sha): \(test.comment)" }
    }
}
