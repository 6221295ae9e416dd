#if Client
import TextCodecs

/// An entry of `NO_PROXY`: servers that are reached without the proxy.
///
/// The entries are read as curl and Go read them. Where these differ, the entry covers what either of them takes it for.
struct ProxyException: Sendable, Hashable {
    private enum Place: Hashable {
        case everything
        /// A name, with all names below it.
        case name(String)
        /// The addresses that begin with the same bits; all bits of one address.
        case network(IPAddress, bits: Int)
    }

    private let place: Place
    /// The port that a server must have; `nil` for any.
    private let port: UInt16?

    /// Reads a list of entries, with commas or white space between them; what is not one is left out.
    static func all(in text: String) -> [ProxyException] {
        text.utf8.split { $0 == UInt8(ascii: ",") || $0.isWhiteSpace }
            .compactMap { ProxyException(String(decoding: Array($0), as: UTF8.self).lowercased()) }
    }

    private init?(_ entry: String) {
        if entry == "*" {
            (place, port) = (.everything, nil)
        } else if let slash = entry.firstIndex(of: "/") {
            guard let address = IPAddress(entry[..<slash]), let bits = Int(entry[entry.index(after: slash)...]),
                0...address.bitCount ~= bits
            else { return nil }
            (place, port) = (.network(address, bits: bits), nil)
        } else if let address = IPAddress(entry) {
            (place, port) = (.network(address, bits: address.bitCount), nil)
        } else {
            guard let (host, port) = try? BrokerOrigin.splitPort(Array(entry.utf8)[...]),
                let place = Self.place(String(decoding: host, as: UTF8.self))
            else { return nil }
            (self.place, self.port) = (place, port)
        }
    }

    /// A name or an address that has no port any more.
    private static func place(_ host: String) -> Place? {
        if let address = IPAddress(host.withoutBrackets) { return .network(address, bits: address.bitCount) }
        var name = host[...]
        if name.hasPrefix("*.") { name = name.dropFirst() }
        if name.hasPrefix(".") { name = name.dropFirst() }
        if name.hasSuffix(".") { name = name.dropLast() }
        return name.isEmpty ? nil : .name(String(name))
    }

    /// Whether a server, named in lower case and without brackets, is among those of the entry.
    ///
    /// `address` is the address that the host is; `nil` for a name, which is not resolved.
    func covers(_ host: String, _ address: IPAddress?, port: UInt16) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        return switch place {
        case .everything: true
        case .name(let name): address == nil && (host == name || host.hasSuffix("." + name))
        case .network(let network, let bits): address?.shares(bits, with: network) == true
        }
    }
}

extension String {
    /// The host of an address, which is in brackets if it is one of IPv6.
    var withoutBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}
#endif
