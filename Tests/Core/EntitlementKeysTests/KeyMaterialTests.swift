import EntitlementKeys
import EntitlementValues
import Foundation
import HostSystem
import OpenSSLBridge
import TestVectors
import Testing

/// What is written here is read by the `openssl` command.
@Suite struct KeyMaterialTests {
    static let password = KeyPassword("test-only")
    static let source = Vectors.key("test-only-issuer-2048.pkcs8.pem")

    @Test func `Encrypted keys are read by OpenSSL and here`() async throws {
        let key = try #require(try KeyMaterial.all(inFile: Self.source).first)
        let pem = bytes(try key.encryptedPEM(password: Self.password))
        let read = try SigningKey(pem.span, named: "written", password: Self.password)
        #expect(read.fingerprint == key.fingerprint)
        let inventory = try KeyInventory(pem.span, named: "written")
        #expect(inventory.formats == ["PEM, PKCS#8 private key (PBES2, AES-256-CBC)"])
        let plain = try await openssl(["pkey", "-passin", "pass:test-only"], input: pem)
        #expect(plain == bytes(try key.unencryptedPEM()))
    }

    @Test func `The public half is what OpenSSL writes`() async throws {
        let key = try #require(try KeyMaterial.all(inFile: Self.source).first)
        let expected = try await openssl(["pkey", "-in", Self.source, "-pubout"], input: [])
        #expect(Array(key.publicKeyPEM.utf8) == expected)
        #expect(try SigningKey(contentsOfFile: Self.source).publicKeyPEM == key.publicKeyPEM)
        let store = Vectors.key("formats/test-only-2048.jks")
        let keys = try VerificationKeys(contentsOfFile: store, password: Self.password)
        #expect(keys.keys.map(\.publicKeyPEM) == [key.publicKeyPEM])
        #expect(keys.keys.map(\.alias) == ["issuer-2048"])
    }

    @Test func `Request and certificate are good to OpenSSL`() async throws {
        let key = try KeyMaterial.generated(bits: 2048, named: "new")
        let subject = CertificateSubject(commonName: "Prüfung", organization: "Test only", country: "DE")
        let request = Array(try key.certificateRequestPEM(subject: subject).utf8)
        let requestText = try await openssl(["req", "-verify", "-noout", "-text", "-nameopt", "utf8"], input: request)
        let words = String(decoding: requestText, as: UTF8.self)
        #expect(words.contains("sha256WithRSAEncryption") && words.contains("Prüfung"))

        let (first, last) = (Timestamp(milliseconds: 1_700_000_000_000), Timestamp(milliseconds: 1_900_000_000_000))
        let certificate = Array(try key.selfSignedCertificatePEM(subject: subject, validity: first...last).utf8)
        let inventory = try KeyInventory(certificate.span, named: "certificate")
        let entry = try #require(inventory.entries.first)
        #expect(entry.subject == "CN=Prüfung,O=Test only,C=DE")
        #expect(entry.issuer == entry.subject)
        #expect(entry.validity == first...last)
        #expect(entry.fingerprint == key.fingerprint)
        #expect(entry.isExpired(at: last + .seconds(1)) && !entry.isExpired(at: last))
        #expect(entry.isNotYetValid(at: first - .seconds(1)) && !entry.isNotYetValid(at: first))
        let text = String(decoding: try await openssl(["x509", "-noout", "-text"], input: certificate), as: UTF8.self)
        #expect(text.contains("Version: 3") && text.contains("CA:FALSE"))
    }

    @Test(arguments: ["", "a\0b"]) func `Unusable passwords encrypt nothing`(_ password: String) throws {
        let key = try #require(try KeyMaterial.all(inFile: Self.source).first)
        let error = #expect(throws: KeyError.self) { try key.encryptedPEM(password: KeyPassword(password)) }
        #expect(error?.code == "bad_password")
    }

    @Test(arguments: [1024, 2047, 8193]) func `Other sizes are not made`(_ bits: Int) {
        #expect(throws: KeyError.self) { try KeyMaterial.generated(bits: bits, named: "new") }
    }

    @Test func `A country of three letters is refused with words`() throws {
        let key = try #require(try KeyMaterial.all(inFile: Self.source).first)
        let subject = CertificateSubject(commonName: "x", country: "DEU")
        let error = #expect(throws: KeyError.self) { try key.certificateRequestPEM(subject: subject) }
        #expect(error?.description.contains("its C") == true)
    }

    @Test func `Private files are for their owner and never overwritten`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "tve-private-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let content = Array("test-only".utf8)
        try Files.create(path, holding: WipedBytes(content.span), isPrivate: true)
        #expect(try !Files.isOpenToOthers(path))
        #expect(throws: FileFailure.self) {
            try Files.create(path, holding: WipedBytes(content.span), isPrivate: true)
        }
        #expect(FileManager.default.contents(atPath: path) == Data(content))
    }

    private func bytes(_ bytes: WipedBytes) -> [UInt8] {
        bytes.withSpan { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func openssl(_ arguments: [String], input: [UInt8]) async throws -> [UInt8] {
        let outcome = try await Program.runOpenSSL(arguments, input: input)
        #expect(outcome.exitCode == 0)
        return outcome.bytes
    }
}
