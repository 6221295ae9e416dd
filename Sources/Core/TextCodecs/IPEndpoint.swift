/// The address at the other end of a connection, and its port if that is known, as servers and proxies write them.
package struct IPEndpoint: Sendable, Hashable {
    /// The address.
    package let address: IPAddress
    /// The port; `nil` if the text does not have it.
    package let port: UInt16?

    /// Reads an address with or without a port, and without white space; `nil` if the text is anything else, such as
    /// `unknown`.
    ///
    /// These are read: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:4711`, with
    /// each spelling that ``IPAddress`` reads. Without brackets, a port after an address of IPv6 looks like the last
    /// part of the address, so it is read only if the address ends as one of IPv4 does: `::ffff:192.0.2.1:4711`.
    package init?(_ text: some StringProtocol) { self.init(bytes: Array(text.utf8)[...]) }

    /// Reads an address with or without a port, given as the bytes of such a text.
    package init?(bytes: ArraySlice<UInt8>) {
        if let address = IPAddress(bytes: bytes) {
            (self.address, port) = (address, nil)
            return
        }
        guard let (host, rest) = Self.split(bytes), let address = IPAddress(bytes: host) else { return nil }
        self.address = address
        if rest.isEmpty {
            port = nil
        } else {
            guard rest.first == UInt8(ascii: ":"), let port = Self.port(rest.dropFirst()) else { return nil }
            self.port = port
        }
    }

    /// Splits a text after the address: after its bracket, or before the last colon.
    private static func split(_ bytes: ArraySlice<UInt8>) -> (host: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let host = bytes[..<end].dropFirst()
            // Only addresses of IPv6 stand in brackets (RFC 3986 §3.2.2).
            guard host.contains(UInt8(ascii: ":")) else { return nil }
            return (host, bytes[(end + 1)...])
        }
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let host = bytes[..<colon]
        guard host.contains(UInt8(ascii: ".")) else { return nil }
        return (host, bytes[colon...])
    }

    /// Reads a port: 1 to 5 decimal digits, not above 65535; `nil` if the bytes are anything else.
    package static func port(_ digits: some Collection<UInt8>) -> UInt16? {
        guard 1...5 ~= digits.count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        let number: Int = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return UInt16(exactly: number)
    }
}
