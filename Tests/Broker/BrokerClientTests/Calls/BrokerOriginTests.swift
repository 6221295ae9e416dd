#if Client
import BrokerClient
import Testing

@Suite("A broker's origin")
struct BrokerOriginTests {
    @Test(arguments: [
        ("https://sp.auth.adobe.com", "https://sp.auth.adobe.com", 443),
        ("HTTPS://SP.Auth.Adobe.COM:443", "https://sp.auth.adobe.com", 443),
        ("https://broker.example:8443", "https://broker.example:8443", 8443),
        ("https://broker.example:80", "https://broker.example:80", 80),
        ("https://192.0.2.1", "https://192.0.2.1", 443), ("https://[2001:DB8::1]:1", "https://[2001:db8::1]:1", 1),
        ("https://[::]", "https://[::]", 443), ("https://[1::]", "https://[1::]", 443),
        ("https://[1:2:3:4:5:6:7:8]", "https://[1:2:3:4:5:6:7:8]", 443),
        ("https://a-b.c1", "https://a-b.c1", 443), ("https://simulator", "https://simulator", 443),
        ("http://localhost:8080", "http://localhost:8080", 8080), ("http://LOCALHOST", "http://localhost", 80),
        ("http://127.0.0.1:80", "http://127.0.0.1", 80), ("http://127.255.255.254", "http://127.255.255.254", 80),
        ("http://[::1]:65535", "http://[::1]:65535", 65535),
    ])
    func `Is read, and written in one way`(text: String, written: String, port: UInt16) throws {
        let origin = try BrokerOrigin(parsing: text)
        #expect(origin.description == written)
        #expect(origin.port == port)
        #expect(try BrokerOrigin(parsing: written) == origin)
    }

    @Test(arguments: [
        ("", "malformed_origin"), ("broker.example", "malformed_origin"),
        ("https:broker.example", "malformed_origin"),
        ("://broker.example", "malformed_origin"), ("ftp://broker.example", "malformed_origin"),
        (" https://broker.example", "malformed_origin"), ("https://broker.example ", "malformed_origin"),
        ("https://", "malformed_origin"), ("https://:443", "malformed_origin"),
        ("https://a..b", "malformed_origin"),
        ("https://.a", "malformed_origin"), ("https://a.", "malformed_origin"), ("https://-a", "malformed_origin"),
        ("https://a-", "malformed_origin"), ("https://a_b", "malformed_origin"),
        ("https://é.example", "malformed_origin"),
        ("https://a%62", "malformed_origin"), ("https://a\r\nb", "malformed_origin"),
        ("https://a\0", "malformed_origin"),
        ("https://a:", "malformed_origin"), ("https://a:0", "malformed_origin"),
        ("https://a:65536", "malformed_origin"),
        ("https://a:+1", "malformed_origin"), ("https://a:1:2", "malformed_origin"),
        ("https://a:1 ", "malformed_origin"),
        ("https://a:١", "malformed_origin"), ("https://127.1", "malformed_origin"),
        ("https://2130706433", "malformed_origin"),
        ("https://0x7f.0.0.1", "malformed_origin"), ("https://127.0.0.01", "malformed_origin"),
        ("https://127.0.0.256", "malformed_origin"), ("https://1.2.3.4.5", "malformed_origin"),
        ("https://a.0x7f", "malformed_origin"), ("https://::1", "malformed_origin"),
        ("https://[::1", "malformed_origin"),
        ("https://[]", "malformed_origin"), ("https://[:]", "malformed_origin"),
        ("https://[:::]", "malformed_origin"),
        ("https://[1::2::3]", "malformed_origin"), ("https://[1:2:3:4:5:6:7]", "malformed_origin"),
        ("https://[1:2:3:4:5:6:7:8:9]", "malformed_origin"), ("https://[12345::]", "malformed_origin"),
        ("https://[g::]", "malformed_origin"), ("https://[fe80::1%eth0]", "malformed_origin"),
        ("https://[1:2:3:4:5:6:7::8]", "malformed_origin"), ("https://[:1:2:3:4:5:6:7:8]", "malformed_origin"),
        ("https://[::1]x", "malformed_origin"), ("https://[::1]x:1", "malformed_origin"),
        ("https://x[::1]", "malformed_origin"),
        ("https://a/", "origin_with_more"), ("https://a/api/v2", "origin_with_more"),
        ("https://a?b", "origin_with_more"),
        ("https://a#b", "origin_with_more"), ("https://user@a", "origin_with_more"),
        ("https://user:password@a", "origin_with_more"), ("http://localhost@evil.example", "origin_with_more"),
        ("http://broker.example", "plain_http"), ("http://localhost.example", "plain_http"),
        ("http://localhost.", "malformed_origin"), ("http://128.0.0.1", "plain_http"),
        ("http://0.0.0.0", "plain_http"),
        ("http://[::]", "plain_http"), ("http://[::2]", "plain_http"), ("http://[0:0:0:0:0:0:0:1]", "plain_http"),
        ("http://[::ffff:7f00:1]", "plain_http"), ("http://127.0.0.1.example", "plain_http"),
    ])
    func `Is refused with the reason`(text: String, code: String) {
        let error = #expect(throws: BrokerSettingsError.self) { try BrokerOrigin(parsing: text) }
        #expect(error?.code == code)
        #expect(error?.description.contains("password") == false)
    }

    @Test func `Of a long name is refused`() {
        let label = String(repeating: "a", count: 64)
        #expect(throws: BrokerSettingsError.self) { try BrokerOrigin(parsing: "https://\(label)") }
        let name = Array(repeating: "abcdefghi", count: 26).joined(separator: ".")
        #expect(throws: BrokerSettingsError.self) { try BrokerOrigin(parsing: "https://\(name)") }
    }

    @Test func `Of each environment is one that can be read`() throws {
        let all: [(BrokerEnvironment, String)] = [
            (.production, "auth.adobe.com"), (.prequalification, "auth.adobe.com"),
            (.staging, "auth-staging.adobe.com"), (.prequalificationStaging, "auth-staging.adobe.com"),
        ]
        for (environment, domain) in all {
            for origin in [environment.api, environment.management].compactMap(\.self) {
                #expect(try BrokerOrigin(parsing: origin.description) == origin)
                #expect(origin.host.hasSuffix(".\(domain)") && origin.scheme == .https)
            }
        }
        #expect(Set(all.map(\.0)).count == 4)
        #expect(BrokerEnvironment.production.api.description == "https://sp.auth.adobe.com")
        let management = ["mgmt.auth", "mgmt-prequal.auth", "mgmt.auth-staging", "mgmt-prequal.auth-staging"]
        #expect(all.map(\.0.management?.description) == management.map { "https://\($0).adobe.com" })
    }
}
#endif
