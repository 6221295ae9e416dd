#if Client
import EntitlementFlows
import Testing

@Suite("A provider's text for people")
struct ProviderTextTests {
    @Test(arguments: [
        ("Call 555.", "Call 555."),
        ("  a \u{9} b\r\n c ", "a b c"),
        ("<p>You &amp; <b>me</b></p>", "You & me"),
        ("5 < 6 > 4", "5 6 4"),
        ("<<b>script>x", "script x"),
        ("<script>alert(1)</script>Sorry", "Sorry"),
        ("<style>p{}</style><title>t</title>Sorry<!-- note -->.", "Sorry ."),
        ("&lt;script&gt;x", "script x"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("cut off <a href=\"https://a.example", "cut off"),
        ("a\u{202E}b\u{0}c\u{200B}d", "a b c d"),
        ("Größe & Zoë", "Größe & Zoë"),
        ("", ""),
    ])
    func `The message has no markup`(text: String, message: String) {
        let read = ProviderText(text)
        #expect(read.message == message)
        #expect(!read.message.contains("<") && !read.message.contains(">"))
    }

    @Test(arguments: [
        ("see https://a.example/x.", ["https://a.example/x"]),
        ("<a href='https://a.example/?q=1&amp;r=2'>x</a>", ["https://a.example/?q=1&r=2"]),
        ("https://a.example https://a.example/ https://a.example", ["https://a.example", "https://a.example/"]),
        ("http://a.example javascript:alert(1) //b.example", []),
        ("<a href=\"javascript:x\">https://a.example</a>", ["https://a.example"]),
        ("https://user:word@a.example/ https:// https://a..b/", []),
        ("(https://a.example:8443/b)", ["https://a.example:8443/b"]),
        ("https://größe.example/", []),
    ])
    func `Links are https addresses of plain hosts`(text: String, links: [String]) {
        #expect(ProviderText(text).links == links)
    }

    @Test func `Long texts and many links are cut off`() {
        let read = ProviderText((0..<1000).map { "https://a.example/\($0)" }.joined(separator: " "))
        #expect(read.links.count == ProviderText.maximumLinks)
        #expect(read.message.count == ProviderText.maximumLength)
    }
}
#endif
