import TextCodecs

/// An IP address, read strictly and written in one spelling.
struct IPAddress: Hashable {
    /// The address as sixteen-bit groups: eight of IPv6, or two of IPv4.
    private let groups: [UInt16]

    var isIPv6: Bool { groups.count == 8 }

    /// Reads an address; `nil` if the text is anything else.
    ///
    /// IPv4 has four decimal numbers without leading zeros, which some readers take for octal. IPv6 is read as RFC 4291
    /// §2.2 defines it.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let groups = bytes.contains(UInt8(ascii: ":")) ? Self.version6(bytes[...]) : Self.version4(bytes[...])
        else { return nil }
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

    /// The address in its one spelling (RFC 5952 §4): lower case, no leading zeros, the longest run of zeros as `::`.
    var text: String {
        guard isIPv6 else {
            return groups.flatMap { [$0 >> 8, $0 & 0xFF] }.map { String($0) }.joined(separator: ".")
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
