#if Service
import TextCodecs

/// Where an app lets the user's browser go after a sign-in.
///
/// An address has to be equal to an entry, byte for byte: no entry stands for others that begin like it. Only an entry that
/// ends in `?*` takes any query, and none.
package struct ReturnAddresses: Sendable, Hashable {
    private let entries: [String]

    /// Schemes under which a browser would run what comes after them, or read a file.
    private static let dangerousSchemes = [
        "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "view-source",
    ]

    /// Checks the entries.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - setting: The name of the setting, for faults.
    ///   - reader: Takes what is wrong with them.
    init(_ entries: [String], of setting: String, from reader: inout SettingsReader) {
        for entry in entries {
            if let fault = Self.fault(entry) { reader.report(.badValue, of: setting, detail: fault) }
        }
        self.entries = entries
    }

    /// Takes entries that were checked.
    package init(checked entries: [String]) { self.entries = entries }

    /// Whether the browser may be sent to an address.
    package func allows(_ address: String) -> Bool {
        guard address.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return false }
        return entries.contains { entry in
            guard entry.hasSuffix("?*") else { return entry.hasSameBytes(as: address) }
            let path = String(entry.dropLast(2))
            return address.hasSameBytes(as: path)
                || address.utf8.starts(with: "\(path)?".utf8) && !address.utf8.contains(UInt8(ascii: "#"))
        }
    }

    /// Why an entry cannot be one; `nil` if it can.
    private static func fault(_ entry: String) -> String? {
        let scheme = entry.prefix { $0 != ":" }
        let isScheme =
            scheme.utf8.first?.isASCIILetter == true
            && scheme.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
        guard isScheme, entry.utf8.count > scheme.utf8.count + 1, entry.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            return "an entry is not an address with a scheme, such as https://example.org/done or myapp://done"
        }
        if dangerousSchemes.contains(scheme.lowercased()) {
            return "an entry has a scheme under which a browser runs or reads what comes after it"
        }
        let rest = entry.dropFirst(scheme.count + 1)
        if ["http", "https"].contains(scheme.lowercased()) {
            let host = rest.dropFirst(2).prefix { !"/?#".contains($0) }
            if !rest.hasPrefix("//") || host.isEmpty || host.contains("@") || host.contains("*") {
                return "an entry of http or https has no host, or a user or an asterisk in it"
            }
            let isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host.hasPrefix("\($0):") }
            if scheme.lowercased() == "http", !isLoopback {
                return "an entry begins with http://, which is accepted for localhost, 127.0.0.1 and [::1] only"
            }
        }
        return entry.dropLast(entry.hasSuffix("?*") ? 2 : 0).contains("*")
            ? "an asterisk can only stand at the end, after a question mark: ?*" : nil
    }
}
#endif
