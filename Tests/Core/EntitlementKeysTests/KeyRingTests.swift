import EntitlementKeys
import EntitlementValues
import Foundation
import TestVectors
import Testing

/// Sets of keys from several files, bundles and folders.
@Suite struct KeyRingTests {
    static let issuer = Vectors.key("test-only-issuer-2048.pkcs8.pem")
    static let other = Vectors.key("test-only-other-2048.pkcs8.pem")
    static let missing = "/no/such/file.pem"
    static let noise = Vectors.key("bad/test-only-noise.bin")

    @Test func `A ring keeps its order`() throws {
        let ring = try DecryptionKeys(contentsOf: [Self.other, Self.issuer, Self.other])
        #expect(ring.keys.map(\.label) == ["test-only-other-2048.pkcs8.pem", "test-only-issuer-2048.pkcs8.pem"])
        #expect(ring.keys.map(\.source) == [Self.other, Self.issuer])
    }

    @Test func `Several keys of one file are numbered`() throws {
        let bytes = try [Self.issuer, Self.other].flatMap { Array(try Data(contentsOf: URL(filePath: $0))) }
        let ring = try DecryptionKeys(bytes.span, named: "ring.pem")
        #expect(ring.keys.map(\.label) == ["ring.pem", "ring.pem#2"])
        let error = #expect(throws: KeyError.self) { try SigningKey(bytes.span, named: "ring.pem") }
        #expect(error?.description.contains("2 private keys") == true)
    }

    @Test func `A private key that a file holds twice is one`() throws {
        let files = [Self.issuer, Vectors.key("test-only-issuer-2048.pkcs1.pem")]
        let bytes = try files.flatMap { Array(try Data(contentsOf: URL(filePath: $0))) }
        #expect(try SigningKey(bytes, named: "twice.pem").bits == 2048)
        let ring = try DecryptionKeys(bytes + Array(Data(contentsOf: URL(filePath: Self.other))), named: "ring.pem")
        #expect(ring.keys.map(\.label) == ["ring.pem", "ring.pem#2"])
    }

    @Test func `Small keys decrypt only on request`() throws {
        let path = Vectors.key("test-only-issuer-1024.pkcs8.pem")
        let error = #expect(throws: KeyError.self) { try DecryptionKeys(contentsOfFile: path) }
        #expect(error?.code == "key_too_small")
        #expect(try DecryptionKeys(contentsOfFile: path, allowingWeakKeys: true).keys.map(\.bits) == [1024])
    }

    @Test func `Decryption keys show nothing of themselves`() throws {
        let key = try #require(try DecryptionKeys(contentsOfFile: Self.issuer).keys.first)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "decryption key (RSA 2048)")
        #expect(!dumped.contains("storage"))
    }

    @Test func `Lenient reading names what it left out`() throws {
        let ring = try DecryptionKeys.lenient(contentsOf: [Self.missing, Self.issuer, Self.noise])
        #expect(ring.keys.keys.count == 1)
        #expect(ring.refused.map(\.file) == [Self.missing, Self.noise])
        let certificate = Vectors.key("test-only-issuer-2048.cert-v3.pem")
        let set = try VerificationKeys.lenient(contentsOf: [Self.noise, certificate, Self.issuer])
        #expect(set.keys.keys.count == 1)
        #expect(set.refused.map(\.code) == ["unreadable_key", "unsupported_key"])
    }

    @Test func `Lenient reading fails where nothing is good`() {
        let error = #expect(throws: KeyError.self) {
            try VerificationKeys.lenient(contentsOf: [Self.noise, Self.missing])
        }
        #expect(error?.file == Self.noise)
    }

    @Test func `Successive certificates of one name are both trusted`() throws {
        // Two keys, one subject: what a self-signed issuer looks like during a rotation.
        let subject = CertificateSubject(commonName: "Issuer of tokens")
        let validity = Timestamp(milliseconds: 0)...Timestamp(milliseconds: 4_000_000_000_000)
        var text = ""
        for file in [Self.issuer, Self.other] {
            for key in try KeyMaterial.all(inFile: file) {
                text += try key.selfSignedCertificatePEM(subject: subject, validity: validity)
                text += try key.selfSignedCertificatePEM(subject: subject, validity: validity)
            }
        }
        let bytes = Array(text.utf8)
        #expect(try VerificationKeys(bytes.span, named: "both.pem").keys.map(\.label) == ["both.pem", "both.pem#3"])
    }

    /// More than could be read within the time that all tests have.
    @Test func `Sixty-four gibibytes are refused at once`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tve-large-\(UUID().uuidString)")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 64 << 30)
        try handle.close()
        defer { try? FileManager.default.removeItem(at: file) }
        timed("a file of 64 GiB") {
            let error = #expect(throws: KeyError.self) { try KeyInventory(contentsOfFile: file.path) }
            #expect(error?.code == "unreadable_key")
        }
    }

    @Test func `Every cut of every container is an error and nothing else`() throws {
        let password = KeyPassword("test-only")
        for name in ["jks", "modern.p12", "der.p7b", "pbes2-aes256.der", "traditional-des3.pem", "cert.pem"] {
            let bytes = Array(try Data(contentsOf: URL(filePath: Vectors.key("formats/test-only-1024.\(name)"))))
            for end in stride(from: 0, to: bytes.count - 2, by: 41) {
                let part = Array(bytes[..<end])
                #expect(throws: KeyError.self) { try KeyInventory(part.span, named: name, password: password) }
            }
        }
    }

    @Test func `Unusable keys are listed with the reason`() throws {
        let curve = try KeyInventory(contentsOfFile: Vectors.key("bad/test-only-ec-p256.cert.pem"))
        #expect(curve.entries.map(\.algorithm) == ["EC"])
        #expect(curve.entries.map(\.bits) == [256])
        #expect(curve.entries.first?.problem?.code == "unsupported_key")
        let small = try KeyInventory(contentsOfFile: Vectors.key("bad/test-only-rsa-512.spki.pem"))
        #expect(small.entries.first?.problem?.code == "key_too_small")
        #expect(small.entries.first?.isWeak == true)
    }
}
