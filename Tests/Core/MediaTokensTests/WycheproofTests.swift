import EntitlementKeys
import Foundation
import OpenSSLBridge
import TestVectors
import Testing

/// The RSA signature vectors of C2SP/wycheproof, if `TVE_WYCHEPROOF` names their folder.
@Suite(.enabled(if: Vectors.wycheproof != nil, "set TVE_WYCHEPROOF to the folder of the Wycheproof vectors"))
struct WycheproofTests {
    static let file = Result {
        let folder = try #require(Vectors.wycheproof)
        return try VectorFile<SignatureGroup>.read(folder.appending(path: "rsa_signature_2048_sha256_test.json"))
    }

    static let cases = (try? file.get())?.testGroups.flatMap(\.cases) ?? []

    @Test func `File holds as many tests as it says`() throws {
        let file = try Self.file.get()
        #expect(Self.cases.count == file.numberOfTests)
        #expect(Self.cases.count >= 250)
    }

    @Test(arguments: cases)
    func `Verdict is the stated one`(_ vector: SignatureCase) throws {
        let pem = Array(vector.publicKey.utf8)
        let keys = try VerificationKeys(pem.span, named: "wycheproof")
        let key = try #require(keys.keys.first)
        let message = Vectors.bytes(hexadecimal: vector.test.msg)
        let signature = Vectors.bytes(hexadecimal: vector.test.sig)
        let digest = try Digest.sha256.hash(message.span, in: 0..<message.count)
        let isValid = try key.isValid(signature.span, digest: digest.span, algorithm: .sha256)
        switch vector.test.result {
        case "valid": #expect(isValid)
        case "invalid": #expect(!isValid)
        default:
            // "acceptable" here means a DigestInfo without its NULL parameters, which this package refuses.
            #expect(!isValid)
        }
    }
}

struct SignatureGroup: Decodable, Sendable {
    let publicKeyPem: String
    let sha: String
    let tests: [SignatureTest]

    var cases: [SignatureCase] { tests.map { SignatureCase(publicKey: publicKeyPem, test: $0) } }
}

struct SignatureTest: Decodable, Sendable {
    let tcId: Int
    let comment: String
    let msg: String
    let sig: String
    let result: String
}

struct SignatureCase: Sendable, CustomTestStringConvertible {
    let publicKey: String
    let test: SignatureTest

    var testDescription: String { "tcId \(test.tcId): \(test.comment)" }
}
