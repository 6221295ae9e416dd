import Testing
import TextCodecs

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7"), ("2001:DB8:0:0::0007", "2001:db8::7"), ("::ffff:203.0.113.7", "203.0.113.7"),
        ("::FFFF:cb00:7107", "203.0.113.7"), ("64:ff9b::203.0.113.7", "64:ff9b::cb00:7107"),
        ("::203.0.113.7", "::cb00:7107"), ("0:0:0:0:0:0:0:1", "::1"),
    ])
    func `All spellings of an address are one`(_ text: String, _ spelling: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.text == spelling)
        #expect(address == IPAddress(spelling))
        #expect(address.isIPv6 == spelling.contains(":"))
    }

    @Test(arguments: [
        "", " ", "unknown", "203.0.113.07", "203.0.113.7 ", "203.0.113.7:80", "[2001:db8::7]", "fe80::1%eth0",
        "::ffff:1.2.3", "2001:db8::12345", "203.0.113.٧",
    ])
    func `What is not an address is none`(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7"), ("::ffff:203.0.113.7", "203.0.113.7"), ("2001:db8::7", "2001:db8:0:0"),
        ("2001:db8:0:1::", "2001:db8:0:1"), ("::1", "0:0:0:0"), ("1:2:3:4:5:6:7:8", "1:2:3:4"),
    ])
    func `Clients are counted by address, and of IPv6 by network`(_ text: String, _ network: String) {
        #expect(IPAddress(text)?.network == network)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.3", true), ("::1", true), ("0:0:0:0:0:0:0:1", true),
        ("::ffff:127.0.0.1", true), ("128.0.0.1", false), ("12.7.0.1", false), ("::", false), ("::2", false),
        ("1::1", false),
    ])
    func `The host itself has several addresses`(_ text: String, _ isLoopback: Bool) {
        #expect(IPAddress(text)?.isLoopback == isLoopback)
    }
}
