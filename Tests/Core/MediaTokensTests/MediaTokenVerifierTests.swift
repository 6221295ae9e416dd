import EntitlementKeys
import EntitlementValues
import MediaTokens
import OpenSSLBridge
import TVETesting
import TestVectors
import Testing
import TextCodecs

@Suite struct MediaTokenVerifierTests {
    static let now = TestIssuerTests.now
    static let expectations = TestIssuerTests.expectations

    let issuer: TestMediaTokenIssuer
    let verifier: MediaTokenVerifier

    init() throws {
        issuer = try TestIssuerTests.issuer()
        verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
    }

    @Test func `Text and bytes get the same verdict`() throws {
        let text = try issuer.issueText(TestIssuerTests.claims)
        let bytes = Array(text.utf8)
        let fromText = try verifier.verify(text, expecting: Self.expectations, at: Self.now)
        let fromBytes = try verifier.verify(bytes.span, expecting: Self.expectations, at: Self.now)
        #expect(fromText.claims == fromBytes.claims)
        let fromArray = try verifier.verify(bytes, expecting: Self.expectations, at: Self.now)
        #expect(fromText.claims == fromArray.claims)
        let verdict = verifier.verdict(on: bytes, expecting: Self.expectations, at: Self.now)
        #expect(verdict.authenticClaims == fromText.claims)
    }

    /// Each token has this fault and all later ones; the first failing step must be the error.
    @Test func `The first failing step is the answer`() throws {
        var claims = TestIssuerTests.claims
        claims.requestor = "other"
        claims.resource = "other"
        claims.issued = Self.now - .hours(2)
        let wrongRequestor = try issuer.issueText(claims)
        #expect(code(wrongRequestor) == "requestor_mismatch")
        claims.requestor = "REF30"
        #expect(code(try issuer.issueText(claims)) == "expired")
        claims.issued = Self.now
        #expect(code(try issuer.issueText(claims)) == "resource_mismatch")
        claims.ttlText = "x"
        #expect(code(try issuer.issueText(claims)) == "malformed")
        #expect(code(try issuer.issueText(claims, fault: .signatureBitFlipped)) == "bad_signature")
        #expect(code(try issuer.issueText(claims, fault: .signatureEmpty)) == "malformed")
    }

    @Test func `Claims are told only under a good signature`() throws {
        let expired = try issuer.issueText(TestIssuerTests.claims, fault: .expired)
        let verdict = verifier.verdict(on: expired, expecting: Self.expectations, at: Self.now)
        #expect(verdict.authenticClaims?.requestor == "REF30")
        #expect(verdict.key?.bits == 2048)
        let forged = try issuer.issueText(TestIssuerTests.claims, fault: .bodyByteChanged)
        let refusal = verifier.verdict(on: forged, expecting: Self.expectations, at: Self.now)
        #expect(refusal.authenticClaims == nil)
        #expect(refusal.key == nil)
    }

    @Test func `Any of accepts each and unchecked accepts all`() throws {
        let token = try issuer.issueText(TestIssuerTests.claims)
        let either = TokenExpectations(requestor: .anyOf(["X", "REF30"]), resource: .anyOf(["DemoChannel", "Y"]))
        let none = TokenExpectations(requestor: .unchecked, resource: .unchecked)
        let neither = TokenExpectations(requestor: .anyOf(["X", "Y"]), resource: .unchecked)
        #expect(verifier.verdict(on: token, expecting: either, at: Self.now).code == "valid")
        #expect(verifier.verdict(on: token, expecting: none, at: Self.now).code == "valid")
        #expect(verifier.verdict(on: token, expecting: neither, at: Self.now).code == "requestor_mismatch")
    }

    @Test(arguments: [
        TokenExpectations(requestor: "", resource: "DemoChannel"),
        TokenExpectations(requestor: "REF30", resource: ""),
        TokenExpectations(requestor: .anyOf([]), resource: .unchecked),
        TokenExpectations(requestor: .anyOf(["REF30", ""]), resource: .unchecked),
    ])
    func `An empty expectation is no expectation`(_ expectations: TokenExpectations) throws {
        let token = try issuer.issueText(TestIssuerTests.claims)
        let verdict = verifier.verdict(on: token, expecting: expectations, at: Self.now)
        #expect(verdict.status == .errorUnknown)
        #expect(verdict.code == "empty_expectation")
    }

    @Test func `A mismatch names both sides`() throws {
        let token = try issuer.issueText(TestIssuerTests.claims, fault: .resourceTrailingSpace)
        let verdict = verifier.verdict(on: token, expecting: Self.expectations, at: Self.now)
        #expect(verdict.detail.contains("\"DemoChannel \""))
        #expect(verdict.detail.contains("\"DemoChannel\""))
    }

    @Test func `Hostile identifiers cannot break a log line`() throws {
        var claims = TestIssuerTests.claims
        claims.resource = "a\nVALID_TOKEN\u{202E}\u{1B}[31m"
        claims.resource = ResourceID(claims.resource.rawValue.filter { $0 != "\u{1B}" })
        let verdict = verifier.verdict(on: try issuer.issueText(claims), expecting: Self.expectations, at: Self.now)
        #expect(verdict.code == "resource_mismatch")
        #expect(!verdict.detail.contains("\n"))
        #expect(!verdict.detail.contains("\u{202E}"))
    }

    @Test func `No refusal shows token text`() throws {
        var claims = TestIssuerTests.claims
        claims.sessionGUID = "5ec2e75ec2e75ec2e75ec2e75ec2e75e"
        for fault in TestTokenFault.allCases {
            let token = try issuer.issueText(claims, fault: fault)
            let verdict = verifier.verdict(on: token, expecting: Self.expectations, at: Self.now)
            #expect(!verdict.detail.contains("5ec2e7"), "\(fault)")
            guard case .failure(let error) = verdict.result else { continue }
            #expect(!String(reflecting: error).contains("5ec2e7"), "\(fault)")
        }
        let verified = try verifier.verify(
            try issuer.issueText(claims), expecting: Self.expectations, at: Self.now)
        #expect(!"\(verified)".contains("5ec2e7"))
    }

    @Test func `Leeway and tolerance move the edges`() throws {
        let claims = TestIssuerTests.claims
        let token = try issuer.issueText(claims)
        let end = Self.now + claims.ttl
        let patient = try verifier.with(leeway: .seconds(30))
        let late = TimeToLive(milliseconds: 30_001)
        #expect(code(token, at: end) == "valid")
        #expect(code(token, at: end + TimeToLive(milliseconds: 1)) == "expired")
        #expect(patient.verdict(on: token, expecting: Self.expectations, at: end + .seconds(30)).code == "valid")
        #expect(patient.verdict(on: token, expecting: Self.expectations, at: end + late).code == "expired")
        #expect(code(token, at: Self.now - .seconds(60)) == "valid")
        #expect(code(token, at: Self.now - TimeToLive(milliseconds: 60_001)) == "not_yet_valid")
    }

    @Test(arguments: [Int64.min, -1, 0, Int64.max])
    func `No instant makes it trap`(_ milliseconds: Int64) throws {
        let token = try issuer.issueText(TestIssuerTests.claims)
        let code = code(token, at: Timestamp(milliseconds: milliseconds))
        #expect(code == (milliseconds > 0 ? "expired" : "not_yet_valid"))
    }

    @Test func `Policies that cannot be meant are refused`() {
        #expect(throws: VerificationPolicyError.self) { try VerificationPolicy(leeway: .seconds(-1)) }
        #expect(throws: VerificationPolicyError.self) { try VerificationPolicy(leeway: .seconds(601)) }
        #expect(throws: VerificationPolicyError.self) { try VerificationPolicy(issuedInFutureTolerance: .seconds(-1)) }
        #expect(throws: VerificationPolicyError.self) { try VerificationPolicy(issuedInFutureTolerance: .hours(1)) }
        #expect(throws: VerificationPolicyError.self) { try VerificationPolicy(maximumTTL: .zero) }
        #expect(throws: VerificationPolicyError.self) { try VerificationPolicy(maximumLength: 0) }
    }

    @Test func `SHA-1 is accepted on request only`() throws {
        let token = try issuer.issueText(TestIssuerTests.claims, fault: .sha1)
        let policy = try VerificationPolicy(acceptsLegacySHA1: true)
        let lenient = MediaTokenVerifier(keys: try issuer.verificationKeys, policy: policy)
        #expect(code(token) == "bad_signature")
        #expect(lenient.verdict(on: token, expecting: Self.expectations, at: Self.now).code == "valid")
        let patient = try lenient.with(leeway: .seconds(1))
        #expect(patient.verdict(on: token, expecting: Self.expectations, at: Self.now).code == "valid")
    }

    @Test func `Every trusted key is tried whichever matched last`() throws {
        let names = ["1024", "2048", "3072", "4096"]
        let issuers = try names.map { try TestIssuerTests.issuer("test-only-issuer-\($0).pkcs8.pem") }
        let keys = try VerificationKeys(contentsOf: names.map { Vectors.key("test-only-issuer-\($0).spki.pem") })
        let verifier = MediaTokenVerifier(keys: keys)
        for issuer in issuers + issuers.reversed() {
            let token = try issuer.issueText(TestIssuerTests.claims)
            let verified = try verifier.verify(token, expecting: Self.expectations, at: Self.now)
            #expect(verified.key.fingerprint == issuer.key.fingerprint)
        }
    }

    @Test func `The format can be replaced`() throws {
        var format = MediaTokenFormat.wire
        format.openingMarker = "<sig>"
        format.closingMarkers = ["</sig>"]
        format.roots = ["play"]
        format.foreignRoots = ["authToken"]
        format.elements.mvpdID = "provider"
        format.issueTimeForms = .wireOnly
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys, format: format)
        let body = """
            <play><sessionGUID>0</sessionGUID><requestorID>REF30</requestorID><resourceID>DemoChannel</resourceID>\
            <ttl>420000</ttl><issueTime>2023-11-14 22:13:20 +0000</issueTime><provider>P</provider></play>
            """
        let token = try signed(body, "<sig>", "</sig>")
        let verified = try verifier.verify(token, expecting: Self.expectations, at: Self.now)
        #expect(verified.mvpd == "P")
        let otherDate = try signed(body.replacing("22:13:20 +0000", with: "22:13:20Z"), "<sig>", "</sig>")
        let otherRoot = try signed("<authToken></authToken>", "<sig>", "</sig>")
        let wire = try issuer.issueText(TestIssuerTests.claims)
        let codes = [otherDate, otherRoot, wire].map {
            verifier.verdict(on: $0, expecting: Self.expectations, at: Self.now).code
        }
        #expect(codes == ["malformed", "foreign_token", "malformed"])
    }

    private func signed(_ body: String, _ opening: String, _ closing: String) throws -> String {
        let bytes = Array(body.utf8)
        let digest = try Digest.sha256.hash(bytes.span, in: 0..<bytes.count)
        let signature = try issuer.key.sign(digest: digest, algorithm: .sha256)
        return opening + Base64.encode(signature) + closing + body
    }

    @Test func `Many tasks share one verifier`() async throws {
        let tokens = try [nil, TestTokenFault.bodyByteChanged, .expired, .otherResource].map { fault in
            (try issuer.issueText(TestIssuerTests.claims, fault: fault), fault?.expectedCode ?? "valid")
        }
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<16 {
                group.addTask { [verifier] in
                    (0..<200).count { round in
                        let (token, expected) = tokens[(task + round) % tokens.count]
                        return verifier.verdict(on: token, expecting: Self.expectations, at: Self.now).code != expected
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test func `Unverified tokens show what is in them`() throws {
        var layout = TestTokenLayout()
        layout.base64Layers = 2
        layout.secondMarker = .closing
        layout.root = .shortAuthorizationToken
        let token = try issuer.issueText(TestIssuerTests.claims, layout: layout, fault: .otherKey)
        let found = try UnverifiedMediaToken(parsing: token)
        #expect(found.layers.base64 == 2)
        #expect(found.signatureLength == 256)
        #expect(found.closingMarker == "</signatureInfo>")
        #expect(found.root == "shortAuthorizationToken")
        #expect(
            found.elements.map(\.name) == ["sessionGUID", "requestorID", "resourceID", "ttl", "issueTime", "mvpdId"])
        #expect(try found.claims.get().resource == "DemoChannel")
        let fromBytes = try UnverifiedMediaToken(parsing: Array(token.utf8))
        #expect(fromBytes.elements == found.elements)
    }

    /// `tve inspect` must not call a token malformed that `tve verify` takes.
    @Test func `An unverified token of a form has its spaces`() throws {
        for isPretty in [false, true] {
            var claims = TestIssuerTests.claims
            claims.resource = "Canal+ Sur"
            var layout = TestTokenLayout()
            layout.isPrettyPrinted = isPretty
            let token = try issuer.issueText(claims, layout: layout)
            let plain = try UnverifiedMediaToken(parsing: token)
            let form = Percent.encode(token.utf8) { $0.isUnreserved || $0 == UInt8(ascii: " ") }
            let found = try UnverifiedMediaToken(parsing: form.replacing(" ", with: "+"))
            #expect(found.elements == plain.elements)
            #expect(try found.claims.get() == plain.claims.get())
            #expect(found.layers.plusWasSpace && found.layers.isPercentEncoded)
            // A plus of RFC 3986 stays one.
            let address = Percent.encode(token.utf8) { $0.isUnreserved || $0 == UInt8(ascii: "+") }
            let same = try UnverifiedMediaToken(parsing: address)
            #expect(same.elements == plain.elements && !same.layers.plusWasSpace)
        }
    }

    private func code(_ token: String, at now: Timestamp = Self.now) -> String {
        verifier.verdict(on: token, expecting: Self.expectations, at: now).code
    }
}
