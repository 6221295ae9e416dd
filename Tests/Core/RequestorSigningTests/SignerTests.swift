import EntitlementKeys
import EntitlementValues
import Foundation
import OpenSSLBridge
import RequestorSigning
import TestVectors
import Testing
import TextCodecs

@Suite struct ServiceTokenSignerTests {
    static let claims = ServiceTokenClaims(
        issuer: "programmer", subject: "REF30", audience: ["broker"], lifetime: .minutes(5))
    static let now = Timestamp(milliseconds: 1_768_498_200_000)

    private func signer() throws -> ServiceTokenSigner {
        try ServiceTokenSigner(key: TestKeys.signingKey(TestKeys.issuer), keyID: "one")
    }

    @Test func `Token IDs are random UUIDs`() throws {
        let signer = try signer()
        let identifiers = try (0..<50).map { _ in
            try #require(
                try UnverifiedJSONWebToken(parsing: try signer.sign(Self.claims, at: Self.now)).payload["jti"]?.string)
        }
        #expect(Set(identifiers).count == 50)
        for identifier in identifiers {
            #expect(UUID(uuidString: identifier) != nil)
            #expect(identifier.dropFirst(14).first == "4")
            #expect("89ab".contains(identifier.dropFirst(19).first ?? "x"))
        }
    }

    @Test(arguments: ["iss", "sub", "aud", "iat", "exp", "jti"])
    func `Registered claims are the signer's own`(_ name: String) throws {
        var claims = Self.claims
        claims.extra[name] = "x"
        #expect(throws: RequestorSigningError.unsuitableClaim(name: name, .reserved)) { try signer().sign(claims) }
    }

    @Test func `Claims that cannot be written are named`() throws {
        let deep = (0..<40).reduce(JSON.null) { value, _ in .array([value]) }
        let cases: [(JSON.Object, RequestorSigningError)] = [
            (["": 1], .unsuitableClaim(name: "", .unnamed)),
            (["a": 1, "b": 2, "a": 3], .unsuitableClaim(name: "a", .repeated)),
            (["outer": ["x": 1, "x": 2]], .unsuitableClaim(name: "outer", .repeated)),
            (["deep": deep], .unsuitableClaim(name: "deep", .tooDeep)),
            (["n": .otherNumber("1.5")], .unsuitableClaim(name: "n", .notWhole)),
            (["n": [.otherNumber("1,\"exp\":9")]], .unsuitableClaim(name: "n", .notWhole)),
        ]
        for (extra, error) in cases {
            var claims = Self.claims
            claims.extra = extra
            #expect(throws: error) { try signer().sign(claims) }
        }
    }

    @Test func `Texts that nobody means are refused`() throws {
        let change: [(inout ServiceTokenClaims) -> Void] = [
            { $0.issuer = "" }, { $0.issuer = "x\n" }, { $0.subject = " x" }, { $0.subject = "" },
            { $0.audience = [] }, { $0.audience = ["broker", ""] },
        ]
        for change in change {
            var claims = Self.claims
            change(&claims)
            let error = #expect(throws: RequestorSigningError.self) { try signer().sign(claims) }
            #expect(error?.code == "unsuitable_text")
        }
        let key = try TestKeys.signingKey(TestKeys.issuer)
        #expect(throws: RequestorSigningError.unsuitable(field: "key ID", .empty)) {
            try ServiceTokenSigner(key: key, keyID: "")
        }
        #expect(throws: RequestorSigningError.unsuitable(field: "token ID", .empty)) {
            try signer().sign(Self.claims, tokenID: "")
        }
    }

    @Test(arguments: [0, -1000, 1, 999, 1500, 366 * 86_400_000 + 1000, Int64.max] as [Int64])
    func `Lifetimes that make no sense are refused`(_ milliseconds: Int64) throws {
        var claims = Self.claims
        claims.lifetime = TimeToLive(milliseconds: milliseconds)
        let error = #expect(throws: RequestorSigningError.self) { try signer().sign(claims, at: Self.now) }
        #expect(error == .unsuitableSetting(.lifetime(claims.lifetime)))
    }

    @Test(arguments: [-1, Int64.min, 253_402_300_800_000, Int64.max] as [Int64])
    func `Instants outside the calendar are refused`(_ milliseconds: Int64) throws {
        let now = Timestamp(milliseconds: milliseconds)
        #expect(throws: RequestorSigningError.unsuitableSetting(.instant(now))) {
            try signer().sign(Self.claims, at: now)
        }
    }

    @Test func `Tokens are no longer than a verifier reads`() throws {
        var claims = Self.claims
        claims.extra = ["text": .string(String(repeating: "x", count: 50_000))]
        #expect(throws: RequestorSigningError.tooLarge(limit: 65_536)) { try signer().sign(claims) }
    }
}
