import HostSystem
import OpenSSLBridge
import TestVectors
import Testing

/// Structures in DER are read whole: with bytes after them, or without their last byte, they are refused.
@Suite struct DERTests {
    enum Structure: String, CaseIterable {
        case certificate = "test-only-issuer-2048.cert-v3.der"
        case subjectPublicKeyInfo = "test-only-issuer-2048.spki.der"
        case pkcs1PublicKey = "test-only-issuer-2048.pkcs1-public.der"
        case pkcs8PrivateKey = "test-only-issuer-2048.pkcs8.der"
        case pkcs1PrivateKey = "test-only-issuer-2048.pkcs1.der"
        case encryptedPKCS8 = "formats/test-only-1024.pbes2-aes256.der"
        case pkcs12 = "formats/test-only-1024.modern.p12"
        case pkcs7 = "formats/test-only-1024.der.p7b"

        func read(_ der: [UInt8]) throws(OpenSSLFailure) {
            switch self {
            case .certificate: _ = try Certificate(der: der.span)
            case .subjectPublicKeyInfo: _ = try PKey(subjectPublicKeyInfo: der.span)
            case .pkcs1PublicKey: _ = try PKey(pkcs1PublicKey: der.span)
            case .pkcs8PrivateKey: _ = try PKey(pkcs8PrivateKey: der.span)
            case .pkcs1PrivateKey: _ = try PKey(pkcs1PrivateKey: der.span)
            case .encryptedPKCS8: _ = try EncryptedPKCS8(der: der.span)
            case .pkcs12: _ = try PKCS12File(der: der.span)
            case .pkcs7: _ = try pkcs7Certificates(der: der.span)
            }
        }
    }

    @Test(arguments: Structure.allCases) func `One byte more or less is refused`(_ structure: Structure) throws {
        let der = try TestKeys.bytes(structure.rawValue)
        #expect(throws: Never.self) { try structure.read(der) }
        for bad in [der + [0], Array(der.dropLast()), []] {
            #expect(throws: OpenSSLFailure.self) { try structure.read(bad) }
            #expect(queuedRecords().isEmpty)
        }
    }

    @Test func `What OpenSSL reads is written again`() throws {
        for name in ["1024", "2048", "4096"] {
            let der = try TestKeys.bytes("test-only-issuer-\(name).spki.der")
            let key = try PKey(subjectPublicKeyInfo: der.span)
            #expect(try key.subjectPublicKeyInfo == der)
        }
    }

    @Test func `Facts are those of the key`() throws {
        let facts = try TestKeys.publicKey("test-only-issuer-2048-e3").facts
        #expect(facts.algorithm == "RSA" && facts.bits == 2048)
        #expect(facts.modulusIsOdd && facts.exponent == 3)
    }

    /// The modulus made with the factor 1009 happens to be divisible by 43 too.
    @Test(arguments: [("factor-3", 3), ("factor-1009", 43)])
    func `Tiny factors are found`(_ name: String, _ factor: Int) throws {
        let der = try TestKeys.der("formats/bad/test-only-\(name).spki.pem")
        let found = try PKey(subjectPublicKeyInfo: der.span).tinyFactor
        #expect(found == factor)
        let good = try TestKeys.publicKey("test-only-issuer-2048").tinyFactor
        #expect(good == nil)
    }

    @Test(arguments: ["wrong-d", "wrong-p", "wrong-dp", "wrong-dq", "wrong-qinv"])
    func `Numbers that do not belong together are found`(_ name: String) throws {
        let text = try TestKeys.bytes("formats/bad/test-only-\(name).pem")
        let block = try #require(try pemBlocks(in: text.span).first)
        let isConsistent = try block.content.withSpan { der in
            try (block.label == "PRIVATE KEY" ? PKey(pkcs8PrivateKey: der) : PKey(pkcs1PrivateKey: der)).isConsistent
        }
        #expect(!isConsistent)
        let good = try TestKeys.privateKey("test-only-issuer-2048").isConsistent
        #expect(good)
    }
}
