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
        (Samples.privateP256, true), ("p256/test-only-session.sec1.pem", true),
        ("p256/test-only-session.sec1.der", true), ("p256/test-only-session.pkcs8.der", true),
        ("p256/test-only-session.pkcs8-no-public.der", true), (Samples.publicP256, false),
        ("p256/test-only-session.spki-compressed.der", false), ("p256/test-only-session.cert.pem", false),
    ])
    func `Of P-256 are recognised as well`(_ file: String, _ canSign: Bool) throws {
        let key = try Samples.file(file)
        #expect(key.algorithm == .es256 && key.canSign == canSign && key.isPublishedTestKey)
        // The thumbprint of RFC 7638, calculated with jwcrypto.
        #expect(key.id == Self.thumbprintOfP256)
    }

    static let thumbprintOfP256 = "vyWjramY-TcoyGI52T-wK5RjykhZJ7o7VbtOjpyO3yI"

    @Test(arguments: [
        ("test-only-issuer-1024.pkcs8.pem", "key_too_small"), ("test-only-issuer-1024.spki.pem", "key_too_small"),
        ("nowhere.pem", "no_such_file"), ("formats/test-only-2048.pbes2-aes256.pem", "password_required"),
        ("test-only-bundle-certs.pem", "unsupported_key"),
        ("p256/test-only-session.pbes2-aes256.der", "password_required"),
        ("p256/bad/test-only-other-half-pkcs8.der", "unreadable_key"),
        ("p256/bad/test-only-other-half-sec1.der", "unreadable_key"),
        ("p256/bad/test-only-infinity-spki.der", "unreadable_key"),
        ("p256/bad/test-only-explicit-spki.der", "unsupported_key"),
        ("p256/bad/test-only-secp256k1-pkcs8.der", "unsupported_key"),
        ("p256/bad/test-only-secp384r1-spki.der", "unsupported_key"),
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

    /// No byte of a P-256 key makes a secret of it: it is refused, or another key of the same kind.
    @Test(arguments: [
        "pkcs8.der", "pkcs8-no-public.der", "sec1.der", "sec1-no-public.der", "spki.der", "spki-compressed.der",
    ])
    func `Are not secrets if one byte of P-256 is wrong, or the last are missing`(_ ending: String) throws {
        let good = try Samples.bytes(ofKey: "p256/test-only-session.\(ending)")
        var damaged = good.indices.map { index in
            good[..<index] + [good[index] ^ UInt8(truncatingIfNeeded: index % 255 + 1)] + good[(index + 1)...]
        }
        damaged += (32..<good.count).map { good[..<$0] } + [good + [0]]
        for content in damaged {
            let key = try? SessionKey(Array(content), named: "damaged")
            #expect(key?.algorithm != .hs256, "\(content.count) bytes")
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

    @Test func `Of all algorithms work in one ring, for a change from one to the other`() throws {
        let keys = try SessionAlgorithm.allCases.map(Samples.key)
        let verifier = try PlaybackSessionVerifier(keys: SessionKeys(keys), issuer: .exactly(Samples.issuerName))
        for key in keys { #expect(verifier.code(try Samples.issuer(key).issue(Samples.session()).text) == "valid") }
        for (own, other) in [(Samples.privateRSA, Samples.publicRSA), (Samples.privateP256, Samples.publicP256)] {
            let publicOnly = try Samples.verifier(Samples.file(other))
            #expect(publicOnly.code(try Samples.issuer(Samples.file(own)).issue(Samples.session()).text) == "valid")
        }
    }

    @Test func `Show only public keys in the JWK set`() throws {
        let set = try SessionKeys(
            [Samples.secret(1), Samples.file(Samples.privateRSA), Samples.file(Samples.privateP256)]
        ).jwkSet()
        let object = try #require(JSONSerialization.jsonObject(with: Data(set.utf8)) as? [String: [[String: String]]])
        let keys = try #require(object["keys"])
        #expect(keys.count == 2)
        #expect(
            keys[1] == [
                "kty": "EC", "use": "sig", "alg": "ES256", "kid": Self.thumbprintOfP256, "crv": "P-256",
                "x": "-VgMwfpzQFJAgBEDVqI4DaVTA6LHRh36jcxrVNkp5WM",
                "y": "LFNsmhmAcLotYrWJovw6EfU0Wdj_u3ftJeOgrDm-al8",
            ])
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
