import EntitlementValues
import MediaTokens
import TVETesting
import Testing
import TextCodecs

/// What programs make of a token when they put it into a query.
@Suite struct QueryTokenTests {
    /// With a plus and a space in what is signed, so that neither reading of `+` does for all of them.
    static let resource: ResourceID = "Canal+ Sur"

    private let issuer: TestMediaTokenIssuer
    private let verifier: MediaTokenVerifier

    init() throws {
        issuer = try TestIssuerTests.issuer()
        verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
    }

    /// As `URLSearchParams` and its like encode.
    private static func form(_ text: String) -> String {
        var form = FormFields()
        form.append("t", text)
        return String(String(decoding: form.encoded(), as: UTF8.self).dropFirst(2))
    }

    /// As RFC 3986 has it; some programs leave `+` as it is, which a query may have.
    private static func percent(_ text: String, keeping kept: String = "") -> String {
        Percent.encode(text.utf8) { byte in byte.isUnreserved || kept.utf8.contains(byte) }
    }

    private func token(_ resource: ResourceID = Self.resource, isPretty: Bool = false) throws -> String {
        var claims = TestIssuerTests.claims
        claims.resource = resource
        var layout = TestTokenLayout()
        layout.isPrettyPrinted = isPretty
        return try issuer.issueText(claims, layout: layout)
    }

    private func code(_ sent: String, for resource: ResourceID = Self.resource) -> String {
        let expectations = TokenExpectations(requestor: .exactly("REF30"), resource: .exactly(resource))
        let text = QueryToken.text(of: Array(sent.utf8))
        return verifier.verdict(on: text, expecting: expectations, at: TestIssuerTests.now).code
    }

    static let plain: [(name: String, encode: @Sendable (String) -> String)] = [
        ("URLSearchParams", { form($0) }),
        ("URLSearchParams, a space in front", { form(" \($0)") }),
        ("URLSearchParams, a line end after", { form("\($0)\r\n") }),
        ("encodeURIComponent", { percent($0) }),
        ("encodeURIComponent, a line end in front", { percent("\n\($0)") }),
        ("URLComponents, which leaves +", { percent($0, keeping: "+/=:?") }),
        ("a form whose < and > are not encoded", { form($0).replacing("%3C", with: "<").replacing("%3E", with: ">") }),
        ("lower-case digits", { percent($0).replacing("%3C", with: "%3c").replacing("%2B", with: "%2b") }),
        ("encodeURIComponent, then URLSearchParams", { form(percent($0)) }),
        ("URLSearchParams twice", { form(form($0)) }),
        ("URLSearchParams, then URLComponents", { percent(form($0), keeping: "+") }),
        ("URLComponents, then encodeURIComponent", { percent(percent($0, keeping: "+")) }),
    ]

    @Test(arguments: plain.indices)
    func `A plain token is read whatever encoded the query`(_ index: Int) throws {
        let (name, encode) = Self.plain[index]
        for isPretty in [false, true] {
            let token = try token(isPretty: isPretty)
            #expect(code(encode(token)) == "valid", "\(name)")
        }
    }

    static let encoded: [(name: String, encode: @Sendable (String) -> String)] = [
        ("as it is", { $0 }), ("URLSearchParams", { form($0) }), ("encodeURIComponent", { percent($0) }),
        ("a plus as a space", { $0.replacing("+", with: "%20") }), ("white space at both ends", { form(" \($0)\n ") }),
        ("URL-safe", { $0.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "") }),
        ("without padding", { $0.replacing("=", with: "") }),
    ]

    @Test(arguments: encoded.indices)
    func `Base64 may have its plus as it is`(_ index: Int) throws {
        let (name, encode) = Self.encoded[index]
        // Of each length modulo 3: every third one ends in a plus.
        for more in ["", "x", "xx"] {
            let resource = ResourceID("Canal+ Sur\(more)")
            let once = Base64.encode(Array(try token(resource).utf8))
            for text in [once, Base64.encode(Array(once.utf8))] {
                #expect(code(encode(text), for: resource) == "valid", "\(name), \(more)")
            }
        }
    }

    @Test func `What no encoder writes gets no third reading`() throws {
        let token = try token()
        // The spaces and the pluses look alike, and one reading makes all of them the one or the other.
        #expect(code(Self.percent(token.replacing(" ", with: "+"), keeping: "+")) == "bad_signature")
        let changed = Self.form(token).replacing("REF30", with: "REF31")
        #expect(code(changed) == "bad_signature")
        #expect(code(Self.form(Self.form(Self.form(token)))) == "malformed")
    }

    @Test(arguments: [
        ("", ""), ("%", "%"), ("%zz+", "%zz+"), ("a+b%2B%20", "a b+ "), ("Bearer+x", "Bearer x"), ("<a>+", "<a> "),
        ("+PHN+", " PHN "), ("%3CsignatureInfo%3Ea+b%2Bc", "%3CsignatureInfo%3Ea+b%2Bc"),
        ("%253CsignatureInfo%253Ea+b", "%3CsignatureInfo%3Ea+b"), ("%3CsignatureInfo%3Eab", "<signatureInfo>ab"),
    ])
    func `The text shows what was sent`(_ sent: String, _ text: String) {
        #expect(QueryToken.text(of: Array(sent.utf8)) == text)
    }
}
