import EntitlementValues
import PlaybackSessions
import TestVectors
import Testing
import TextCodecs

/// What no vector of another implementation can have: our own settings, limits and errors.
@Suite struct `A Common Access Token` {
    @Test func `Is not made with an RSA key, in any place of the ring`() throws {
        let rsa = try Samples.file(Samples.privateRSA)
        for ring in [[rsa], [try Samples.secret(1), rsa]] {
            let error = #expect(throws: PlaybackSessionError.self) {
                try CommonAccessTokens(keys: SessionKeys(ring))
            }
            #expect(error?.code == "unsupported_key")
            #expect(error?.description.contains("P-256") == true)
        }
    }

    @Test(arguments: ["", "a b", "Edge.example", "edge.example:443", "é", "a/", String(repeating: "a", count: 254)])
    func `Is not made for a host that is not one`(_ host: String) {
        #expect(throws: PlaybackSessionError.unsuitable(.empty(field: "host of Common Access Tokens"))) {
            try EdgeSamples.commonAccess(host: host)
        }
    }

    @Test(arguments: ["", "a\0b", String(repeating: "é", count: 129)])
    func `Is not made with a name that is not one`(_ name: String) {
        #expect(throws: PlaybackSessionError.unsuitable(.empty(field: "issuer of Common Access Tokens"))) {
            try EdgeSamples.commonAccess(issuer: name)
        }
        let audience = PlaybackSessionError.unsuitable(.empty(field: "audience of Common Access Tokens"))
        #expect(throws: audience) { try EdgeSamples.commonAccess(audience: name) }
        #expect(audience.description.contains("is empty, too long, or has a character"))
    }

    @Test func `Is refused if it would be too long, and else has at most 1,024 bytes`() throws {
        let folder = "/" + String(repeating: "a", count: EdgePath.maximumLength - 2) + "/"
        let grant = try EdgeSamples.grant(folder, client: .address("2001:db8::77"))
        let issued = try EdgeSamples.commonAccess().issue(grant)
        #expect(issued.parameters[0].value.utf8.count <= CommonAccessTokens.maximumLength)
        let tokens = try EdgeSamples.commonAccess(host: String(repeating: "a", count: 253))
        let error = #expect(throws: PlaybackSessionError.unsuitable(.accessTokenLength)) { try tokens.issue(grant) }
        #expect(error?.code == "unsuitable_session" && error?.httpStatus == 503)
        #expect(error?.description.contains("longer than 1024 bytes; take a shorter path") == true)
    }

    @Test func `Is not read if it is too long, whatever is in it`() throws {
        for length in [1025, 8000] {
            let request = try EdgeRequest(target: "/live/a/1.ts", accessToken: String(repeating: "A", count: length))
            #expect(throws: PlaybackSessionError.tooLarge(limit: 1024)) {
                try EdgeSamples.commonAccess().verify(request, at: Samples.now)
            }
            #expect(throws: PlaybackSessionError.tooLarge(limit: 1024)) {
                try UnverifiedEdgeGrant(parsing: request, as: .commonAccess)
            }
        }
    }

    @Test func `Says nothing of the claims before its signature is good`() throws {
        let tokens = try EdgeSamples.commonAccess()
        let forger = try EdgeSamples.commonAccess([EdgeSamples.otherSecret])
        let ended = try EdgeSamples.grant("/live/b/", lasting: .seconds(-60), client: .address("192.0.2.7"))
        let text = try #require(forger.issue(ended).parameters.first?.value)
        let bytes = try #require(Base64.decode(Array(text.utf8), options: [.urlSafe, .unpadded]))
        // The name of the key is the only thing that is changed.
        let (own, other) = (Array(tokens.keys.ids[0].utf8), Array(forger.keys.ids[0].utf8))
        let place = try #require(
            (0...bytes.count - other.count).first { Array(bytes[$0...].prefix(other.count)) == other })
        let renamed = bytes[..<place] + own + bytes[(place + other.count)...]
        let request = try EdgeRequest(target: "/live/a/1.ts?CAT=\(Base64.encodeURLSafe(Array(renamed)))")
        #expect(throws: PlaybackSessionError.badSignature) { try tokens.verify(request, at: Samples.now) }
    }

    @Test func `Is verified with a public key, which cannot issue one`() throws {
        let signing = try EdgeSamples.commonAccess(["p256/test-only-session.pkcs8.pem"])
        let verifying = try EdgeSamples.commonAccess(["p256/test-only-session.spki.pem"])
        let grant = try EdgeSamples.grant()
        let request = try EdgeRequest(target: "/live/a/1.ts?\(signing.issue(grant).parameters.query)")
        #expect(try verifying.verify(request, at: Samples.now).grant == grant)
        #expect(throws: PlaybackSessionError.cannotSign) { try verifying.issue(grant) }
    }

    @Test func `Of an audience has its own words, and the status of a requestor`() {
        #expect(PlaybackSessionError.otherAudience.description == "the grant is for another audience")
        #expect(PlaybackSessionError.otherAudience.code == "requestor_mismatch")
        #expect(PlaybackSessionError.otherAudience.httpStatus == 403)
    }
}

@Suite struct `CBOR of tokens` {
    @Test(
        arguments: [
            // RFC 8949, appendix A.
            ("00", .integer(0)), ("01", .integer(1)), ("0a", .integer(10)), ("17", .integer(23)),
            ("1818", .integer(24)),
            ("1819", .integer(25)), ("1864", .integer(100)), ("1903e8", .integer(1000)),
            ("1a000f4240", .integer(1_000_000)),
            ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("20", .integer(-1)), ("29", .integer(-10)),
            ("3863", .integer(-100)), ("3903e7", .integer(-1000)), ("40", .bytes([])),
            ("4401020304", .bytes([1, 2, 3, 4])),
            ("60", .text("")), ("6161", .text("a")), ("6449455446", .text("IETF")), ("62c3bc", .text("ü")),
            ("63e6b0b4", .text("水")), ("64f0908591", .text("𐅑")), ("80", .array([])),
            ("83010203", .array([.integer(1), .integer(2), .integer(3)])), ("a0", .map([:])),
            ("a201020304", .map([1: .integer(2), 3: .integer(4)])),
            ("c11a514b67b0", .tagged(1, .integer(1_363_896_240))),
            ("d74401020304", .tagged(23, .bytes([1, 2, 3, 4]))),
            // The ends of each length, and the order of keys.
            ("18ff", .integer(255)), ("190100", .integer(256)), ("19ffff", .integer(65535)),
            ("1a00010000", .integer(65536)),
            ("1affffffff", .integer(4_294_967_295)), ("1b0000000100000000", .integer(4_294_967_296)),
            ("1b7fffffffffffffff", .integer(.max)), ("3b7fffffffffffffff", .integer(.min)),
            (
                "a50000181800190100002000386300",
                .map([0: .integer(0), 24: .integer(0), 256: .integer(0), -1: .integer(0), -100: .integer(0)])
            ),
        ] as [(String, TokenCBOR)])
    func `Has one spelling`(_ digits: String, _ value: TokenCBOR) {
        let bytes = Vectors.bytes(hexadecimal: digits)
        #expect(TokenCBOR(bytes) == value)
        #expect(value.encoded == bytes)
    }

    /// Members in another order or twice, larger integers, floats, simple values, longer forms, lengths that are not
    /// told, broken texts, keys that are not integers, and what ends too early or goes on.
    @Test(arguments: [
        "a220000000", "a21818000000", "a23863002000", "1b8000000000000000", "1bffffffffffffffff",
        "3b8000000000000000", "f4", "f5", "f6", "f7", "f0", "f8ff", "f90000", "fa47c35000", "fb3ff199999999999a",
        "1800", "1817", "190000", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3800", "5800", "7800", "9800",
        "b800", "d800c0", "5f4101ff", "7f6161ff", "9f01ff", "bf0102ff", "ff", "1c", "1d", "1e", "1f", "", "18",
        "1901", "410101", "41", "61ff", "62c0af", "63eda080", "64f4908080", "81", "a1", "a101", "c1", "a203040102",
        "a201020102", "a220000100", "a1616101", "a1410101", "a18001", "0000", "9bffffffffffffffff",
        "bbffffffffffffffff", "5bffffffffffffffff", "7b7fffffffffffffff", "d8", "818181818100",
    ])
    func `Has no other spelling`(_ digits: String) {
        #expect(TokenCBOR(Vectors.bytes(hexadecimal: digits)) == nil)
    }

    @Test func `Is read to a depth and a number of values that are bounded`() {
        #expect(TokenCBOR([0x81, 0x81, 0x81, 0x81, 0x00]) != nil)
        #expect(TokenCBOR([UInt8](repeating: 0x81, count: 5) + [0x00]) == nil)
        #expect(TokenCBOR([UInt8](repeating: 0xC1, count: 100_000)) == nil)
        #expect(TokenCBOR([0x98, 63] + [UInt8](repeating: 0, count: 63)) != nil)
        #expect(TokenCBOR([0x98, 64] + [UInt8](repeating: 0, count: 64)) == nil)
        #expect(TokenCBOR([0x9A, 0, 1, 0, 0] + [UInt8](repeating: 0, count: 1 << 16)) == nil)
    }
}
