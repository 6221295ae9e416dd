import EntitlementValues
import HostSystem
import MediaTokens
import OpenSSLBridge
import PlaybackSessions
import TestVectors
import Testing
import TextCodecs

/// Bad input: each case must be refused, and with the code that says why.
@Suite struct `A session is refused` {
    @Test(arguments: SessionAlgorithm.allCases)
    func `If another key signed it`(_ algorithm: SessionAlgorithm) throws {
        let key = try Samples.key(algorithm)
        let other =
            switch algorithm {
            case .hs256: try Samples.secret(8)
            case .rs256: try Samples.file("test-only-other-2048.pkcs8.pem")
            case .es256: try Samples.file("p256/test-only-other.pkcs8.pem")
            }
        let forged = try Samples.issuer(other).issue(Samples.session()).text
        #expect(try Samples.verifier(key).code(forged) == "retired_session_key")
        // The same with the header of the good key.
        let good = try Samples.issuer(key).issue(Samples.session()).text
        let swapped = "\(good.split(separator: ".")[0])." + forged.split(separator: ".")[1...].joined(separator: ".")
        #expect(try Samples.verifier(key).code(swapped) == "bad_session_signature")
        // The signature of one session on the claims of another.
        let second = try Samples.issuer(key).issue(Samples.session("Other")).text
        let mixed = (second.split(separator: ".")[..<2] + [good.split(separator: ".")[2]]).joined(separator: ".")
        #expect(try Samples.verifier(key).code(mixed) == "bad_session_signature")
    }

    /// As services answer, so that a program needs no table of its own.
    @Test func `With a status of HTTP`() {
        let errors: [(PlaybackSessionError, Int)] = [
            (.badSignature, 401), (.expired(at: Samples.now, now: Samples.now), 401), (.revoked, 401),
            (.otherResource(expected: ["a"], presented: "b"), 403), (.otherPath, 403),
            (.tooManyStreams(limit: 2), 409), (.contended(attempts: 3), 503), (.unusableRecord(reason: "x"), 503),
            (.noKeys, 503),
        ]
        for (error, status) in errors { #expect(error.httpStatus == status, "\(error)") }
        #expect(PlaybackSessionError.contended(attempts: 3).status == .errorUnknown)
    }

    @Test func `With both resources, which never look the same`() throws {
        let key = try Samples.secret(7)
        let text = try Samples.issuer(key).issue(Samples.session("Canal\u{A0}Sur")).text
        let error = #expect(throws: PlaybackSessionError.self) {
            try Samples.verifier(key).verify(text, expecting: Samples.expectations("Canal Sur"), at: Samples.now)
        }
        #expect(error?.description.contains(#""Canal\u{a0}Sur", not for "Canal Sur""#) == true)
    }

    @Test func `Once its key is retired`() throws {
        let (old, new) = try (Samples.secret(1), Samples.secret(2))
        let text = try Samples.issuer(old).issue(Samples.session()).text
        #expect(try Samples.verifier(new, old).code(text) == "valid")
        #expect(try Samples.verifier(new).code(text) == "retired_session_key")
        let renewed = try Samples.issuer(new, old).renew(
            Samples.verifier(new, old).verify(text, expecting: Samples.expectations(), at: Samples.now),
            at: Samples.now)
        #expect(try Samples.verifier(new).code(renewed.text) == "valid", "a renewal is signed with the new key")
    }

    @Test(arguments: [
        "none", "NONE", "HS384", "RS256", "RS512", "ES256", "hs256", "",
    ])
    func `If its header names another algorithm`(_ algorithm: String) throws {
        let key = try Samples.secret(7)
        let header = #"{"alg":"\#(algorithm)","kid":"\#(key.id)","typ":"playback-session+jwt"}"#
        let code = try Samples.verifier(key).code(Self.resigned(header: header))
        #expect(code == "bad_session")
        #expect(try Samples.verifier(key).code(Self.resigned(header: header, signature: "")) == "bad_session")
    }

    /// The public key is known to everybody, so it must not become a secret of HS256.
    @Test(arguments: [
        (Samples.privateRSA, "test-only-issuer-2048.spki.pem"), (Samples.privateRSA, "test-only-issuer-2048.spki.der"),
        (Samples.privateP256, Samples.publicP256), (Samples.privateP256, "p256/test-only-session.spki.der"),
    ])
    func `If it is signed with the public key as a secret`(_ good: String, _ file: String) throws {
        let key = try Samples.file(good)
        let bytes = try Samples.bytes(ofKey: file)
        #expect(try Samples.file(file).algorithm == key.algorithm)
        let header = #"{"alg":"HS256","kid":"\#(key.id)","typ":"playback-session+jwt"}"#
        let forged = try Self.resigned(header: header, secret: bytes)
        #expect(try Samples.verifier(key).code(forged) == "bad_session")
    }

    @Test(arguments: [
        // The order of members, white space, an escape, the type, a member more, a member twice.
        #"{"typ":"playback-session+jwt","alg":"HS256","kid":"KID"}"#,
        #"{ "alg":"HS256","kid":"KID","typ":"playback-session+jwt"}"#,
        #"{"alg":"HS256","kid":"KID","typ":"playback-session\u002bjwt"}"#,
        #"{"alg":"HS256","kid":"KID","typ":"JWT"}"#, #"{"alg":"HS256","kid":"KID"}"#,
        #"{"alg":"HS256","crit":[],"kid":"KID","typ":"playback-session+jwt"}"#,
        #"{"alg":"HS256","alg":"HS256","kid":"KID","typ":"playback-session+jwt"}"#,
        #"{"alg":"HS256","jwk":{},"kid":"KID","typ":"playback-session+jwt"}"#,
        #"{"alg":"HS256","typ":"playback-session+jwt"}"#, "{}", "[]", "", "null",
    ])
    func `If its header has another spelling`(_ template: String) throws {
        let key = try Samples.secret(7)
        let header = template.replacing("KID", with: key.id)
        #expect(try Samples.verifier(key).code(Self.resigned()) == "valid")
        #expect(try Samples.verifier(key).code(Self.resigned(header: header)) == "bad_session")
    }

    @Test(arguments: [
        // A changed, missing, additional and repeated claim; another order, spelling, type; extra space; numbers.
        (#""iss":"play.example.org""#, #""iss":"other.example.org""#, "session_issuer_mismatch"),
        (#""aud":"REF30""#, #""aud":"OTHER""#, "requestor_mismatch"),
        (#""aud":"REF30""#, #""aud":["REF30"]"#, "bad_session"),
        (#""aud":"REF30","#, "", "bad_session"), (#""aud":"REF30""#, #""aud":null"#, "bad_session"),
        (#""aud":"REF30""#, #""aud":"""#, "bad_session"),
        (#""aud":"REF30""#, #""aud":"\u0052EF30""#, "bad_session"),
        (#""aud":"REF30""#, #""aud":"REF30","aud":"REF30""#, "bad_session"),
        (#""aud":"REF30""#, #""aud":"REF30","admin":true"#, "bad_session"),
        (#""aud":"REF30""#, #""aud": "REF30""#, "bad_session"),
        (#""resource":"REF30""#, #""resource":"REF30\u0000""#, "resource_mismatch"),
        (#""exp":"#, #""nbf":1,"exp":"#, "bad_session"), (#""exp":1"#, #""exp":1.0e0,"x":1"#, "bad_session"),
        (#""exp":1768498500"#, #""exp":"1768498500""#, "bad_session"),
        (#""exp":1768498500"#, #""exp":1768498500.0"#, "bad_session"),
        (#""exp":1768498500"#, #""exp":1.7684985e9"#, "bad_session"),
        (#""exp":1768498500"#, #""exp":-1"#, "bad_session"),
        (#""exp":1768498500"#, #""exp":9223372036854775807"#, "bad_session"),
        (#""exp":1768498500"#, #""exp":99999999999999999999"#, "bad_session"),
        (#""exp":1768498500"#, #""exp":1768498200"#, "bad_session"),
        (#""exp":1768498500"#, #""exp":1768527001"#, "bad_session"),
        (#""ceiling":1768527000"#, #""ceiling":1769103001"#, "bad_session"),
        (#""iat":1768498200"#, #""iat":1768498261,"x":0"#, "bad_session"),
        (#""iat":1768498200"#, #""iat":1768498261"#, "session_not_yet_valid"),
        (#""iat":1768498200"#, #""iat":1768498260"#, "valid"),
    ])
    func `If its claims are changed, although the signature is good`(
        _ old: String, _ new: String, _ expected: String
    ) throws {
        let key = try Samples.secret(7)
        let claims = try Self.claims(of: Samples.issuer(key).issue(Samples.session()).text)
        #expect(claims.contains(old))
        let text = try Self.resigned(claims: claims.replacing(old, with: new, maxReplacements: 1))
        #expect(try Samples.verifier(key).code(text) == expected)
    }

    @Test(arguments: [
        // Prefixes, the case of letters, escapes, texts that look alike, white space.
        "/live/ab", "/live", "/live/a/", "/live/A", "/LIVE/a", "/live/%61", "%2Flive%2Fa", "/live/a ", " /live/a",
        "/live/a\u{0}", "/live/\u{E4}", "/live//a", "/live/../live/a", "",
    ])
    func `For any resource but its own`(_ resource: String) throws {
        let key = try Samples.secret(7)
        let text = try Samples.issuer(key).issue(Samples.session("/live/a")).text
        let verifier = try Samples.verifier(key)
        #expect(verifier.code(text, expecting: Samples.expectations("/live/a")) == "valid")
        let code = verifier.code(text, expecting: Samples.expectations(ResourceID(resource)))
        #expect(code == (resource.isEmpty ? "internal" : "resource_mismatch"))
        // The other way round: a session for the other resource is not one for this.
        guard !resource.isEmpty else { return }
        let other = try? Samples.issuer(key).issue(Samples.session(ResourceID(resource))).text
        if let other { #expect(verifier.code(other, expecting: Samples.expectations("/live/a")) != "valid") }
    }

    @Test func `For texts that are equal only by canonical equivalence`() throws {
        let key = try Samples.secret(7)
        let text = try Samples.issuer(key).issue(Samples.session("caf\u{E9}")).text
        #expect(
            try Samples.verifier(key).code(text, expecting: Samples.expectations("cafe\u{301}"))
                == "resource_mismatch")
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b.c", "a.b", "a.b.c.d.e", "\u{0}.\u{0}.\u{0}", "💥", " ",
        String(repeating: "A", count: 8193), String(repeating: ".", count: 8192),
    ])
    func `If it is another text`(_ text: String) throws {
        #expect(try Samples.verifier(Samples.secret(7)).code(text) == "bad_session")
    }

    @Test func `If something stands around it`() throws {
        let key = try Samples.secret(7)
        let text = try Samples.issuer(key).issue(Samples.session()).text
        for other in [text + " ", " " + text, text + "\n", text + "=", text + ".", "\"\(text)\"", text + "," + text] {
            #expect(try Samples.verifier(key).code(other) == "bad_session", "\(other.suffix(3))")
        }
    }

    // MARK: Making bad sessions

    static func claims(of text: String) throws -> String {
        let part = Array(text.split(separator: ".")[1].utf8)
        return String(
            decoding: try #require(Base64.decode(part, options: [.urlSafe, .unpadded])), as: UTF8.self)
    }

    /// A session with another header or other claims, signed well.
    static func resigned(
        header: String? = nil,
        claims: String? = nil,
        signature: String? = nil,
        secret: [UInt8] = [UInt8](repeating: 7, count: 32)
    ) throws -> String {
        let good = try Samples.issuer(Samples.secret(7)).issue(Samples.session()).text.split(separator: ".")
        let first = header.map { Base64.encodeURLSafe(Array($0.utf8)) } ?? String(good[0])
        let second = claims.map { Base64.encodeURLSafe(Array($0.utf8)) } ?? String(good[1])
        let code = try AuthenticationKey(WipedBytes(secret), digest: .sha256)
            .code(of: Array("\(first).\(second)".utf8))
        return "\(first).\(second).\(signature ?? Base64.encodeURLSafe(code))"
    }
}
