#if Service
import EntitlementValues
import TextCodecs

/// The settings of one app: the group `broker.apps.ID`.
struct GatewayAppSettings: Sendable, Hashable {
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

    /// The names of the settings after `broker.apps.ID.`, with their types.
    static let names: [(name: String, kind: SettingName.Kind)] = [
        ("requestor", .text), ("statementFile", .text), ("domain", .text), ("returnTo", .list), ("providers", .list),
        ("featuredProviders", .list), ("attributes", .list), ("remembersProvider", .bool),
        ("promotionalProviders", .list), ("hashesIdentity", .bool), ("webViewProviders", .list),
    ]

    /// Whether a text can be the id of an app: 1 to 32 lower-case letters, digits and hyphens.
    static func isID(_ text: some StringProtocol) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }

    /// Reads the settings of an app.
    ///
    /// - Parameters:
    ///   - id: The name of the app.
    ///   - reader: The settings.
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
        returnAddresses = ReturnAddresses(reader.list(group + "returnTo") ?? [], of: group + "returnTo", from: &reader)
        providers = ids("providers")
        featuredProviders = ids("featuredProviders")
        attributes = reader.list(group + "attributes") ?? []
        remembersProvider = reader.bool(group + "remembersProvider")
        promotionalProviders = ids("promotionalProviders")
        hashesIdentity = reader.bool(group + "hashesIdentity")
        webViewProviders = ids("webViewProviders")
        if let stray = featuredProviders.first(where: { !providers.contains($0) }) {
            reader.report(
                .conflict, of: group + "featuredProviders",
                detail: providers.isEmpty
                    ? "it does nothing without \(group)providers; name there all that the app shows"
                    : "\(stray.rawValue) is not among \(group)providers")
        }
    }
}
#endif
