/// An IP address, read strictly and written in one spelling.
///
/// Addresses of clients are read, compared and counted by this type alone, so that all spellings of an address are one
/// client: that of sessions, of the gateway, of limits and of the broker.
package struct IPAddress: Sendable, Hashable {
    /// The address as sixteen-bit groups: eight of IPv6, or two of IPv4.
    private let groups: [UInt16]

    /// Whether it is an address of IPv6.
    package var isIPv6: Bool { groups.count == 8 }

    /// Reads an address without port, brackets and white space; `nil` if the text is anything else.
    ///
    /// IPv4 has four decimal numbers without leading zeros, which some readers take for octal. IPv6 is read as RFC 4291
    /// §2.2 defines it. An IPv4 address inside IPv6 (`::ffff:192.0.2.1`), as sockets for both report it, is the IPv4
    /// address. A zone (`fe80::1%eth0`) is refused: it has a meaning on one host only.
    package init?(_ text: some StringProtocol) { self.init(bytes: Array(text.utf8)[...]) }

    /// Reads an address given as the bytes of such a text.
    package init?(bytes: ArraySlice<UInt8>) {
        guard let groups = bytes.contains(UInt8(ascii: ":")) ? Self.version6(bytes) : Self.version4(bytes) else {
            return nil
        }
        self.init(groups: groups)
    }

    private init(groups: [UInt16]) {
        let isMapped = groups.count == 8 && groups[..<5].allSatisfy { $0 == 0 } && groups[5] == 0xFFFF
        self.groups = isMapped ? Array(groups[6...]) : groups
    }

    private static func version4(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var numbers: [UInt16] = []
        for part in parts {
            guard 1...3 ~= part.count, part.allSatisfy(\.isASCIIDigit),
                part.count == 1 || part.first != UInt8(ascii: "0")
            else { return nil }
            let number = part.reduce(0) { $0 * 10 + UInt16($1 - UInt8(ascii: "0")) }
            guard number <= 255 else { return nil }
            numbers.append(number)
        }
        return [numbers[0] << 8 | numbers[1], numbers[2] << 8 | numbers[3]]
    }

    private static func version6(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        guard
            let gap = zip(text.indices, text.indices.dropFirst()).first(where: {
                text[$0] == colon && text[$1] == colon
            })
        else {
            guard let groups = groups(of: text, mayEndInVersion4: true), groups.count == 8 else { return nil }
            return groups
        }
        guard let before = groups(of: text[..<gap.0], mayEndInVersion4: false),
            let after = groups(of: text[(gap.1 + 1)...], mayEndInVersion4: true), before.count + after.count < 8
        else { return nil }
        return before + [UInt16](repeating: 0, count: 8 - before.count - after.count) + after
    }

    /// Reads groups with colons between them; none if the text is empty.
    private static func groups(of text: ArraySlice<UInt8>, mayEndInVersion4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 8, omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, mayEndInVersion4, part.contains(UInt8(ascii: ".")) {
                guard let last = version4(part) else { return nil }
                return groups + last
            }
            guard 1...4 ~= part.count else { return nil }
            var group: UInt16 = 0
            for byte in part {
                guard let digit = byte.hexDigitValue else { return nil }
                group = group << 4 | UInt16(digit)
            }
            groups.append(group)
        }
        return groups
    }

    /// Whether it is the host itself: 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool {
        guard isIPv6 else { return groups[0] >> 8 == 127 }
        return groups[7] == 1 && groups[..<7].allSatisfy { $0 == 0 }
    }

    /// The bytes of the address in network order: 16, or 4 of IPv4.
    package var bytes: [UInt8] { groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }

    /// Takes the bytes of an address in network order; `nil` unless there are 16 or 4.
    ///
    /// An IPv4 address inside IPv6 is the IPv4 address.
    package init?(octets: [UInt8]) {
        guard octets.count == 16 || octets.count == 4 else { return nil }
        let groups = stride(from: 0, to: octets.count, by: 2).map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) }
        self.init(groups: groups)
    }

    /// How many bits the address has: 128, or 32 of IPv4.
    package var bitCount: Int { groups.count * 16 }

    /// Whether two addresses begin with the same bits; `false` for an address of IPv4 and one of IPv6.
    package func shares(_ bits: Int, with other: IPAddress) -> Bool {
        guard groups.count == other.groups.count else { return false }
        return zip(groups, other.groups).enumerated().allSatisfy { index, pair in
            let left = min(max(bits - index * 16, 0), 16)
            // A shift by all sixteen bits gives 0.
            return (pair.0 ^ pair.1) >> (16 - left) == 0
        }
    }

    /// What clients are counted by: the address, and of IPv6 the network of 64 bits, of which each household has one.
    package var network: String {
        isIPv6 ? groups.prefix(4).map { String($0, radix: 16) }.joined(separator: ":") : text
    }

    /// The address in its one spelling (RFC 5952 §4): lower case, no leading zeros, the longest run of zeros as `::`.
    package var text: String {
        guard isIPv6 else {
            return bytes.map { String($0) }.joined(separator: ".")
        }
        let run = longestRunOfZeros
        let words = groups.map { String($0, radix: 16) }
        guard run.count >= 2 else { return words.joined(separator: ":") }
        return words[..<run.lowerBound].joined(separator: ":") + "::" + words[run.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of groups that are 0.
    private var longestRunOfZeros: Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in groups.indices {
            if groups[index] != 0 { start = index + 1 }
            if index + 1 - start > longest.count { longest = start..<index + 1 }
        }
        return longest
    }
}
