#if Service
import BrokerClient
import BrokerMessages
import EntitlementKeys
import HostSystem
import PlaybackSessions
import SealedRecords
import StoreAddresses

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

    init(setting: String, code: String, detail: String) {
        self.setting = setting
        self.code = code
        self.detail = detail
    }

    /// The private key in a file, which a setting names, is one of this project's test vectors.
    static func publishedTestKey(_ file: String, of setting: String) -> SettingsFault {
        SettingsFault(
            setting: setting, code: "published_test_key",
            detail: "\(file): everybody can sign with this key, since it is published with this software; make one of "
                + "your own, or set keys.acceptPublishedTestKeys for a test")
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

    /// Uses what a setting names; an error is the fault of the setting.
    static func reading<Value, Cause: SettingsFaultCause>(
        _ setting: String,
        _ read: () throws(Cause) -> Value
    ) throws(ServiceSettingsError) -> Value {
        var faults: [SettingsFault] = []
        guard let value = faults.reading(setting, read) else { throw ServiceSettingsError(faults) }
        return value
    }
}

extension [SettingsFault] {
    /// Uses the file or the store that a setting names; `nil` if an error was added as the fault of the setting.
    mutating func reading<Value, Cause: SettingsFaultCause>(
        _ setting: String,
        _ read: () throws(Cause) -> Value
    ) -> Value? {
        reading(try read()) { (cause: Cause) in
            SettingsFault(setting: setting, code: cause.code, detail: cause.detail)
        }
    }

    /// Uses what settings name; `nil` if what `fault` makes of an error was added.
    mutating func reading<Value, Cause: Error>(
        _ read: @autoclosure () throws(Cause) -> Value,
        as fault: (Cause) -> SettingsFault
    ) -> Value? {
        do throws(Cause) {
            return try read()
        } catch {
            append(fault(error))
            return nil
        }
    }

    /// Does what reads several settings; `nil` if their faults were added.
    mutating func collecting<Value>(_ read: () throws(ServiceSettingsError) -> Value) -> Value? {
        do throws(ServiceSettingsError) {
            return try read()
        } catch {
            self += error.faults
            return nil
        }
    }
}

/// An error of a file or a store, which is a fault of the setting that names it.
protocol SettingsFaultCause: Error {
    var code: String { get }
    var detail: String { get }
}

extension SettingsFaultCause where Self: CustomStringConvertible {
    var detail: String { description }
}

extension BrokerRequestError: SettingsFaultCause {}
extension BrokerSettingsError: SettingsFaultCause {}
extension KeyError: SettingsFaultCause {}
extension PlaybackSessionError: SettingsFaultCause {}
extension ReplayStoreOpeningError: SettingsFaultCause {}
extension SealingError: SettingsFaultCause {}

extension FileFailure: SettingsFaultCause {
    var code: String { (isMissing ? SettingsFault.Kind.noSuchFile : .unreadableFile).rawValue }
    var detail: String { reason }
}
#endif
