#if Client
import BrokerClient
import Testing

@Suite("The address of a proxy, and the servers that it is for")
struct ProxyRuleTests {
    private static func proxy(except exceptions: String) throws -> HTTPProxy {
        try HTTPProxy(parsing: "http://proxy.example:3128", except: exceptions)
    }

    // MARK: Exceptions

    @Test(
        arguments: [
            ("", "https://example.org", true), (" ,, ", "https://example.org", true),
            ("*", "https://example.org", false), ("a.example *", "https://example.org", false),
            // A name is for itself and for all names below it, with or without a dot before it.
            ("example.org", "https://example.org", false), ("example.org", "https://sp.example.org", false),
            ("example.org", "https://notexample.org", true), ("example.org", "https://example.org.example.com", true),
            (".example.org", "https://example.org", false), (".example.org", "https://sp.example.org", false),
            (".example.org", "https://notexample.org", true), ("*.example.org", "https://sp.example.org", false),
            ("example.org.", "https://sp.example.org", false), ("EXAMPLE.org", "https://sp.Example.ORG", false),
            ("sp.example.org", "https://example.org", true), ("*.*", "https://example.org", true),
            (".", "https://example.org", true), ("org", "https://example.org", false),
            // Lists.
            ("a.example,example.org", "https://example.org", false),
            ("a.example,\t example.org", "https://example.org", false),
            ("a.example example.org", "https://example.org", false),
            // Ports.
            ("example.org:8443", "https://example.org:8443", false), ("example.org:8443", "https://example.org", true),
            ("example.org:443", "https://example.org", false), ("example.org:no", "https://example.org", true),
            (":443", "https://example.org", true),
            // Addresses, in any spelling, and networks.
            ("192.0.2.1", "https://192.0.2.1", false), ("192.0.2.1", "https://192.0.2.10", true),
            ("192.0.2.1:8443", "https://192.0.2.1:8443", false), ("192.0.2.1:8443", "https://192.0.2.1", true),
            ("2001:db8::1", "https://[2001:DB8:0::1]", false), ("[2001:db8::1]", "https://[2001:db8::1]", false),
            ("[2001:db8::1]:8443", "https://[2001:db8::1]:8443", false),
            ("[2001:db8::1]:8443", "https://[2001:db8::1]", true),
            ("192.0.2.0/24", "https://192.0.2.255", false), ("192.0.2.0/24", "https://192.0.3.0", true),
            ("192.0.2.128/25", "https://192.0.2.127", true), ("192.0.2.128/25", "https://192.0.2.200", false),
            ("0.0.0.0/0", "https://192.0.2.1", false), ("0.0.0.0/0", "https://[2001:db8::1]", true),
            ("192.0.2.1/32", "https://192.0.2.1", false), ("2001:db8::/33", "https://[2001:db8:7fff::1]", false),
            ("2001:db8::/33", "https://[2001:db8:8000::1]", true), ("192.0.2.0/33", "https://192.0.2.0", true),
            ("192.0.2.0/-1", "https://192.0.2.0", true), ("192.0.2.0/", "https://192.0.2.0", true),
            ("192.0.2", "https://192.0.2.1", true), ("0.0.0.0/0", "https://example.org", true),
            ("2.1", "https://192.0.2.1", true),
            // This machine is never reached through a proxy, nor is anything in clear.
            ("", "https://localhost", false), ("", "https://127.0.0.1:8443", false), ("", "https://127.9.9.9", false),
            ("", "https://[::1]", false), ("", "http://localhost", false), ("", "http://127.0.0.1:8090", false),
        ] as [(String, String, Bool)])
    func `Servers that are reached through it`(exceptions: String, origin: String, isUsed: Bool) throws {
        let proxy = try Self.proxy(except: exceptions)
        #expect(proxy.isUsed(for: try BrokerOrigin(parsing: origin)) == isUsed)
    }

    // MARK: Addresses

    @Test(arguments: [
        ("http://proxy.example:3128", "http://proxy.example:3128"), ("proxy.example:3128", "http://proxy.example:3128"),
        ("HTTP://Proxy.Example:3128/", "http://proxy.example:3128"),
        ("http://proxy.example", "http://proxy.example:80"),
        ("http://192.0.2.1:3128", "http://192.0.2.1:3128"), ("[2001:db8::1]:3128", "http://[2001:db8::1]:3128"),
        ("http://user:5ec2e7@proxy.example:3128", "http://proxy.example:3128"),
        ("user:5ec2e7@proxy.example:3128", "http://proxy.example:3128"),
        ("http://user:5ec2e7%40%3A%2F@proxy.example:3128", "http://proxy.example:3128"),
        ("http://user:5ec2e7@@proxy.example:3128", "http://proxy.example:3128"),
        ("http://5ec2e7@proxy.example:3128", "http://proxy.example:3128"), ("http://:5ec2e7@p:1", "http://p:1"),
    ])
    func `Good ones are read, and shown without user and password`(address: String, shown: String) throws {
        let proxy = try HTTPProxy(parsing: address)
        #expect("\(proxy)" == shown)
        var settings = AsyncHTTPTransport.Settings()
        settings.proxy = proxy
        var dumped = "\(proxy) \(String(reflecting: proxy)) \(settings) \(String(reflecting: settings))"
        dump(settings, to: &dumped)
        #expect(!dumped.contains("5ec2e7") && !dumped.contains("dXNlcjo1"))
    }

    @Test(arguments: [
        ("socks5://user:5ec2e7@proxy.example:1080", "begins with socks5://, which is not supported"),
        ("SOCKS5H://proxy.example", "begins with socks5h://, which is not supported"),
        ("https://user:5ec2e7@proxy.example:3129", "begins with https://, which is not supported"),
        ("5ec2e7://proxy.example", "has another scheme than http"),
        ("http://user:5ec2e7@proxy.example:3128/path", "has a path, a query or a fragment"),
        ("http://proxy.example?5ec2e7", "has a path, a query or a fragment"),
        ("http://user:5ec2e7%4@proxy.example", "has a user or password that is not percent-encoded UTF-8"),
        ("http://user:5ec2e7%FF@proxy.example", "has a user or password that is not percent-encoded UTF-8"),
        ("http://proxy.example:5ec2e7", "has a port that is not a number from 1 to 65535"),
        ("http://proxy.example:0", "has a port that is not a number from 1 to 65535"),
        ("http://proxy.example:65536", "has a port that is not a number from 1 to 65535"),
        ("http://user:5ec2e7@", "has a host that is neither a DNS name nor an address"),
        ("", "has a host that is neither a DNS name nor an address"),
        ("http://pro xy.example", "has a host that is neither a DNS name nor an address"),
        ("http://127.1:3128", "has a host that looks like an IPv4 address and is not one"),
    ])
    func `Others are refused with the reason, and not repeated`(address: String, reason: String) {
        let error = #expect(throws: BrokerSettingsError.self) { try HTTPProxy(parsing: address) }
        #expect(error == .malformedProxy(variable: nil, reason: reason))
        #expect(error?.code == "malformed_proxy")
        #expect(
            error?.description
                == "the proxy's address \(reason); it has the form http://HOST:PORT or http://USER:PASSWORD@HOST:PORT")
        #expect(!"\(String(describing: error)) \(String(reflecting: error))".contains("5ec2e7"))
    }

    // MARK: Environment

    @Test(
        arguments: [
            ([:], nil), (["HTTP_PROXY": "http://a:1", "http_proxy": "http://a:1", "NO_PROXY": "*"], nil),
            (["HTTPS_PROXY": "", "ALL_PROXY": ""], nil), (["HTTPS_PROXY": "http://a:1"], "http://a:1"),
            (["https_proxy": "http://b:1", "HTTPS_PROXY": "socks5://a:1"], "http://b:1"),
            (["https_proxy": "", "HTTPS_PROXY": "http://a:1"], "http://a:1"),
            (["ALL_PROXY": "http://a:1"], "http://a:1"), (["all_proxy": "http://b:1", "ALL_PROXY": "?"], "http://b:1"),
            (["HTTPS_PROXY": "http://a:1", "all_proxy": "socks5://b:1"], "http://a:1"),
        ] as [([String: String], String?)])
    func `The first variable that is set counts`(variables: [String: String], proxy: String?) throws {
        #expect(try HTTPProxy.ofEnvironment { variables[$0] }.map { "\($0)" } == proxy)
    }

    @Test(arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
    func `A fault names the variable`(name: String) {
        let error = #expect(throws: BrokerSettingsError.self) {
            try HTTPProxy.ofEnvironment { $0 == name ? "socks5://user:5ec2e7@a:1" : nil }
        }
        #expect(
            error?.description.hasPrefix(
                "the proxy's address in \(name) begins with socks5://, which is not supported; ")
                == true)
        #expect(error?.description.contains("5ec2e7") == false)
    }

    @Test(
        arguments: [
            (["NO_PROXY": "example.org"], false), (["no_proxy": "example.org"], false),
            (["no_proxy": "a.example", "NO_PROXY": "example.org"], true),
            (["no_proxy": "", "NO_PROXY": "example.org"], false), ([:], true),
        ] as [([String: String], Bool)])
    func `Exceptions come from the environment, too`(variables: [String: String], isUsed: Bool) throws {
        let variables = variables.merging(["HTTPS_PROXY": "http://a:1"]) { $1 }
        let proxy = try #require(try HTTPProxy.ofEnvironment { variables[$0] })
        #expect(proxy.isUsed(for: try BrokerOrigin(parsing: "https://example.org")) == isUsed)
    }
}
#endif
