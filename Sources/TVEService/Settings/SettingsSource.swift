#if Service
import TextCodecs
import HostSystem
import Configuration
import Foundation
import SystemPackage

/// Says where settings come from, so that they can be read again while the service runs.
///
/// A JSON file, then environment variables, then single settings given at the call: each outweighs those before it. The
/// variable of `public.port` is `TVE_PUBLIC_PORT`; lists are separated by commas there. A variable that begins like one of
/// these, such as `TVE_PUBLIC_PROT`, and is none, is a fault.
public struct SettingsSource: Sendable {
    /// The configuration file, if there is one.
    public let file: String?
    private let environment: [String: String]
    private let overrides: [(name: String, value: String)]

    /// Names the sources.
    ///
    /// - Parameters:
    ///   - file: A JSON file.
    ///   - environment: The variables, of which those that start with `TVE_` are looked at; `nil` for those of the process.
    ///   - overrides: Names of settings and their values, written as in a variable.
    public init(
        file: String?, environment: [String: String]? = nil, overrides: [(name: String, value: String)] = []
    ) {
        self.file = file
        self.environment = environment ?? ProcessInfo.processInfo.environment
        self.overrides = overrides
    }

    /// Reads and checks all settings; the files that they name are opened only where something is wrong, to tell all of it.
    ///
    /// - Throws: `ServiceSettingsError` with all faults.
    public func read() async throws(ServiceSettingsError) -> ServiceSettings {
        var faults: [SettingsFault] = []
        var providers: [any ConfigProvider] = []
        providers.append(InMemoryProvider(name: "flags", values: overridden(&faults)))
        providers.append(EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "tve"))
        for name in environment.keys.sorted() where SettingName.variablePrefixes.contains(where: name.hasPrefix) {
            if !SettingName.variables.contains(name) { faults.append(Self.unknown(name)) }
        }
        let stamps = ActiveConfiguration.stamps(of: [file])
        if let file {
            let found = Self.check(file)
            faults += found
            if !found.contains(where: { $0.code == "unreadable_file" || $0.code == "not_json" }) {
                do {
                    providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
                } catch {
                    // The library's words may quote the file.
                    faults.append(SettingsFault(file, "unreadable_file", "cannot be read as a configuration"))
                }
            }
        }
        var settings = try ServiceSettings(reading: ConfigReader(providers: providers), faults)
        settings.fileStamps = stamps
        return settings
    }

    private func overridden(_ faults: inout [SettingsFault]) -> [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, text) in overrides {
            let content: ConfigContent? =
                switch SettingName.named(name)?.kind {
                case .text: .string(text)
                case .number: Int(text).map { .int($0) }
                case .bool: Bool(text).map { .bool($0) }
                case .list:
                    .stringArray(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
                case nil: nil
                }
            if let content {
                values[AbsoluteConfigKey(ConfigKey(name))] = ConfigValue(content, isSecret: false)
            } else if SettingName.named(name) == nil {
                faults.append(Self.unknown(name))
            } else {
                faults.append(SettingsFault(name, "bad_value", "is no number, or neither true nor false"))
            }
        }
        return values
    }

    /// Looks for what the reading by names would not see: names that are none, and values of another type.
    private static func check(_ file: String) -> [SettingsFault] {
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try Files.read(file, maximumSize: 1 << 20).withSpan { copying($0) }
        } catch {
            return [SettingsFault(file, "unreadable_file", error.reason)]
        }
        guard bytes.span.isTextWithoutNUL else { return [SettingsFault(file, "not_json", "is not UTF-8")] }
        do throws(JSONFault) {
            let node = try JSONReader.node(of: bytes.span, in: 0..<bytes.count)
            guard node.value.kind == .object else {
                return [SettingsFault(file, "not_json", "is not a JSON object")]
            }
            var faults: [SettingsFault] = []
            check(node, "", bytes, &faults)
            return faults
        } catch {
            return [SettingsFault(file, "not_json", error.reason)]
        }
    }

    private static func check(
        _ node: JSONNode, _ prefix: String, _ bytes: [UInt8], _ faults: inout [SettingsFault]
    ) {
        for member in node.members {
            let name = prefix + String(decoding: member.name, as: UTF8.self)
            if let setting = SettingName.named(name) {
                if !setting.kind.matches(member.node) {
                    faults.append(SettingsFault(name, "bad_value", "is not \(setting.kind.words)"))
                }
            } else if member.node.value.kind == .object,
                SettingName.all.contains(where: { $0.name.hasPrefix(name + ".") })
            {
                check(member.node, name + ".", bytes, &faults)
            } else {
                faults.append(unknown(name))
            }
        }
    }

    private static func unknown(_ name: String) -> SettingsFault {
        SettingsFault(name.printable, "unknown_setting", "there is no such setting")
    }
}

extension SettingName.Kind {
    fileprivate func matches(_ node: JSONNode) -> Bool {
        switch self {
        case .text: node.value.kind == .string
        case .number: node.value.kind == .number
        case .bool: node.value.kind == .boolean
        case .list: node.value.kind == .array && node.elements.allSatisfy { $0.value.kind == .string }
        }
    }

    fileprivate var words: String {
        switch self {
        case .text: "a text"
        case .number: "a number"
        case .bool: "true or false"
        case .list: "a list of texts"
        }
    }
}

private func copying(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }
#endif
