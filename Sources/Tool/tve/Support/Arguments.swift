#if CLI
public import ArgumentParser
import EntitlementValues
public import MetadataDecryption
package import RowBatches
public import TVETesting
import TextCodecs

// How types of the library are written on the command line.

extension Timestamp {
    /// Reads an instant, RFC 3339 or epoch milliseconds; throws `ValidationError` if it is neither.
    static func argument(_ text: String) throws -> Timestamp {
        guard let instant = Timestamp(text) else {
            throw ValidationError(
                "Give RFC 3339 with its zone (2026-11-20T12:00:00Z) or 13 digits of milliseconds.")
        }
        return instant
    }
}

/// Reads the argument of an option; one that is refused is a wrong command line.
func argument<Value>(of option: String, _ read: () throws -> Value) throws -> Value {
    do {
        return try read()
    } catch {
        throw ValidationError("\(option): \(error)")
    }
}

extension String {
    /// Whether it may be the name or the address of a host, and nothing more: no scheme, port or path.
    var canBeHost: Bool {
        if IPAddress(self) != nil { return true }
        guard 1...253 ~= utf8.count else { return false }
        return utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) }
    }
}

/// A whole address, as people paste it: scheme, host with a port if there is one, and the target of a request.
struct WrittenAddress {
    let scheme: String
    /// The host in lower case, and the port if one is written.
    let authority: String
    /// The path, and what comes after it; `/` if there is none.
    let target: String

    /// The host alone: without the port, a user before it, and the brackets of an IPv6 address.
    var host: String {
        let place = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority[...]
        return String(place.hasPrefix("[") ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" })
    }

    /// Takes an address apart; `nil` for a text that does not begin with `https://` or `http://`.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let start = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
        guard let scheme = ["https", "http"].first(where: { start.hasPrefix("\($0)://") }) else { return nil }
        let rest = bytes.dropFirst(scheme.utf8.count + 3)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let target = String(decoding: rest.dropFirst(authority.count), as: UTF8.self)
        self.scheme = scheme
        self.authority = String(decoding: authority, as: UTF8.self).lowercased()
        self.target = target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
    }
}

extension MetadataPadding: ExpressibleByArgument {}

extension FailedRowPolicy: ExpressibleByArgument {}

extension SeparatedForm.Quoting: ExpressibleByArgument {}

extension TestTokenFault: ExpressibleByArgument {}

extension TestTokenLayout.Root: ExpressibleByArgument {}

extension TestTokenLayout.SecondMarker: ExpressibleByArgument {}
#endif
