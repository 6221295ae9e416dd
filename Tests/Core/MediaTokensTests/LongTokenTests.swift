import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import OpenSSLBridge
import TVETesting
import TestVectors
import Testing
import TextCodecs

/// Verifies texts of the maximum length, in shapes that make careless parsers slow.
///
/// With `TVE_DEEP`, the time is measured, which depends on the machine: this thread's processor time, and the least of
/// several rounds, since other load only adds to it. A release build should take less than a millisecond.
@Suite(.serialized) struct LongTokenTests {
    static let units = [
        "<", "&", "<!--", "]]>", "<![CDATA[", "</signatureInfo>", "<signatureInfo>", "<a>", "<a/>", "&#", "&#65;",
        "&amp;",
        "\r\n", " ", "A", "A ", "%3C", "+", "=", "]", "x<", "é", "<x></x>", "\u{FEFF}", "eyJ.", "{\"a\":",
        "<Signatur", "<serializedToke", "http://www.w3.org/2000/09/xmldsi",
    ]

    enum Place: CaseIterable {
        case alone, signature, unsigned, element, base64
    }

    @Test(arguments: units, Place.allCases)
    func `Every shape is refused`(_ unit: String, _ place: Place) throws {
        let issuer = try TestIssuerTests.issuer("test-only-issuer-1024.pkcs8.pem")
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let token = try token(of: 65_000, unit, place, issuer)
        #expect(token.count <= 65_536)
        let verdict = verifier.verdict(
            on: token.span, expecting: TestIssuerTests.expectations, at: TestIssuerTests.now)
        #expect(verdict.code != "valid")
    }

    @Test(.enabled(if: DeepRun.isAsked, "measures time"), arguments: units, Place.allCases)
    func `The time of every shape`(_ unit: String, _ place: Place) throws {
        let issuer = try TestIssuerTests.issuer("test-only-issuer-1024.pkcs8.pem")
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        DeepRun.note("a token of 65,000 bytes", best(verifier, try token(of: 65_000, unit, place, issuer)))
    }

    /// A text eight times as long takes about eight times the time; quadratic work would take 64 times.
    @Test(.enabled(if: DeepRun.isAsked, "measures time"), arguments: ["<", "&amp;", "]", "A", "<a/>"])
    func `How time grows with the length`(_ unit: String) throws {
        let issuer = try TestIssuerTests.issuer("test-only-issuer-1024.pkcs8.pem")
        let verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        let short = best(verifier, try token(of: 8000, unit, .element, issuer))
        let long = best(verifier, try token(of: 64_000, unit, .element, issuer))
        DeepRun.note("a token of 64,000 bytes ÷ one of 8,000", long / short, "times")
    }

    private func token(
        of length: Int,
        _ unit: String,
        _ place: Place,
        _ issuer: TestMediaTokenIssuer
    ) throws -> [UInt8] {
        let filling = String(repeating: unit, count: length / unit.utf8.count)
        switch place {
        case .alone: return Array(filling.utf8)
        case .signature: return Array("<signatureInfo>\(filling)<signatureInfo><authToken/>".utf8)
        case .unsigned: return Array("<signatureInfo>QUJD<signatureInfo>\(filling)".utf8)
        case .base64:
            let inner = "<signatureInfo>QUJD<signatureInfo>\(filling.prefix(length / 2))"
            return Array(Base64.encode(Array(inner.utf8.prefix(length * 3 / 4 - 3))).utf8)
        case .element:
            // With a good signature, so that the scanner reads it.
            let body = Array("<authToken><filler>\(filling.prefix(length - 1000))</filler></authToken>".utf8)
            let digest = try Digest.sha256.hash(body.span, in: 0..<body.count)
            let signature = Base64.encode(try issuer.key.sign(digest: digest, algorithm: .sha256))
            return Array("<signatureInfo>\(signature)<signatureInfo>".utf8) + body
        }
    }

    private func best(_ verifier: MediaTokenVerifier, _ token: [UInt8]) -> Duration {
        (0..<9).map { _ in
            processorTime {
                _ = verifier.verdict(on: token.span, expecting: TestIssuerTests.expectations, at: TestIssuerTests.now)
            }
        }.min() ?? .zero
    }
}
