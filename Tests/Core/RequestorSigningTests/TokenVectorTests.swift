import EntitlementKeys
import EntitlementValues
import RequestorSigning
import TestVectors
import Testing

/// Compares service tokens with those of another implementation, byte by byte.
@Suite struct ServiceTokenVectorTests {
    static let file = Result { try VectorFile<Group>.named("requestor_signing/service_token_sign_test.json") }
    static let cases = (try? file.get())?.testGroups.flatMap(\.cases) ?? []

    @Test func `File holds as many tests as it says`() throws {
        #expect(Self.cases.count == (try Self.file.get()).numberOfTests)
        #expect(Self.cases.count >= 25)
    }

    @Test(arguments: cases)
    func `Token is the stated one`(_ vector: Case) throws {
        let test = vector.test
        let signer = try ServiceTokenSigner(key: TestKeys.signingKey(vector.key), keyID: test.keyID)
        let claims = ServiceTokenClaims(
            issuer: test.issuer, subject: test.subject, audience: test.audience,
            lifetime: TimeToLive(milliseconds: test.lifetime), extra: try JSON.Object(json: Array(test.extra.utf8)))
        let now = Timestamp(milliseconds: test.at)
        let token = try signer.sign(claims, at: now, tokenID: test.tokenID)
        #expect(token == test.expectedToken)

        let verifier = ServiceTokenVerifier(keys: try TestKeys.verificationKeys([vector.publicKey]))
        let expectations = JSONWebTokenExpectations(
            issuer: .exactly(test.issuer), subject: .exactly(test.subject), audience: .anyOf(test.audience))
        let verified = try verifier.verify(token, expecting: expectations, at: now)
        #expect(verified.keyID == test.keyID)
        #expect(verified.claims.tokenID == test.tokenID)
        #expect(verified.claims.all.members.dropFirst(6).elementsEqual(claims.extra.members))
    }

    struct Group: Decodable, Sendable {
        let key: String
        let publicKey: String
        let tests: [Vector]

        var cases: [Case] { tests.map { Case(key: key, publicKey: publicKey, test: $0) } }
    }

    struct Vector: Decodable, Sendable {
        let tcId: Int
        let comment: String
        let issuer: String
        let subject: String
        let audience: [String]
        let lifetime: Int64
        let at: Int64
        let keyID: String
        let tokenID: String
        let extra: String
        let expectedToken: String
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let key: String
        let publicKey: String
        let test: Vector

        var testDescription: String { "tcId \(test.tcId): \(test.comment)" }
    }
}

/// Verifies JSON Web Tokens and compares the verdicts with the expected ones.
@Suite struct JSONWebTokenVectorTests {
    static let file = Result { try VectorFile<Group>.named("requestor_signing/json_web_token_verify_test.json") }
    static let cases = (try? file.get())?.testGroups.flatMap(\.cases) ?? []

    @Test func `File holds as many tests as it says`() throws {
        #expect(Self.cases.count == (try Self.file.get()).numberOfTests)
        #expect(Self.cases.count >= 200)
    }

    @Test(arguments: cases)
    func `Verdict is the stated one`(_ vector: Case) throws {
        let test = vector.test
        let result = try vector.result()
        #expect(code(result) == test.expectedCode)
        #expect((test.result == "valid") == (test.expectedCode == "valid"))
        guard let expected = test.expectedClaims else { return }
        #expect(StatedClaims(try result.get().claims) == expected)
        // A token that a verifier accepts can be taken apart without keys, with the same result.
        let unverified = try UnverifiedJSONWebToken(parsing: test.text)
        #expect(StatedClaims(try unverified.claims.get()) == expected)
    }

    struct Group: Decodable, Sendable {
        let keys: [String]
        let tests: [Vector]

        var cases: [Case] { tests.map { Case(keys: keys, test: $0) } }
    }

    struct Vector: Decodable, Sendable {
        let tcId: Int
        let comment: String
        let token: String
        let `repeat`: Int?
        let kind: String
        let at: Int64
        let leeway: Int64
        let issuer: [String]?
        let subject: [String]?
        let audience: [String]?
        let result: String
        let expectedCode: String
        let expectedClaims: StatedClaims?

        var text: String { String(repeating: token, count: `repeat` ?? 1) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let keys: [String]
        let test: Vector

        var testDescription: String { "tcId \(test.tcId): \(test.comment)" }

        func result() throws -> Result<VerifiedJSONWebToken, RequestorSigningError> {
            let keys = try TestKeys.verificationKeys(keys)
            let policy = try JSONWebTokenPolicy(
                leeway: TimeToLive(milliseconds: test.leeway), requiresExpiry: test.kind != "statement")
            let expectations = JSONWebTokenExpectations(
                issuer: .init(stated: test.issuer), subject: .init(stated: test.subject),
                audience: .init(stated: test.audience))
            let now = Timestamp(milliseconds: test.at)
            return Result { () throws(RequestorSigningError) in
                test.kind == "service"
                    ? try ServiceTokenVerifier(keys: keys, policy: policy)
                        .verify(test.text, expecting: expectations, at: now)
                    : try JSONWebTokenVerifier(keys: keys, policy: policy)
                        .verify(Array(test.text.utf8), expecting: expectations, at: now)
            }
        }
    }
}

/// The claims in the form of the vectors.
struct StatedClaims: Decodable, Sendable, Equatable {
    let issuer: String?
    let subject: String?
    let audience: [String]
    let issued: Int64?
    let notBefore: Int64?
    let expires: Int64?
    let tokenID: String?
    let scopes: [String]

    init(_ claims: JSONWebTokenClaims) {
        issuer = claims.issuer
        subject = claims.subject
        audience = claims.audience
        issued = claims.issued?.milliseconds
        notBefore = claims.notBefore?.milliseconds
        expires = claims.expires?.milliseconds
        tokenID = claims.tokenID
        scopes = claims.scopes
    }
}
