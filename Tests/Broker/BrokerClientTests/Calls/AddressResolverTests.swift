#if Client
import BrokerClient
import Testing

/// What becomes of the addresses in the broker's answers before a user agent opens them.
@Suite struct AddressResolverTests {
    let resolver = AddressResolver(api: BrokerEnvironment.production.api)

    @Test(arguments: [
        ("/api/v2/authenticate/REF30/ABC123", "https://sp.auth.adobe.com/api/v2/authenticate/REF30/ABC123"),
        ("/a?b=https%3A%2F%2Fexample.org#c", "https://sp.auth.adobe.com/a?b=https%3A%2F%2Fexample.org#c"),
        ("/a://b", "https://sp.auth.adobe.com/a://b"),
        ("https://provider.example/logout?a=b", "https://provider.example/logout?a=b"),
        ("HTTPS://Provider.Example:8443/x", "https://Provider.Example:8443/x"),
        ("https://provider.example?x", "https://provider.example?x"),
        ("https://[2001:db8::1]:443/", "https://[2001:db8::1]:443/"),
        ("http://sp.auth.adobe.com/a", "https://sp.auth.adobe.com/a"),
        ("http://api.auth-staging.adobe.com", "https://api.auth-staging.adobe.com"),
        ("http://AUTH.adobe.com/", "https://AUTH.adobe.com/"),
    ])
    func `Is made absolute, with https`(text: String, expected: String) throws {
        #expect(try resolver.resolve(text) == expected)
    }

    @Test(arguments: [
        ("", AddressFault.length), (String(repeating: "/", count: 16_385), .length),
        ("//evil.example/a", .schemeRelative), ("///evil.example", .schemeRelative), ("//", .schemeRelative),
        ("/\\evil.example", .character), ("\\\\evil.example", .character), ("https:\\\\evil.example", .character),
        (" https://a.example", .character), ("java\tscript:alert(1)", .character), ("/a\r\nX: y", .character),
        ("/\u{0}", .character), ("/é", .character), ("https://\u{FF41}.example/", .character), ("/<b>", .character),
        ("javascript:alert(1)", .scheme), ("JavaScript:alert(1)", .scheme), ("data:text/html,a", .scheme),
        ("file:///etc/passwd", .scheme), ("ftp://a.example/", .scheme), ("adobepass://ios.app", .scheme),
        (":", .scheme), ("1https://a.example", .scheme),
        ("http://provider.example/", .scheme), ("http://auth.adobe.com.evil.example/", .scheme),
        ("http://evilauth.adobe.com.example/", .scheme), ("http://xauth.adobe.com/", .scheme),
        ("http://sp.auth.adobe.com:8080/", .scheme), ("http://127.0.0.1/", .scheme),
        ("api/v2/authenticate", .relativePath), ("?a=b", .relativePath), ("#a", .relativePath), (".", .relativePath),
        ("a/b:c", .relativePath),
        ("https:", .host), ("https:/a.example", .host), ("https:a.example", .host), ("https://", .host),
        ("https:///a", .host), ("https://user@a.example/", .host), ("https://a.example:b@evil.example/", .host),
        ("https://a.example:/", .host), ("https://a.example:0/", .host), ("https://a.example:65536/", .host),
        ("https://a.example:+80/", .host), ("https://a%2eexample/", .host), ("https://:443/", .host),
        ("https://[]/", .host), ("https://[::1/", .host), ("https://[::1]x/", .host), ("https://[v1.a]/", .host),
        ("http://sp.auth.adobe.com@evil.example/", .host),
    ])
    func `Is refused`(text: String, fault: AddressFault) {
        #expect(throws: fault) { try resolver.resolve(text) }
    }

    @Test func `Plain http only to the API itself, which is then on this machine`() throws {
        let local = AddressResolver(api: try BrokerOrigin(parsing: "http://127.0.0.1:8090"))
        #expect(try local.resolve("/sim/login") == "http://127.0.0.1:8090/sim/login")
        #expect(try local.resolve("http://127.0.0.1:8090/sim/login?a") == "http://127.0.0.1:8090/sim/login?a")
        #expect(throws: AddressFault.scheme) { try local.resolve("http://127.0.0.1:8091/") }
        #expect(throws: AddressFault.scheme) { try local.resolve("http://localhost:8090/") }
    }

    @Test func `Every reason says what is wrong`() {
        #expect(Set(AddressFault.allCases.map(\.description)).count == AddressFault.allCases.count)
    }
}
#endif
