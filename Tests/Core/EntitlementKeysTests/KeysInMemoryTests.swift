import EntitlementKeys
import Foundation
import HostSystem
import TestVectors
import Testing

/// Keys as programs have them that get them from a secret manager: texts and arrays.
@Suite struct KeysInMemoryTests {
    static let privateKey = Vectors.key("test-only-issuer-2048.pkcs8.pem")
    static let publicKey = Vectors.key("test-only-issuer-2048.spki.pem")
    static let bundle = Vectors.key("test-only-bundle-certs.pem")

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    @Test func `A text is read as the file is`() throws {
        let signing = try SigningKey(contentsOfFile: Self.privateKey)
        let pem = try text(Self.privateKey)
        #expect(try SigningKey(pem: pem).fingerprint == signing.fingerprint)
        #expect(try SigningKey(pem: pem).label == "PEM")
        #expect(try SigningKey(pem: pem, named: "vault").label == "vault")
        #expect(try DecryptionKeys(pem: pem).keys.map(\.fingerprint) == [signing.fingerprint])
        let trusted = try VerificationKeys(contentsOfFile: Self.bundle).keys.map(\.fingerprint)
        #expect(trusted.count > 1)
        #expect(try VerificationKeys(pem: text(Self.bundle)).keys.map(\.fingerprint) == trusted)
    }

    @Test func `An array is read as the file is`() throws {
        let signing = try SigningKey(contentsOfFile: Self.privateKey)
        let content = try bytes(Self.privateKey)
        #expect(try SigningKey(content, named: "vault").fingerprint == signing.fingerprint)
        #expect(try DecryptionKeys(content, named: "vault").keys.map(\.fingerprint) == [signing.fingerprint])
        let inventory = try KeyInventory(content, named: "vault")
        #expect(inventory.formats == (try KeyInventory(content.span, named: "vault").formats))
        #expect(inventory.source == "vault")
    }

    @Test func `A password opens a text and is asked for`() throws {
        let key = try #require(try KeyMaterial.all(inFile: Self.privateKey).first)
        let password = KeyPassword("test-only")
        let content = try key.encryptedPEM(password: password).withSpan { span in span.indices.map { span[$0] } }
        let pem = String(decoding: content, as: UTF8.self)
        for given in [password, KeyPassword(Array("test-only".utf8))] {
            #expect(try SigningKey(pem: pem, password: given).fingerprint == key.fingerprint)
            #expect(try DecryptionKeys(pem: pem, password: given).keys.map(\.fingerprint) == [key.fingerprint])
        }
        let missing = #expect(throws: KeyError.self) { try SigningKey(pem: pem) }
        #expect(missing?.code == "password_required")
        let wrong = #expect(throws: KeyError.self) { try DecryptionKeys(pem: pem, password: KeyPassword([0x78])) }
        #expect(wrong?.code == "bad_password")
    }

    @Test(arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func `A text without a key is refused and not shown`(_ pem: String) throws {
        for read in [
            { _ = try SigningKey(pem: pem, named: "vault") }, { _ = try DecryptionKeys(pem: pem, named: "vault") },
            { _ = try VerificationKeys(pem: pem, named: "vault") },
        ] as [() throws -> Void] {
            let error = #expect(throws: KeyError.self) { try read() }
            #expect(error?.description.contains("vault") == true)
            #expect(error?.description.contains("AAAA") == false)
        }
    }

    @Test func `A role takes no key of another`() throws {
        #expect(throws: KeyError.self) { try SigningKey(pem: text(Self.publicKey)) }
        #expect(throws: KeyError.self) { try DecryptionKeys(pem: text(Self.publicKey)) }
        #expect(throws: KeyError.self) { try VerificationKeys(pem: text(Self.privateKey)) }
    }

    @Test func `Short keys need leave in memory too`() throws {
        let pem = try text(Vectors.key("test-only-issuer-1024.pkcs8.pem"))
        #expect(throws: KeyError.self) { try SigningKey(pem: pem) }
        #expect(throws: KeyError.self) { try DecryptionKeys(pem: pem) }
        #expect(try SigningKey(pem: pem, allowingWeakKeys: true).bits == 1024)
        #expect(try DecryptionKeys(pem: pem, allowingWeakKeys: true).keys.map(\.bits) == [1024])
    }
}
