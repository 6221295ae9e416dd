import BrokerMessages
import EntitlementKeys
import EntitlementValues
import RequestorSigning
import TestVectors
import Testing

/// The headers whose values are tokens that others made.
@Suite struct TokenHeaderTests {
    private static let signed = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl"
    private static let encrypted = "eyJlbmMiOiJBMjU2R0NNIn0..aXY.dGV4dA.dGFn"

    // MARK: Bearer

    @Test func `An access token is sent as a bearer`() throws {
        let token = try BearerToken(Self.signed)
        #expect(BearerToken.name == "Authorization")
        #expect(token.headerValue == "Bearer " + Self.signed)
        #expect(try BearerToken(headerValue: token.headerValue) == token)
        #expect(try BearerToken(headerValue: "bearer   \(Self.signed)") == token)
    }

    @Test(arguments: ["a", "a=", "a==", "aB3-._~+/==", "a.b.c"])
    func `Opaque tokens are taken`(_ text: String) throws {
        #expect(try BearerToken(text).headerValue == "Bearer \(text)")
    }

    @Test(arguments: [
        ("", "header_empty"), ("=", "header_unexpected_character"), ("a=b", "header_unexpected_character"),
        ("a b", "header_unexpected_character"), ("a\r\nX-Header: 1", "header_unexpected_character"),
        ("a\0", "header_unexpected_character"), ("é", "header_unexpected_character"),
        ("a,b", "header_unexpected_character"), (String(repeating: "a", count: 16_385), "header_too_long"),
    ])
    func `Other texts are not bearer tokens`(_ text: String, _ code: String) throws {
        #expect(try refusal { () throws(BrokerHeaderError) in try BearerToken(text) }.code == code)
    }

    @Test func `Each character is judged alike in tokens of any length`() throws {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/".unicodeScalars)
        for scalar in (0...0xFF).map({ Unicode.Scalar(UInt8($0)) }) {
            for length in [1, 7, 16, 33, 70] {
                let rest = String(repeating: "t", count: length - 1)
                let isTaken = [rest + String(scalar) + "t", String(scalar) + rest].map { (try? BearerToken($0)) != nil }
                #expect(isTaken == [allowed.contains(scalar), allowed.contains(scalar)], "\(scalar.value), \(length)")
            }
        }
    }

    @Test(arguments: ["Basic abc", "Bearer", "abc", "Bearerabc"])
    func `Other schemes are refused`(_ value: String) throws {
        let error = try refusal { () throws(BrokerHeaderError) in try BearerToken(headerValue: value) }
        #expect(error == .unexpectedForm(header: "Authorization", expected: "of the form `Bearer <token>`"))
    }

    // MARK: Service token

    @Test func `The signer's token is sent as it is`() throws {
        let key = try SigningKey(contentsOfFile: Vectors.key("test-only-issuer-2048.pkcs8.pem"))
        let signer = try ServiceTokenSigner(key: key, keyID: "2026-01")
        let claims = ServiceTokenClaims(
            issuer: "programmer", subject: "user-1", audience: ["broker"], lifetime: .minutes(5))
        let compact = try signer.sign(claims, at: Timestamp(milliseconds: 1_790_000_000_000), tokenID: "1")
        let token = try ServiceToken(compact)
        #expect(ServiceToken.name == "AD-Service-Token")
        #expect(token.headerValue == compact)
        #expect(try ServiceToken(headerValue: compact) == token)
    }

    @Test(arguments: [
        ("", "header_empty"), ("a.b", "header_unexpected_form"), ("a.b.c.d", "header_unexpected_form"),
        (".b.c", "header_unexpected_form"), (encrypted, "header_unexpected_form"),
        ("a.b.c\n", "header_unexpected_character"), ("a.b.c=", "header_unexpected_character"),
        (" a.b.c", "header_unexpected_character"), ("a.b.+", "header_unexpected_character"),
        ("a.b." + String(repeating: "c", count: 65_533), "header_too_long"),
    ])
    func `Other texts are not service tokens`(_ text: String, _ code: String) throws {
        #expect(try refusal { () throws(BrokerHeaderError) in try ServiceToken(text) }.code == code)
    }

    // MARK: Platform tokens

    @Test(arguments: [signed, encrypted])
    func `Platform tokens are passed on untouched`(_ compact: String) throws {
        let subject = try PlatformToken.subject(compact)
        #expect(subject.name == "Adobe-Subject-Token")
        #expect(subject.headerValue == compact)
        #expect(try PlatformToken(name: "adobe-subject-token", headerValue: compact) == subject)
        let other = try PlatformToken.roku(compact)
        #expect(other.name == "X-Roku-Reserved-Roku-Connect-Token")
        #expect(try PlatformToken(name: "X-ROKU-Reserved-Roku-Connect-Token", headerValue: compact) == other)
        #expect(subject != other)
        #expect(PlatformToken.names == [subject.name, other.name])
    }

    @Test(arguments: ["", "token", "a.b", "a.b.c.d", "a.b.c.d.e.f", "a.b.c\r\n", "a.b .c"])
    func `Other texts are not platform tokens`(_ text: String) throws {
        let error = try refusal { () throws(BrokerHeaderError) in try PlatformToken.roku(text) }
        #expect(error.header == "X-Roku-Reserved-Roku-Connect-Token")
    }

    @Test func `Other headers are not platform tokens`() throws {
        let error = try refusal { () throws(BrokerHeaderError) in
            try PlatformToken(name: "X-Other\r\n", headerValue: Self.signed)
        }
        #expect(error.code == "header_unexpected_form")
        #expect(!"\(error)".contains("X-Other"))
    }

    @Test func `Tokens are not shown`() throws {
        let secret = "eyJzdWIiOiJ1c2VyIn0"
        expectRedacted(try BearerToken(Self.signed), hiding: secret)
        expectRedacted(try ServiceToken(Self.signed), hiding: secret)
        expectRedacted(try PlatformToken.subject(Self.signed), hiding: secret)
        let error = try refusal { () throws(BrokerHeaderError) in try ServiceToken(Self.signed + " ") }
        #expect(!"\(error)".contains(secret))
    }
}
