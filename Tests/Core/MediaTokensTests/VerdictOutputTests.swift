import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import TVETesting
import TestVectors
import Testing
import TextCodecs

/// Verdicts and claims as JSON and as fields of a log.
@Suite struct VerdictOutputTests {
    static let now = TestIssuerTests.now

    private func verdict(
        on claims: TestTokenClaims = TestIssuerTests.claims,
        fault: TestTokenFault? = nil,
        expecting resource: EntitlementValues.Expectation<ResourceID> = "DemoChannel"
    ) throws -> MediaTokenVerdict {
        let issuer = try TestIssuerTests.issuer()
        return MediaTokenVerifier(keys: try issuer.verificationKeys).verdict(
            on: try issuer.issue(claims, fault: fault), expecting: .init(requestor: "REF30", resource: resource),
            at: Self.now)
    }

    private func object(_ json: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test func `A verdict is JSON`() throws {
        let verdict = try verdict()
        let object = try object(verdict.json)
        #expect(object["valid"] as? Bool == true)
        #expect(object["status"] as? String == "VALID_TOKEN")
        #expect(object["code"] as? String == "valid")
        #expect(object["detail"] as? String == verdict.detail)
        #expect(object["key"] as? String == verdict.key?.label)
        let claims = try #require(object["claims"] as? [String: Any])
        #expect(claims["sessionGUID"] as? String == "00112233445566778899aabbccddeeff")
        #expect(claims["resourceID"] as? String == "DemoChannel")
        #expect(claims["issued"] as? Int64 == Self.now.milliseconds)
        #expect(!verdict.json.contains("\n"))
    }

    @Test func `A refusal says what is authentic and nothing else`() throws {
        let mismatch = try object(verdict(expecting: "Other").json)
        #expect(mismatch["valid"] as? Bool == false)
        #expect(mismatch["code"] as? String == "resource_mismatch")
        #expect(mismatch["claims"] != nil)
        let forged = try verdict(fault: .otherKey)
        let object = try object(forged.json)
        #expect(object["code"] as? String == "bad_signature")
        #expect(object["claims"] == nil && object["key"] == nil)
        #expect(Set(forged.logFields.keys) == ["status", "code", "detail"])
    }

    @Test func `What is logged names no subscriber and breaks no line`() throws {
        var claims = TestIssuerTests.claims
        claims.resource = "a\nb\u{202E}"
        claims.proxyMVPD = "Proxy"
        let fields = try verdict(on: claims, expecting: .unchecked).logFields
        #expect(fields["code"] == "valid")
        #expect(fields["requestor"] == "REF30")
        #expect(fields["resource"] == "a\\u{a}b\\u{202e}")
        #expect(fields["mvpd"] == claims.mvpd.rawValue)
        #expect(fields["proxy_mvpd"] == "Proxy")
        #expect(fields["key"] == "test-only-issuer-2048.pkcs8.pem")
        #expect(fields["expires"]?.hasSuffix("Z") == true)
        #expect(!fields.values.contains { $0.contains("\n") || $0.contains(claims.sessionGUID.rawValue) })
    }

    @Test func `Claims come back from JSON`() throws {
        var issued = TestIssuerTests.claims
        issued.proxyMVPD = "Proxy"
        for claims in try [verdict(), verdict(on: issued)].compactMap(\.authenticClaims) {
            let written = try JSONEncoder().encode(claims)
            #expect(try JSONDecoder().decode(MediaTokenClaims.self, from: written) == claims)
            // The tool and the service write the same names.
            let members = try object(String(decoding: written, as: UTF8.self))
            let shown = try object(String(decoding: claims.object.finished, as: UTF8.self))
            #expect(NSDictionary(dictionary: members) == NSDictionary(dictionary: shown))
        }
    }

    @Test func `Claims that contradict themselves are refused`() throws {
        let claims = try #require(try verdict().authenticClaims)
        var members = try object(String(decoding: try JSONEncoder().encode(claims), as: UTF8.self))
        members["expires"] = claims.expires.milliseconds + 1
        let changed = try JSONSerialization.data(withJSONObject: members)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(MediaTokenClaims.self, from: changed) }
        members["expires"] = nil
        let shorter = try JSONSerialization.data(withJSONObject: members)
        #expect(try JSONDecoder().decode(MediaTokenClaims.self, from: shorter) == claims)
        members["mvpdId"] = nil
        let incomplete = try JSONSerialization.data(withJSONObject: members)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(MediaTokenClaims.self, from: incomplete) }
    }
}
