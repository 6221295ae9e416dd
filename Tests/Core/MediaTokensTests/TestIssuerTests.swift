import EntitlementKeys
import EntitlementValues
import MediaTokens
import TVETesting
import TestVectors
import Testing

/// Checks the test issuer: valid tokens verify in every layout, and each fault gets its expected refusal.
@Suite struct TestIssuerTests {
    static let now = Timestamp(milliseconds: 1_700_000_000_000)
    static let expectations = TokenExpectations(requestor: "REF30", resource: "DemoChannel")

    static func issuer(_ key: String = "test-only-issuer-2048.pkcs8.pem") throws -> TestMediaTokenIssuer {
        TestMediaTokenIssuer(key: try SigningKey(contentsOfFile: Vectors.key(key), allowingWeakKeys: true))
    }

    static var claims: TestTokenClaims {
        var claims = TestTokenClaims(requestor: "REF30", resource: "DemoChannel", issued: now)
        claims.sessionGUID = "00112233445566778899aabbccddeeff"
        return claims
    }

    @Test func `The subscriber is another one in each token`() throws {
        let one = TestTokenClaims(requestor: "REF30", resource: "DemoChannel")
        let other = TestTokenClaims(requestor: "REF30", resource: "DemoChannel")
        #expect(one.sessionGUID != other.sessionGUID)
        // Signatures repeat, so only the subscriber tells two tokens of one second apart.
        let issuer = try Self.issuer()
        let texts = try (0..<2).map { _ in
            try issuer.issueText(TestTokenClaims(requestor: "REF30", resource: "DemoChannel", issued: Self.now))
        }
        #expect(texts[0] != texts[1])
        #expect(one.sessionGUID.rawValue.count == 32 && one.sessionGUID.rawValue.allSatisfy(\.isHexDigit))
    }

    static let layouts: [TestTokenLayout] = {
        var layouts: [TestTokenLayout] = []
        for root in TestTokenLayout.Root.allCases {
            for marker in TestTokenLayout.SecondMarker.allCases {
                for layers in 0...2 {
                    var layout = TestTokenLayout()
                    layout.root = root
                    layout.secondMarker = marker
                    layout.base64Layers = layers
                    layouts.append(layout)
                }
            }
        }
        return layouts
    }()

    @Test(arguments: TestTokenFault.allCases, layouts)
    func `Every fault gets its refusal`(_ fault: TestTokenFault, _ layout: TestTokenLayout) throws {
        let issuer = try Self.issuer()
        let token = try issuer.issue(Self.claims, layout: layout, fault: fault)
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let verdict = verifier.verdict(on: token, expecting: Self.expectations, at: Self.now)
        #expect(verdict.code == fault.expectedCode, "\(verdict.detail)")
        #expect(verdict.status == fault.expectedStatus)
    }

    /// Also a token that is not UTF-8, which a text can carry as Base64 only.
    @Test(arguments: TestTokenFault.allCases)
    func `Every fault gets its refusal as a text`(_ fault: TestTokenFault) throws {
        let issuer = try TestMediaTokenIssuer.shared
        let token = try issuer.issueText(Self.claims, fault: fault)
        let verifier = MediaTokenVerifier(keys: try TestMediaTokenIssuer.shared.verificationKeys)
        #expect(verifier.verdict(on: token, expecting: Self.expectations, at: Self.now).code == fault.expectedCode)
    }

    @Test(arguments: ["1024", "2048", "3072", "4096"], layouts)
    func `Sound tokens verify`(_ bits: String, _ layout: TestTokenLayout) throws {
        let issuer = try Self.issuer("test-only-issuer-\(bits).pkcs8.pem")
        let token = try issuer.issueText(Self.claims, layout: layout)
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let verified = try verifier.verify(token, expecting: Self.expectations, at: Self.now)
        #expect(verified.claims == Self.stated)
        #expect(verified.layers.base64 == layout.base64Layers)
        #expect(verified.key.bits == Int(bits))
        #expect(verified.key.isWeak == (bits == "1024"))
    }

    @Test func `Every transport form verifies`() throws {
        let issuer = try Self.issuer()
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let changes: [(inout TestTokenLayout) -> Void] = [
            { $0.isPercentEncoded = true },
            { $0.isPrettyPrinted = true },
            { $0.isReversed = true },
            {
                $0.base64Layers = 1
                $0.isURLSafe = true
                $0.isPadded = false
            },
            {
                $0.base64Layers = 2
                $0.lineLength = 76
            },
        ]
        for change in changes {
            var layout = TestTokenLayout()
            change(&layout)
            let token = try issuer.issueText(Self.claims, layout: layout)
            let verified = try verifier.verify(token, expecting: Self.expectations, at: Self.now)
            #expect(verified.claims == Self.stated)
        }
    }

    @Test func `Every claim can be set`() throws {
        let issuer = try Self.issuer()
        var claims = TestTokenClaims(requestor: "a & b", resource: "<rss><![CDATA[x]]></rss>", issued: Self.now)
        claims.sessionGUID = "ffffffffffffffffffffffffffffffff"
        claims.mvpd = "Other<MVPD>"
        claims.proxyMVPD = "Proxy"
        claims.ttl = .seconds(1)
        claims.zoneOffset = 330
        claims.furtherElements = [("inboundMVPD", "x"), ("inboundMVPD", "<y/>")]
        let token = try issuer.issueText(claims)
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let expectations = TokenExpectations(requestor: "a & b", resource: "<rss><![CDATA[x]]></rss>")
        let verified = try verifier.verify(token, expecting: expectations, at: Self.now)
        #expect(verified.sessionGUID == claims.sessionGUID)
        #expect(verified.mvpd == claims.mvpd)
        #expect(verified.proxyMVPD == claims.proxyMVPD)
        #expect(verified.ttl == claims.ttl)
        #expect(verified.issued == Self.now)
    }

    @Test func `An issuer of its own needs no files`() throws {
        let issuer = try TestMediaTokenIssuer()
        let token = try issuer.issueText(Self.claims)
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let verified = try verifier.verify(token, expecting: Self.expectations, at: Self.now)
        #expect(verified.key.bits == 2048)
    }

    private static var stated: MediaTokenClaims? {
        let issuer = try? issuer()
        guard let issuer, let token = try? issuer.issueText(claims), let keys = try? issuer.verificationKeys else {
            return nil
        }
        let verdict = MediaTokenVerifier(keys: keys).verdict(on: token, expecting: expectations, at: now)
        return verdict.authenticClaims
    }
}
