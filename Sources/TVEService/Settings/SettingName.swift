#if Service
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
        SettingName(name: "sessions.lifetimeSeconds", kind: .number),
        SettingName(name: "sessions.cookie", kind: .text),
        SettingName(name: "sessions.parameter", kind: .text),
        SettingName(name: "sessions.clientAddressHeader", kind: .text),
        SettingName(name: "decryption.paths", kind: .list),
        SettingName(name: "decryption.passwordFile", kind: .text),
        SettingName(name: "decryption.padding", kind: .text),
        SettingName(name: "limits.headerBytes", kind: .number),
        SettingName(name: "limits.bodyBytes", kind: .number),
        SettingName(name: "limits.decisionsBytes", kind: .number),
        SettingName(name: "limits.connections", kind: .number),
        SettingName(name: "limits.batches", kind: .number),
        SettingName(name: "limits.requestSeconds", kind: .number),
        SettingName(name: "limits.idleSeconds", kind: .number),
        SettingName(name: "drain.waitSeconds", kind: .number),
        SettingName(name: "drain.limitSeconds", kind: .number),
        SettingName(name: "reload.intervalSeconds", kind: .number),
        SettingName(name: "readiness.storeGraceSeconds", kind: .number),
        SettingName(name: "log.level", kind: .text),
    ]

    /// The names of all environment variables.
    static let variables = Set(all.map(\.variable))
    /// The prefixes of these variables, one for each group; other variables that begin with `TVE_` are ignored.
    static let variablePrefixes = Set(all.map { "TVE_\($0.name.prefix { $0 != "." }.uppercased())_" })

    static func named(_ name: String) -> SettingName? { all.first { $0.name == name } }
}
#endif
