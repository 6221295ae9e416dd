import EntitlementValues
import RequestorSigning
import Testing
import TextCodecs

@Suite struct UnverifiedTokenTests {
    private func token(_ header: String, _ payload: String) -> String {
        [header, payload, "sig"].map { Base64.encodeURLSafe(Array($0.utf8)) }.joined(separator: ".")
    }

    @Test func `A software statement is shown without keys`() throws {
        let text = token(
            #"{"alg":"RS256","kid":"k"}"#, #"{"sub":"0f2c","nbf":1700000000,"iss":"broker.example","iat":1700000000}"#)
        let statement = try UnverifiedJSONWebToken(parsing: text)
        let claims = try statement.claims.get()
        #expect(statement.algorithm == "RS256")
        #expect(statement.keyID == "k")
        #expect(statement.signatureLength == 3)
        #expect(claims.issued == Timestamp(milliseconds: 1_700_000_000_000))
        #expect(claims.notBefore == claims.issued)
        #expect(claims.expires == nil)
        #expect(statement.payload["sub"] == "0f2c")
    }

    @Test func `Descriptions say that nobody checked and hide the subject`() throws {
        let token = try UnverifiedJSONWebToken(parsing: token(#"{"alg":"none"}"#, #"{"sub":"person","iss":"a\u001b"}"#))
        #expect(token.description.hasPrefix("UNVERIFIED"))
        #expect(token.description.contains("none"))
        #expect(!token.description.contains("person"))
        var dumped = ""
        dump(token.payload, to: &dumped)
        #expect(!dumped.contains("person"))
        #expect(!token.description.contains("\u{1b}"))
    }

    @Test func `Claims of the wrong type are shown and named`() throws {
        let token = try UnverifiedJSONWebToken(parsing: token(#"{"alg":"RS256"}"#, #"{"exp":1700000000000,"x":1.5}"#))
        #expect(token.claims == .failure(.malformed(.date(name: "exp"))))
        #expect(token.payload["exp"] == 1_700_000_000_000)
        #expect(token.payload["x"] == .otherNumber("1.5"))
        #expect(token.claims.failureText?.contains("milliseconds") == true)
    }

    @Test func `An encrypted token is named`() {
        #expect(throws: RequestorSigningError.malformed(.encryptedToken)) {
            try UnverifiedJSONWebToken(parsing: "a.b.c.d.e")
        }
    }

    @Test func `A length can be set`() {
        #expect(throws: RequestorSigningError.tooLarge(limit: 4)) {
            try UnverifiedJSONWebToken(parsing: "a.b.c", maximumLength: 4)
        }
    }
}

extension Result where Failure == RequestorSigningError {
    fileprivate var failureText: String? {
        if case .failure(let error) = self { error.description } else { nil }
    }
}
