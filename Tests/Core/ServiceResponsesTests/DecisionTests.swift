import EntitlementValues
import MediaTokens
import ServiceResponses
import TVETesting
import Testing

/// A decision is proven by its media token only.
@Suite struct DecisionTests {
    private static let issuer = Result { try TestMediaTokenIssuer() }
    private static let now = Fixtures.now

    private func verifier() throws -> MediaTokenVerifier {
        MediaTokenVerifier(keys: try Self.issuer.get().verificationKeys)
    }

    private func token(
        resource: ResourceID = "TestChannel",
        requestor: RequestorID = "REF30",
        fault: TestTokenFault? = nil,
        change: (inout TestTokenClaims) -> Void = { _ in }
    ) throws -> String {
        var claims = TestTokenClaims(requestor: requestor, resource: resource, issued: Self.now)
        change(&claims)
        var layout = TestTokenLayout()
        layout.base64Layers = 1
        return try Self.issuer.get().issueText(claims, layout: layout, fault: fault)
    }

    /// A body of one decision; a part that is `nil` is left out.
    private func response(
        _ token: String?,
        authorized: Bool = true,
        resource: String = "TestChannel",
        mvpd: String = "TestMVPD",
        notBefore: Int64 = now.milliseconds,
        notAfter: Int64 = now.milliseconds + 420_000,
        more: String = ""
    ) throws -> DecisionsResponse {
        let sent = token.map {
            #","token":{"notBefore":\#(notBefore),"notAfter":\#(notAfter),"serializedToken":"\#($0)"}"#
        }
        return try DecisionsResponse(
            parsing: #"{"decisions":[{"resource":"\#(resource)","serviceProvider":"REF30","mvpd":"\#(mvpd)","#
                + #""source":"mvpd","authorized":\#(authorized)\#(sent ?? "")\#(more)}]}"#)
    }

    private func outcome(
        _ response: DecisionsResponse,
        expecting requestor: EntitlementValues.Expectation<RequestorID> = "REF30",
        at now: Timestamp = now
    ) throws -> Result<VerifiedMediaToken, ResponseTokenError> {
        let verified = try response.verified(by: verifier(), expecting: requestor, at: now)
        #expect(verified.count == 1)
        return try #require(verified.first).result
    }

    private func error(_ outcome: Result<VerifiedMediaToken, ResponseTokenError>) -> ResponseTokenError? {
        if case .failure(let error) = outcome { error } else { nil }
    }

    @Test func `A token that says the same is verified`() throws {
        let token = try outcome(try response(try token())).get()
        #expect(token.resource == "TestChannel")
        #expect(token.mvpd == "TestMVPD")
        #expect(token.requestor == "REF30")
    }

    @Test func `What is not authorized has no token`() throws {
        let denied = try response(
            nil, authorized: false,
            more: #","error":{"action":"none","status":403,"code":"authorization_denied_by_mvpd","message":"no"}"#)
        guard case .notAuthorized(let reason)? = error(try outcome(denied)) else { throw Failure("not refused") }
        #expect(reason?.code == .authorizationDeniedByMVPD)
        #expect(error(try outcome(try response(nil, authorized: false))) == .notAuthorized(nil))
    }

    @Test func `A token without authorization is not verified`() throws {
        let contradiction = try response(try token(), authorized: false)
        #expect(error(try outcome(contradiction)) == .tokenWithoutAuthorization)
    }

    @Test func `Authorization without token starts nothing`() throws {
        #expect(error(try outcome(try response(nil))) == .noToken)
    }

    @Test func `An error beside a good token changes nothing`() throws {
        let odd = try response(try token(), more: #","error":{"status":500,"code":"internal_server_error"}"#)
        _ = try outcome(odd).get()
    }

    @Test func `A bad token is not believed`() throws {
        let forged = try response(try token(fault: .otherKey))
        #expect(error(try outcome(forged))?.code == "bad_signature")
        #expect(error(try outcome(try response("AAAA")))?.code == "malformed")
        #expect(error(try outcome(try response("")))?.code == "malformed")
        let late = Timestamp(milliseconds: Self.now.milliseconds + 421_000)
        #expect(error(try outcome(try response(try token()), at: late))?.code == "expired")
    }

    @Test func `The forged token wins over every difference`() throws {
        let forged = try response(try token(resource: "Other", fault: .otherKey), mvpd: "Another")
        #expect(error(try outcome(forged))?.code == "bad_signature")
    }

    @Test func `The caller's requestor comes first`() throws {
        let other = try outcome(try response(try token()), expecting: "REF31")
        #expect(error(other)?.code == "requestor_mismatch")
        #expect(error(try outcome(try response(try token()), expecting: ""))?.code == "empty_expectation")
        _ = try outcome(try response(try token()), expecting: .unchecked).get()
    }

    @Test func `Every difference has its name`() throws {
        let own = Self.now
        let cases: [(DecisionsResponse, ResponseTokenDifference)] = [
            (
                try response(try token(requestor: "REF31")),
                .requestor(response: "REF30", token: "REF31")
            ),
            (
                try response(try token(resource: "testChannel")),
                .resource(response: "TestChannel", token: "testChannel")
            ),
            (try response(try token { $0.mvpd = "TestMVPD " }), .mvpd(response: "TestMVPD", token: "TestMVPD ")),
            (
                try response(try token(), notBefore: own.milliseconds - 60_001),
                .start(response: own - TimeToLive(milliseconds: 60_001), token: own)
            ),
            (
                try response(try token(), notAfter: own.milliseconds + 480_001),
                .end(response: own + TimeToLive(milliseconds: 480_001), token: own + .seconds(420))
            ),
        ]
        for (response, difference) in cases {
            #expect(error(try outcome(response, expecting: .unchecked)) == .mismatch([difference]))
        }
    }

    @Test func `A minute is no difference`() throws {
        let end = Self.now.milliseconds + 420_000
        for offset: Int64 in [-60_000, -999, 1, 60_000] {
            let response = try response(try token(), notBefore: Self.now.milliseconds + offset, notAfter: end + offset)
            _ = try outcome(response).get()
        }
    }

    @Test func `All differences are reported`() throws {
        let swapped = try response(try token(resource: "Other") { $0.mvpd = "Another" }, notAfter: 1_750_000_000_001)
        guard case .mismatch(let differences)? = error(try outcome(swapped)) else { throw Failure("no mismatch") }
        #expect(differences.count == 3)
        #expect(
            ResponseTokenError.mismatch(differences).description
                == #"the token does not belong to this response: the resource is "TestChannel" in the response and "#
                + #""Other" in the token; the MVPD is "TestMVPD" in the response and "Another" in the token; the end "#
                + #"is "2025-06-15T15:06:40.001Z" in the response and "2025-06-15T15:13:40Z" in the token"#)
    }

    @Test(arguments: [
        ("authorization_denied_by_mvpd", "authorization_denied_by_mvpd"), ("QX7PL4Z", "(a text that is not shown)"),
    ])
    func `A description has the code only if it is documented and no texts`(_ code: String, _ shown: String) throws {
        let response = try DecisionsResponse(
            parsing: #"""
                {"decisions":[{"resource":"a","serviceProvider":"REF30","mvpd":"m","authorized":false,
                "error":{"status":403,"code":"\#(code)","message":"words","details":"words","trace":"words"}}]}
                """#)
        #expect(response.description == "a for REF30 by m: not authorized (\(shown))")
    }

    @Test func `One bad decision leaves the others`() throws {
        let response = try DecisionsResponse(
            parsing: #"""
                {"decisions":[{"resource":"a","serviceProvider":"REF30","mvpd":"m","authorized":"true"},
                {"resource":"b","serviceProvider":"REF30","mvpd":"m","authorized":true,"notAfter":1750000000},
                {"resource":"","serviceProvider":"REF30","mvpd":"m","authorized":true}, 7]}
                """#)
        #expect(response.decisions.map(\.resource) == ["b"])
        #expect(response.decisions.first?.notAfter == Timestamp(milliseconds: 1_750_000_000))
        #expect(response.faults.map(\.code) == ["wrong_type", "bad_timestamp", "wrong_type", "wrong_type"])
        #expect(
            response.faults.map { $0.path?.pointer } == [
                "/decisions/0/authorized", "/decisions/1/notAfter", "/decisions/2/resource", "/decisions/3",
            ])
    }
}
