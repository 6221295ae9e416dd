#if Service
/// Says what is wrong with one setting, or with what it leads to.
public struct SettingsFault: Sendable, Hashable, CustomStringConvertible {
    /// The name of the setting, such as `keys.paths`, or the path of the file.
    public let setting: String
    /// The stable name of the fault: `missing`, `bad_value`, `unknown_setting`, `conflict`, `not_json`, `unreadable_file`,
    /// or the code of a key or store.
    public let code: String
    /// What happened, and what to do; no value that may be a secret.
    public let detail: String

    init(_ setting: String, _ code: String, _ detail: String) {
        self.setting = setting
        self.code = code
        self.detail = detail
    }

    /// The fault in one line.
    public var description: String { "\(setting): \(detail) [\(code)]" }
}

/// Carries everything that is wrong with a configuration, at least one fault.
public struct ServiceSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, in the order of the settings.
    public let faults: [SettingsFault]

    init(_ faults: [SettingsFault]) { self.faults = faults }

    /// One line for each fault.
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}
#endif
