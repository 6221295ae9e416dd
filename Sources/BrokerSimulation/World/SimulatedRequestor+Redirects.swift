#if Client
import TextCodecs

extension SimulatedRequestor {
    /// Whether a browser may be sent to an address: its host is one of the domains, or below one.
    ///
    /// Applications bring schemes of their own, so any scheme is taken but those that run what is in the address.
    ///
    /// - Parameter url: An absolute address.
    /// - Returns: `true` if a browser may be sent there.
    func allows(redirectURL url: String) -> Bool {
        guard let host = AddressHost.host(of: url) else { return false }
        return domains.contains { domain in
            let domain = domain.lowercased()
            return host == domain || host.hasSuffix("." + domain)
        }
    }

    /// Whether a domain is one of the brand's.
    func has(domain: String) -> Bool {
        let name = domain.lowercased()
        return domains.contains { $0.lowercased() == name || name.hasSuffix("." + $0.lowercased()) }
    }
}

/// Finds the host in an address.
enum AddressHost {
    /// The host in lower case; `nil` for an address that could lead elsewhere than it seems.
    ///
    /// Refused are user names, backslashes, white space, controls and everything that is not ASCII: browsers do not
    /// agree on such addresses.
    static func host(of url: String) -> String? {
        let bytes = Array(url.utf8)
        guard bytes.count <= 2048, bytes.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]),
            bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let rest = bytes[(colon + 3)...]
        let end = rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
        let authority = rest[..<(end ?? rest.endIndex)]
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")), !authority.contains(UInt8(ascii: "%")) else {
            return nil
        }
        let parts = authority.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.count == 1 || !parts[1].isEmpty && parts[1].allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return String(decoding: parts[0], as: UTF8.self).lowercased()
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first.isASCIILetter,
            bytes.allSatisfy({
                $0.isASCIILetter || $0.isASCIIDigit
                    || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
            })
        else { return false }
        return !["javascript", "data", "vbscript", "file", "blob"]
            .contains(String(decoding: bytes, as: UTF8.self).lowercased())
    }
}
#endif
