import EntitlementValues
import MediaTokens
import TVETesting
import TestVectors
import Testing
import TextCodecs

/// Tokens as logs, shells and editors leave them: they are refused, and the detail names what was done to them.
@Suite struct PastedTokenTests {
    private let issuer: TestMediaTokenIssuer
    private let verifier: MediaTokenVerifier
    /// A good token, as it is and in Base64.
    private let plain: [UInt8]
    private let base64: [UInt8]

    init() throws {
        issuer = try TestIssuerTests.issuer()
        verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
        plain = try issuer.issue(TestIssuerTests.claims)
        base64 = Array(Base64.encode(plain).utf8)
    }

    private func part(_ token: [UInt8]) -> MalformedPart? {
        let verdict = verifier.verdict(on: token, expecting: TestIssuerTests.expectations, at: TestIssuerTests.now)
        #expect(verdict.code == "malformed" && verdict.status == .invalidTokenFormat, "\(verdict.detail)")
        #expect(!verdict.detail.contains("PHNp") && !verdict.detail.contains("001122"))
        guard case .failure(.malformed(let part)) = verdict.result else { return nil }
        return part
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    private static func utf16(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [$0, 0] } }

    @Test func `Escapes of a log are named`() {
        let json = Self.text(plain).replacing("<", with: #"\u003c"#).replacing(">", with: #"\u003e"#)
        #expect(part(Array(json.utf8)) == .encoded(.escapes))
        let html = Self.text(plain).replacing("<", with: "&#60;").replacing(">", with: "&#62;")
        #expect(part(Array(html.utf8)) == .encoded(.characterReferences))
        let python = "b'\(Self.text(base64))'"
        #expect(part(Array(python.utf8)) == .encoded(.pythonBytes))
        let entities = Self.text(plain).replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        #expect(part(Array(entities.utf8)) == .entityEscaped)
    }

    @Test func `UTF-16 is named, also within Base64`() {
        #expect(part([0xFF, 0xFE] + Self.utf16(base64)) == .encoded(.utf16))
        #expect(part(Self.utf16(base64)) == .encoded(.utf16))
        #expect(part(Self.utf16(plain)) == .encoded(.utf16))
        #expect(part(Array(Base64.encode(Self.utf16(plain)).utf8)) == .encoded(.utf16))
    }

    @Test func `Lines that a shell has joined are named`() throws {
        var lines: [Substring] = []
        var rest = Self.text(base64)[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(76))
            rest = rest.dropFirst(76)
        }
        try #require(lines.count > 2)
        #expect(part(Array(lines.joined(separator: " ").utf8)) == .encoded(.joinedLines))
        // With their line ends they are read.
        let whole = lines.joined(separator: "\r\n")
        let verdict = verifier.verdict(on: whole, expecting: TestIssuerTests.expectations, at: TestIssuerTests.now)
        #expect(verdict.code == "valid", "\(verdict.detail)")
    }

    @Test func `Percent-encoding is counted`() {
        // Every byte that is not a letter or a digit, as JavaScript's encodeURIComponent nearly does.
        let once = Percent.encode(plain) { $0.isASCIILetter || $0.isASCIIDigit }
        #expect(part(Array(Percent.encode(once.utf8).utf8)) == .encoded(.doublePercentEncoding))
        // The first `>` is a plus in Base64.
        let encoded = Percent.encode(base64)
        #expect(part(Array(encoded.utf8)) == .percentEncodedBase64)
        #expect(part(Array(Percent.encode(encoded.utf8).utf8)) == .encoded(.doublePercentEncoding))
    }

    @Test func `Hexadecimal digits are named, and other Base64 is not taken for an encoding`() {
        #expect(part(Array(Hex.encode(plain).utf8)) == .encoded(.hexadecimal))
        var noise = Noise(seed: 7)
        for _ in 0..<50 {
            let bytes = (0..<400).map { _ in UInt8.random(in: 0...255, using: &noise) }
            let found = part(Array(Base64.encode(bytes).utf8))
            if case .encoded(let encoding) = found { Issue.record("\(encoding) of seed 7") }
        }
    }

    @Test func `A mismatch shows where two texts differ that look the same`() throws {
        var claims = TestIssuerTests.claims
        claims.resource = "Canal\u{A0}Sur"
        let other = TokenExpectations(requestor: "REF30", resource: "Canal Sur")
        let resource = verifier.verdict(on: try issuer.issueText(claims), expecting: other, at: TestIssuerTests.now)
        #expect(resource.detail.contains(#"resource "Canal\u{a0}Sur", not for "Canal Sur""#), "\(resource.detail)")
        claims.requestor = "R\u{415}F30"
        let either = TokenExpectations(requestor: .anyOf(["REF30", "X"]), resource: .unchecked)
        let requestor = verifier.verdict(on: try issuer.issueText(claims), expecting: either, at: TestIssuerTests.now)
        #expect(requestor.detail.contains(#""R\u{415}F30", not for "REF30" or "X""#), "\(requestor.detail)")
    }
}
