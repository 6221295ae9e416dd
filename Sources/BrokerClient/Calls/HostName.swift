#if Client
import TextCodecs

/// A host in an address: a DNS name, an IPv4 address, or an IPv6 address in brackets.
struct HostName {
    /// The host in lower case.
    let text: String
    /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
    let isLoopback: Bool

    /// Reads a host.
    ///
    /// - Parameter bytes: The host and nothing else.
    /// - Throws: `BrokerSettingsError.malformedOrigin`.
    init(parsing bytes: ArraySlice<UInt8>) throws(BrokerSettingsError) {
        text = String(decoding: bytes, as: UTF8.self).lowercased()
        if bytes.first == UInt8(ascii: "[") {
            guard bytes.last == UInt8(ascii: "]"), Self.isIPv6(bytes.dropFirst().dropLast()) else {
                throw .malformedOrigin(reason: "has brackets around something that is not an IPv6 address")
            }
            isLoopback = text == "[::1]"
            return
        }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= 253, labels.allSatisfy(Self.isLabel) else {
            throw .malformedOrigin(reason: "has a host that is neither a DNS name nor an address")
        }
        // Resolvers read any name whose last part is a number as an address, and disagree which.
        guard let last = labels.last, last.first?.isASCIIDigit == true else {
            isLoopback = text == "localhost"
            return
        }
        guard labels.count == 4, labels.allSatisfy(Self.isByte) else {
            throw .malformedOrigin(reason: "has a host that looks like an IPv4 address and is not one")
        }
        isLoopback = labels.first.map { $0.elementsEqual("127".utf8) } ?? false
    }

    /// Whether this can be a part of a DNS name: letters, digits and inner hyphens (RFC 1123 §2.1).
    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == hyphen }
    }

    /// Whether this is a number from 0 to 255 without leading zeros, which some systems read as octal.
    private static func isByte(_ label: ArraySlice<UInt8>) -> Bool {
        label.count <= 3 && label.allSatisfy { $0.isASCIIDigit }
            && (label.count == 1 || label.first != UInt8(ascii: "0"))
            && UInt8(String(decoding: label, as: UTF8.self)) != nil
    }

    /// Whether this is an IPv6 address of hexadecimal groups (RFC 4291 §2.2, forms 1 and 2), without a zone.
    private static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        let groups = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let isGroup = { (group: ArraySlice<UInt8>) in
            group.count <= 4 && group.allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0 | 0x20) }
        }
        guard groups.allSatisfy(isGroup) else { return false }
        // "::" stands for one or more groups of zeros; it leaves one empty part inside, two at an end, three alone.
        let gaps = text.indices.dropLast().count { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
        let written = groups.count { !$0.isEmpty }
        guard gaps == 1 else { return gaps == 0 && groups.count == 8 && written == 8 }
        let atStart = text.starts(with: "::".utf8)
        let atEnd = text.suffix(2).elementsEqual("::".utf8)
        return written <= 7 && groups.count - written == 1 + (atStart ? 1 : 0) + (atEnd ? 1 : 0)
    }
}
#endif
