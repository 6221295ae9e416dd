#if Service
import HostSystem

/// One thing that is wrong with a setting, or with a file or store that it names.
public struct SettingsFault: Sendable, Hashable, CustomStringConvertible {
    /// The name of the setting, such as `keys.paths`, or the path of the file.
    public let setting: String
    /// The stable name of the fault: `missing`, `bad_value`, `unknown_setting`, `conflict`, `needs_restart`, `not_json`,
    /// `no_such_file`, `unreadable_file`, or the code of a key or store error.
    public let code: String
    /// What is wrong, and what to do; never a value that may be a secret.
    public let detail: String

    /// The faults of settings themselves; keys and stores have codes of their own.
    enum Kind: String {
        case missing, conflict
        case badValue = "bad_value"
        case unknownSetting = "unknown_setting"
        case notJSON = "not_json"
        case needsRestart = "needs_restart"
        case noSuchFile = "no_such_file"
        case unreadableFile = "unreadable_file"
    }

    init(_ kind: Kind, of setting: String, detail: String) {
        self.init(setting: setting, code: kind.rawValue, detail: detail)
    }

    /// A file that could not be read.
    init(reading setting: String, _ failure: FileFailure) {
        self.init(failure.isMissing ? .noSuchFile : .unreadableFile, of: setting, detail: failure.reason)
    }

    init(setting: String, code: String, detail: String) {
        self.setting = setting
        self.code = code
        self.detail = detail
    }

    /// The fault in one line.
    public var description: String { "\(setting): \(detail) [\(code)]" }
}

/// Everything that is wrong with a configuration: at least one fault.
public struct ServiceSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, in the order in which they were found.
    public let faults: [SettingsFault]

    init(_ faults: [SettingsFault]) { self.faults = faults }

    /// One line for each fault.
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}
#endif
