import EntitlementKeys
import Foundation
import MetadataDecryption
import OpenSSLBridge
import TestVectors
import Testing
import TextCodecs

/// The RSA decryption vectors of C2SP/wycheproof, if `TVE_WYCHEPROOF` names their folder.
///
/// The bytes come from the bridge. For PKCS#1 v1.5 the decrypter is tested too: a bad block never yields a text.
@Suite(.enabled(if: Vectors.wycheproof != nil, "set TVE_WYCHEPROOF to the folder of the Wycheproof vectors"))
struct WycheproofTests {
    static let files = [
        "rsa_pkcs1_2048_test.json", "rsa_oaep_2048_sha1_mgf1sha1_test.json",
        "rsa_oaep_2048_sha256_mgf1sha256_test.json", "rsa_oaep_misc_test.json",
    ]

    static let cases = files.flatMap { (try? cases(in: $0)) ?? [] }
    static let offered = cases.filter { $0.padding != nil && !$0.hasLabel }
    static let labelled = cases.filter { $0.padding != nil && $0.hasLabel }
    static let withoutOAEP = cases.filter { $0.padding == .insecurePKCS1v15 }

    static func cases(in file: String) throws -> [DecryptionCase] {
        let folder = try #require(Vectors.wycheproof)
        let vectors = try VectorFile<DecryptionGroup>.read(folder.appending(path: file))
        let cases = vectors.testGroups.flatMap { $0.cases(of: file) }
        #expect(cases.count == vectors.numberOfTests)
        return cases
    }

    /// Vectors without a padding here have a digest or a mask generation that this package does not offer.
    @Test func `As many run as there are`() throws {
        for (file, count) in zip(Self.files, [67, 36, 37, 395]) { #expect(try Self.cases(in: file).count == count) }
        #expect(Self.offered.count == 67 + 29 + 29 + 48)
        #expect(Self.labelled.count == 7 + 8 + 16)
        #expect(Self.cases.count - Self.offered.count - Self.labelled.count == 331)
    }

    @Test(arguments: offered)
    func `Verdict is the stated one`(_ vector: DecryptionCase) throws {
        let found = try vector.open()
        switch vector.test.result {
        case "valid": #expect(found == Vectors.bytes(hexadecimal: vector.test.msg))
        case "invalid" where vector.padding == .insecurePKCS1v15 && rejectsImplicitly:
            // Random bytes of libcrypto, or none; never those that a lenient reader would find.
            #expect(found == nil || vector.test.msg.isEmpty || found != Vectors.bytes(hexadecimal: vector.test.msg))
        default: #expect(found == nil)
        }
    }

    /// This package offers no label, so values that were encrypted with one are not for it.
    @Test(arguments: labelled)
    func `Labels are refused`(_ vector: DecryptionCase) throws {
        #expect(try vector.open() == nil)
    }

    @Test(arguments: withoutOAEP)
    func `No text comes of a bad block`(_ vector: DecryptionCase) throws {
        let decrypter = MetadataDecrypter(keys: try vector.keys)
        let value = Base64.encode(Vectors.bytes(hexadecimal: vector.test.ct))
        let message = Vectors.bytes(hexadecimal: vector.test.msg)
        do throws(MetadataDecryptionError) {
            let text = try decrypter.decrypt(value).text
            #expect(vector.test.result == "valid")
            #expect(Array(text.utf8) == message)
        } catch {
            let isWhole = vector.test.ct.count == 512
            #expect(error.code == (isWhole ? "undecryptable" : "wrong_length"))
            let isPrintable = !message.isEmpty && message.allSatisfy { 0x20..<0x7F ~= $0 }
            #expect(vector.test.result != "valid" || !isPrintable)
        }
    }
}

struct DecryptionGroup: Decodable, Sendable {
    let privateKeyPkcs8: String
    let sha: String?
    let mgfSha: String?
    let tests: [DecryptionTest]

    func cases(of file: String) -> [DecryptionCase] {
        tests.map { DecryptionCase(file: file, privateKey: privateKeyPkcs8, padding: padding, test: $0) }
    }

    private var padding: MetadataPadding? {
        switch (sha, mgfSha) {
        case (nil, nil): .insecurePKCS1v15
        case ("SHA-1", "SHA-1"): .oaepSHA1
        case ("SHA-256", "SHA-256"): .oaepSHA256
        case ("SHA-256", "SHA-1"): .oaepSHA256MGF1SHA1
        default: nil
        }
    }
}

struct DecryptionTest: Decodable, Sendable {
    let tcId: Int
    let comment: String
    let msg: String
    let ct: String
    let label: String?
    let result: String
}

struct DecryptionCase: Sendable, CustomTestStringConvertible {
    let file: String
    let privateKey: String
    let padding: MetadataPadding?
    let test: DecryptionTest

    var testDescription: String { "\(file), tcId \(test.tcId): \(test.comment)" }
    var hasLabel: Bool { test.label?.isEmpty == false }

    var keys: DecryptionKeys {
        get throws {
            let der = Vectors.bytes(hexadecimal: privateKey)
            return try DecryptionKeys(der.span, named: "wycheproof", allowingWeakKeys: true)
        }
    }

    /// Decrypts the ciphertext through the bridge.
    func open() throws -> [UInt8]? {
        try keys.open(Vectors.bytes(hexadecimal: test.ct), padding: #require(padding))
    }
}
