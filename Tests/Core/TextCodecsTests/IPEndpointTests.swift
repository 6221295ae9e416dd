import Testing
import TextCodecs

@Suite struct IPEndpointTests {
    @Test(
        arguments: [
            ("203.0.113.7", "203.0.113.7", nil), ("203.0.113.7:51008", "203.0.113.7", 51008),
            ("203.0.113.7:0", "203.0.113.7", 0), ("203.0.113.7:65535", "203.0.113.7", 65535),
            ("203.0.113.7:00080", "203.0.113.7", 80), ("2001:db8::7", "2001:db8::7", nil),
            ("2001:DB8:0:0::7", "2001:db8::7", nil), ("[2001:db8::7]", "2001:db8::7", nil),
            ("[2001:DB8::7]:51008", "2001:db8::7", 51008), ("::ffff:203.0.113.7", "203.0.113.7", nil),
            ("::ffff:203.0.113.7:51008", "203.0.113.7", 51008), ("[::ffff:203.0.113.7]:1", "203.0.113.7", 1),
            ("[::FFFF:cb00:7107]", "203.0.113.7", nil), ("[::1]:1", "::1", 1),
            // Four digits at the end are a part of the address.
            ("2001:db8::7:8080", "2001:db8::7:8080", nil),
        ] as [(String, String, UInt16?)])
    func `An address comes with a port or without`(_ text: String, _ address: String, _ port: UInt16?) throws {
        let endpoint = try #require(IPEndpoint(text))
        #expect(endpoint.address.text == address)
        #expect(endpoint.port == port)
        let entries = Array("0, \(text)".utf8)
        #expect(IPEndpoint(bytes: entries[3...]) == endpoint)
    }

    @Test(arguments: [
        "", ":", ":80", "unknown", "_hidden", "203.0.113.7:", "203.0.113.7:x", "203.0.113.7:+80", "203.0.113.7:-1",
        "203.0.113.7:65536", "203.0.113.7:000080", "203.0.113.7: 80", " 203.0.113.7", "203.0.113.7 ", "203.0.113.07:80",
        "203.0.113.7:80:80", "[203.0.113.7]", "[203.0.113.7]:80", "[2001:db8::7", "2001:db8::7]", "[2001:db8::7]80",
        "[2001:db8::7]:", "[2001:db8::7]:x", "[2001:db8::7]:80]", "[[2001:db8::7]]", "[]", "[]:80", "2001:db8::7:51008",
        "fe80::1%eth0", "[fe80::1%25eth0]:80", "\"[2001:db8::7]\"", "for=203.0.113.7", "203.0.113.7,203.0.113.8",
        "localhost:80", "203.0.113.7:٨٠",
    ])
    func `Anything else is refused`(_ text: String) { #expect(IPEndpoint(text) == nil) }
}
