#if Service
import EntitlementValues
import TextCodecs

extension ServiceSettings.Gateway {
    /// The settings of one app: the group `broker.apps.ID`.
    struct App: Sendable, Hashable {
        /// The name of the app, in device tokens and in the registration of a device.
        let id: String
        /// The brand that the app belongs to.
        let requestor: RequestorID
        /// The file with the software statement.
        let statementFile: String
        /// The domain that sign-ins are for.
        let domain: String
        /// Where the user's browser may be sent after the way back.
        let returnAddresses: ReturnAddresses
        /// Which providers the app shows, in this order; empty for all.
        let providers: [MVPDID]
        /// Which providers the picker of the device's sign-on partner shows first.
        let featuredProviders: [MVPDID]
        /// Which attributes of the user the app may see; none without this.
        let attributes: [String]
        /// Whether the provider that the user chose last is taken without a question.
        let remembersProvider: Bool
        /// The providers of promotional temporary access.
        let promotionalProviders: [MVPDID]
        /// Whether an identity for promotional temporary access is hashed.
        let hashesIdentity: Bool
        /// The providers whose pages may be shown in a view inside of the app.
        let webViewProviders: [MVPDID]
        /// Whether the app may lend its own access token for a play, in place of a device token.
        let borrowedTokens: Bool

        /// The names of the settings after `broker.apps.ID.`, with their types.
        static let names: [(name: String, kind: SettingName.Kind)] = [
            ("requestor", .text), ("statementFile", .text), ("domain", .text), ("returnTo", .list),
            ("providers", .list),
            ("featuredProviders", .list), ("attributes", .list), ("remembersProvider", .bool),
            ("promotionalProviders", .list), ("hashesIdentity", .bool), ("webViewProviders", .list),
            ("borrowedTokens", .bool),
        ]

        /// Whether a text can be the id of an app: 1 to 32 lower-case letters, digits and hyphens.
        static func isID(_ text: some StringProtocol) -> Bool {
            (1...32).contains(text.utf8.count)
                && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        }

        /// Reads the settings of an app by its name.
        init(_ id: String, from reader: inout SettingsReader) {
            self.id = id
            let group = "broker.apps.\(id)."
            func required(_ name: String, _ detail: String) -> String {
                if let text = reader.text(group + name) { return text }
                if !reader.faults.contains(where: { $0.setting == group + name }) {
                    reader.report(.missing, of: group + name, detail: detail)
                }
                return ""
            }
            func ids(_ name: String) -> [MVPDID] { (reader.list(group + name) ?? []).map { MVPDID($0) } }
            requestor = RequestorID(required("requestor", "name the brand that the app belongs to"))
            statementFile = required("statementFile", "name the file with the app's software statement")
            domain = required("domain", "name one of the requestor's domains; sign-ins are for it")
            returnAddresses = ReturnAddresses(
                reader.list(group + "returnTo") ?? [], of: group + "returnTo", from: &reader)
            providers = ids("providers")
            featuredProviders = ids("featuredProviders")
            attributes = reader.list(group + "attributes") ?? []
            remembersProvider = reader.bool(group + "remembersProvider")
            promotionalProviders = ids("promotionalProviders")
            hashesIdentity = reader.bool(group + "hashesIdentity", otherwise: true)
            webViewProviders = ids("webViewProviders")
            borrowedTokens = reader.bool(group + "borrowedTokens")
            if let stray = featuredProviders.first(where: { !providers.contains($0) }) {
                reader.report(
                    .conflict, of: group + "featuredProviders",
                    detail: providers.isEmpty
                        ? "it does nothing without \(group)providers; name there all that the app shows"
                        : "\(stray.rawValue) is not among \(group)providers")
            }
        }
    }
}

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

    /// Checks the entries of a setting, whose name is for faults.
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
