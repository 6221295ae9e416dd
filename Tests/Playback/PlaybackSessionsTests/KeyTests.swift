import EntitlementKeys
import EntitlementValues
import Foundation
import PlaybackSessions
import TestVectors
import Testing

@Suite struct `The keys of sessions` {
    @Test(arguments: [
        (Samples.privateRSA, true), ("test-only-issuer-2048.pkcs1.der", true), (Samples.publicRSA, false),
        ("test-only-issuer-2048.spki.der", false), ("test-only-issuer-2048.cert-v3.pem", false),
        ("test-only-issuer-2048.cert-v1.der", false),
    ])
    func `Are recognised by what their file holds`(_ file: String, _ canSign: Bool) throws {
        let key = try Samples.file(file)
        #expect(key.algorithm == .rs256 && key.canSign == canSign)
        // The thumbprint of RFC 7638, calculated with Python's hashlib over the JSON Web Key of this key.
        #expect(key.id == Self.thumbprint)
    }

    static let thumbprint = "sed_aWJZSt9PSspHjXVumV-28mbIavCDr6eKLgcCsdM"

    @Test(arguments: [
        ("test-only-issuer-1024.pkcs8.pem", "key_too_small"), ("test-only-issuer-1024.spki.pem", "key_too_small"),
        ("nowhere.pem", "no_such_file"), ("formats/test-only-2048.pbes2-aes256.pem", "password_required"),
        ("test-only-bundle-certs.pem", "unsupported_key"),
    ])
    func `Are refused if they are not fit`(_ file: String, _ code: String) {
        do throws(PlaybackSessionError) {
            _ = try Samples.file(file)
            Issue.record("\(file) was read")
        } catch {
            #expect(error.code == code, "\(error)")
            #expect(error.description.contains(file))
        }
    }

    @Test(arguments: [0, 1, 31, 4097])
    func `That are secrets have 32 to 4096 bytes`(_ count: Int) {
        #expect(throws: PlaybackSessionError.self) {
            try SessionKey([UInt8](repeating: 200, count: count), named: "secret")
        }
    }

    /// A damaged key file would become a secret that others may have.
    @Test(arguments: [
        (Samples.privateRSA, 60..<900), (Samples.publicRSA, 60..<300), ("test-only-issuer-2048.spki.der", 4..<24),
        ("test-only-issuer-2048.pkcs8.der", 4..<30), ("test-only-issuer-2048.pkcs8.der", 100..<700),
    ])
    func `Are not secrets if they are damaged key files`(_ file: String, _ range: Range<Int>) throws {
        var damaged = try Samples.bytes(ofKey: file)
        for index in range { damaged[index] = UInt8(ascii: "#") }
        #expect(throws: PlaybackSessionError.self) {
            try SessionKey(damaged, named: "damaged")
        }
    }

    @Test func `Are a ring whose first key signs`() throws {
        let (one, two) = try (Samples.secret(1), Samples.secret(2))
        let ring = try SessionKeys([one, two])
        #expect(ring.ids == [one.id, two.id])
        #expect(throws: PlaybackSessionError.noKeys) { try SessionKeys([]) }
        #expect(throws: PlaybackSessionError.self) { try SessionKeys([one, two, one]) }
        #expect(throws: PlaybackSessionError.self) { try SessionKeys((0..<33).map { try Samples.secret($0) }) }
        #expect(throws: PlaybackSessionError.cannotSign) {
            try Samples.issuer(Samples.file(Samples.publicRSA), one)
        }
    }

    @Test func `Of both algorithms work in one ring, for a change from one to the other`() throws {
        let (secret, rsa) = try (Samples.secret(1), Samples.file(Samples.privateRSA))
        let verifier = try Samples.verifier(rsa, secret)
        #expect(verifier.code(try Samples.issuer(secret).issue(Samples.session()).text) == "valid")
        #expect(verifier.code(try Samples.issuer(rsa).issue(Samples.session()).text) == "valid")
        let publicOnly = try Samples.verifier(Samples.file(Samples.publicRSA))
        #expect(publicOnly.code(try Samples.issuer(rsa).issue(Samples.session()).text) == "valid")
    }

    @Test func `Show only public RSA keys in the JWK set`() throws {
        let set = try SessionKeys([Samples.secret(1), Samples.file(Samples.privateRSA)]).jwkSet()
        let object = try #require(JSONSerialization.jsonObject(with: Data(set.utf8)) as? [String: [[String: String]]])
        let keys = try #require(object["keys"])
        #expect(keys.count == 1)
        #expect(Set(keys[0].keys) == ["kty", "use", "alg", "kid", "n", "e"])
        #expect(keys[0]["kid"] == Self.thumbprint && keys[0]["e"] == "AQAB" && keys[0]["alg"] == "RS256")
        #expect(try SessionKeys([Samples.secret(1)]).jwkSet() == #"{"keys":[]}"#)
    }

    @Test func `Do not show themselves`() throws {
        let key = try Samples.secret(UInt8(ascii: "S"))
        let ring = try SessionKeys([key])
        for text in [String(reflecting: key), "\(ring)", "\(key)"] {
            #expect(!text.contains("SSSS") && !text.contains("83, 83"))
        }
    }
}
