import BrokerMessages
import Testing
import TestVectors

@Suite struct ClientAddressTests {
    @Test(arguments: [
        ("203.0.113.7", "203.0.113.7"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("2001:db8::1", "2001:db8::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::", "::"), ("::1", "::1"),
        ("1::", "1::"), ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("fe80::a:b:c:d", "fe80::a:b:c:d"),
        // IPv4 inside IPv6, as sockets for both report it.
        ("::ffff:203.0.113.7", "203.0.113.7"), ("::FFFF:cb00:7107", "203.0.113.7"),
        ("0000:0000:0000:0000:0000:ffff:203.113.113.107", "203.113.113.107"),
        ("64:ff9b::203.0.113.7", "64:ff9b::cb00:7107"),
    ])
    func `Addresses have one spelling`(_ text: String, _ spelling: String) throws {
        let address = try ClientAddress(text)
        #expect(ClientAddress.name == "X-Forwarded-For")
        #expect(address.headerValue == spelling)
        #expect(address.isIPv6 == spelling.contains(":"))
        #expect(try ClientAddress(headerValue: spelling) == address)
    }

    @Test(arguments: [
        "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4:80", "1..3.4",
        "a.b.c.d",
        "1.2.3.-4", "1.2.3.+4", "0x1.2.3.4", "1234.1.1.1", "1.2.3.4,5.6.7.8", "1.2.3.4, 5.6.7.8", "203.0.113.7\r\nX: 1",
        "203.0.113.7\0", "[::1]", "fe80::1%eth0", ":", ":::", "1:::2", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
        "::1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8::", "12345::", "g::", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::ffff:1.2.3.256", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "１.2.3.4", "example.org", "unknown",
    ])
    func `Other texts are refused`(_ text: String) throws {
        let error = try refusal { () throws(BrokerHeaderError) in try ClientAddress(text) }
        #expect(error.code == "header_unexpected_form")
    }

    @Test func `Empty and long texts are refused`() throws {
        #expect(try refusal { () throws(BrokerHeaderError) in try ClientAddress("") }.code == "header_empty")
        let long = String(repeating: "1", count: 46)
        #expect(try refusal { () throws(BrokerHeaderError) in try ClientAddress(long) }.code == "header_too_long")
    }

    @Test func `Every address is read as what was written`() throws {
        var random = Noise(seed: 4291)
        for _ in 0..<5000 {
            // Many zeros, so that runs of them occur in all places.
            let groups = (0..<8).map { _ in
                Bool.random(using: &random) ? 0 : UInt16.random(in: 0...UInt16.max, using: &random)
            }
            let plain = groups.map { String($0, radix: 16) }.joined(separator: ":")
            let address = try ClientAddress(plain)
            #expect(try ClientAddress(address.text) == address)
            #expect(address.text.utf8.count <= plain.utf8.count)
            #expect(!address.text.contains(":::"))
            let numbers = (0..<4).map { _ in String(UInt8.random(in: 0...255, using: &random)) }.joined(separator: ".")
            #expect(try ClientAddress(numbers).text == numbers)
            #expect(try ClientAddress("::ffff:" + numbers).text == numbers)
        }
    }

    @Test func `The address is not shown`() throws {
        expectRedacted(try ClientAddress("203.0.113.7"), hiding: "203.0.113.7")
    }
}
