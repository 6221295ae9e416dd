#if Service
import TextCodecs

/// The name of a setting, and the type of its value.
struct SettingName: Sendable {
    enum Kind: Sendable {
        case text, number, bool, list
    }

    let name: String
    let kind: Kind

    /// The environment variable that may hold it: `TVE_LIMITS_BODY_BYTES` for `limits.bodyBytes`.
    var variable: String {
        var text = "TVE_"
        var last: Character = "."
        for character in name {
            if last.isLowercase, character.isUppercase { text += "_" }
            text += character == "." ? "_" : character.uppercased()
            last = character
        }
        return text
    }

    /// All settings; any other name is reported as a fault.
    static let all = [
        SettingName(name: "public.host", kind: .text),
        SettingName(name: "public.port", kind: .number),
        SettingName(name: "internal.host", kind: .text),
        SettingName(name: "internal.port", kind: .number),
        SettingName(name: "keys.paths", kind: .list),
        SettingName(name: "keys.passwordFile", kind: .text),
        SettingName(name: "keys.revoked", kind: .list),
        SettingName(name: "keys.acceptPublishedTestKeys", kind: .bool),
        SettingName(name: "verification.leewaySeconds", kind: .number),
        SettingName(name: "verification.acceptLegacySHA1", kind: .bool),
        SettingName(name: "store.address", kind: .text),
        SettingName(name: "store.passwordFile", kind: .text),
        SettingName(name: "store.caFile", kind: .text),
        SettingName(name: "store.certificateFile", kind: .text),
        SettingName(name: "store.keyFile", kind: .text),
        SettingName(name: "store.connections", kind: .number),
        SettingName(name: "store.timeoutMilliseconds", kind: .number),
        SettingName(name: "store.connectTimeoutMilliseconds", kind: .number),
        SettingName(name: "store.maximumWaiting", kind: .number),
        SettingName(name: "store.prefix", kind: .text),
        SettingName(name: "store.clientName", kind: .text),
        SettingName(name: "authz.requestors", kind: .list),
        SettingName(name: "authz.requestorHeader", kind: .text),
        SettingName(name: "authz.resources", kind: .list),
        SettingName(name: "authz.resourceHeader", kind: .text),
        SettingName(name: "authz.uri", kind: .text),
        SettingName(name: "authz.tokenParameter", kind: .text),
        SettingName(name: "sessions.keyFiles", kind: .list),
        SettingName(name: "sessions.issuer", kind: .text),
        SettingName(name: "sessions.lifetimeSeconds", kind: .number),
        SettingName(name: "sessions.ceilingSeconds", kind: .number),
        SettingName(name: "sessions.cookie", kind: .text),
        SettingName(name: "sessions.sharedCookie", kind: .bool),
        SettingName(name: "sessions.cookiePath", kind: .text),
        SettingName(name: "sessions.cookieDomain", kind: .text),
        SettingName(name: "sessions.sameSite", kind: .text),
        SettingName(name: "sessions.parameter", kind: .text),
        SettingName(name: "sessions.clientAddressHeader", kind: .text),
        SettingName(name: "sessions.store", kind: .text),
        SettingName(name: "sessions.storeFailure", kind: .text),
        SettingName(name: "sessions.streams", kind: .number),
        SettingName(name: "sessions.legacyLinkSecretFiles", kind: .list),
        SettingName(name: "sessions.legacyLinkMount", kind: .text),
        SettingName(name: "sessions.edgeTokenSecretFiles", kind: .list),
        SettingName(name: "sessions.edgeTokenName", kind: .text),
        SettingName(name: "sessions.edgeTokenSaltFile", kind: .text),
        SettingName(name: "sessions.edgeTokenPlainInput", kind: .bool),
        SettingName(name: "sessions.policyKeyFiles", kind: .list),
        SettingName(name: "sessions.policyOrigin", kind: .text),
        SettingName(name: "sessions.legacyPolicyKeyFiles", kind: .list),
        SettingName(name: "sessions.legacyPolicyOrigin", kind: .text),
        SettingName(name: "sessions.catKeyFiles", kind: .list),
        SettingName(name: "sessions.catHost", kind: .text),
        SettingName(name: "sessions.catAudience", kind: .text),
        SettingName(name: "sessions.corsOrigins", kind: .list),
        SettingName(name: "sessions.corsCredentials", kind: .bool),
        SettingName(name: "sessions.corsMaxAgeSeconds", kind: .number),
        SettingName(name: "decryption.paths", kind: .list),
        SettingName(name: "decryption.passwordFile", kind: .text),
        SettingName(name: "decryption.padding", kind: .text),
        SettingName(name: "decryption.host", kind: .text),
        SettingName(name: "decryption.port", kind: .number),
        SettingName(name: "decryption.socket", kind: .text),
        SettingName(name: "decryption.secretFile", kind: .text),
        SettingName(name: "broker.origin", kind: .text),
        SettingName(name: "broker.caFile", kind: .text),
        SettingName(name: "broker.publicURL", kind: .text),
        SettingName(name: "broker.store", kind: .text),
        SettingName(name: "broker.keyFile", kind: .text),
        SettingName(name: "broker.clientAddressHeader", kind: .text),
        SettingName(name: "broker.clientPortHeader", kind: .text),
        SettingName(name: "broker.corsOrigins", kind: .list),
        SettingName(name: "broker.deviceTokenDays", kind: .number),
        SettingName(name: "broker.devicesPerMinute", kind: .number),
        SettingName(name: "broker.codesPerMinute", kind: .number),
        SettingName(name: "broker.attestationURL", kind: .text),
        SettingName(name: "broker.attestationFailure", kind: .text),
        SettingName(name: "broker.events.to", kind: .text),
        SettingName(name: "limits.headerBytes", kind: .number),
        SettingName(name: "limits.bodyBytes", kind: .number),
        SettingName(name: "limits.decisionsBytes", kind: .number),
        SettingName(name: "limits.connections", kind: .number),
        SettingName(name: "limits.batches", kind: .number),
        SettingName(name: "limits.batchesPerAddress", kind: .number),
        SettingName(name: "limits.batchSeconds", kind: .number),
        SettingName(name: "limits.batchBytesPerSecond", kind: .number),
        SettingName(name: "limits.requestSeconds", kind: .number),
        SettingName(name: "limits.idleSeconds", kind: .number),
        SettingName(name: "drain.waitSeconds", kind: .number),
        SettingName(name: "drain.limitSeconds", kind: .number),
        SettingName(name: "reload.intervalSeconds", kind: .number),
        SettingName(name: "readiness.storeGraceSeconds", kind: .number),
        SettingName(name: "readiness.refusedGraceSeconds", kind: .number),
        SettingName(name: "log.level", kind: .text),
        SettingName(name: "log.passes", kind: .text),
        SettingName(name: "log.refusalsPerSecond", kind: .number),
    ]

    /// The names of all environment variables.
    static let variables = Set(all.map(\.variable))
    /// The prefixes of these variables, one for each group; other variables that begin with `TVE_` are ignored.
    static let variablePrefixes = Set(all.map { "TVE_\($0.name.prefix { $0 != "." }.uppercased())_" })

    static func named(_ name: String) -> SettingName? {
        all.first { $0.name == name } ?? app(name).map { SettingName(name: name, kind: $0.kind) }
    }

    /// What a name that is unknown may be a misspelling of: a setting, a group of them, or an environment variable.
    ///
    /// The name stands in the settings, or is that of a variable. Returns what may be meant as it would stand there,
    /// and the setting or group; `nil` if nothing is like the name.
    static func meant(by name: String) -> (shown: String, setting: String)? {
        if name.hasPrefix("TVE_") {
            let nearest = Suggestion.nearest(to: name, among: all.map(\.variable))
            return all.first { $0.variable == nearest }.map { (shown: $0.variable, setting: $0.name) }
        }
        if let dot = name.lastIndex(of: "."), isGroup(String(name[..<dot])) {
            let (group, last) = (String(name[...dot]), String(name[name.index(after: dot)...]))
            let ofApp = group.hasPrefix("\(appGroup).") ? ServiceSettings.Gateway.App.names.map(\.name) : []
            let members = all.map(\.name).filter { $0.hasPrefix(group) }.map { String($0.dropFirst(group.count)) }
            return Suggestion.nearest(to: last, among: members + ofApp).map { (shown: group + $0, setting: group + $0) }
        }
        let groups = Set(all.map { String($0.name.prefix { $0 != "." }) }).sorted() + [appGroup]
        return Suggestion.nearest(to: name, among: all.map(\.name) + groups).map { (shown: $0, setting: $0) }
    }

    /// Whether names of settings begin with a name and a dot.
    static func isGroup(_ name: String) -> Bool {
        if name == appGroup { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 3, name.hasPrefix("\(appGroup).") { return ServiceSettings.Gateway.App.isID(parts[2]) }
        return all.contains { $0.name.hasPrefix(name + ".") }
    }

    // MARK: Apps

    /// The group whose members are apps: the only names that vary.
    private static let appGroup = "broker.apps"

    /// The app that a setting belongs to, and the type of its value; `nil` if it belongs to none.
    static func app(_ name: String) -> (id: String, kind: Kind)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, name.hasPrefix("\(appGroup)."), ServiceSettings.Gateway.App.isID(parts[2]),
            let kind = ServiceSettings.Gateway.App.names.first(where: { $0.name == parts[3] })?.kind
        else { return nil }
        return (String(parts[2]), kind)
    }
}
#endif
