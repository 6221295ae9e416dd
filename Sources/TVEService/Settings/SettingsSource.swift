#if Service
import Configuration
import Foundation
import HostSystem
import SystemPackage
import TextCodecs

/// The sources that settings are read from, at the start and again at each reload.
///
/// There are three: a JSON file, environment variables, and overrides given by the caller. If several sources set the same
/// name, overrides win over variables, and variables win over the file. The variable of `public.port` is
/// `TVE_PUBLIC_PORT`; the elements of a list are separated by commas there. An unknown variable that begins like a known
/// one, such as `TVE_PUBLIC_PROT`, is a fault.
public struct SettingsSource: Sendable {
    /// The configuration file, if there is one.
    public let file: String?
    private let environment: [String: String]
    private let overrides: [(name: String, value: String)]

    /// Names the sources.
    ///
    /// - Parameters:
    ///   - file: The path of a JSON file; `nil` for none.
    ///   - environment: Environment variables, of which those that begin with a known prefix are read; `nil` for those of
    ///     the process.
    ///   - overrides: Names of settings, and their values as an environment variable would hold them.
    public init(
        file: String?, environment: [String: String]? = nil, overrides: [(name: String, value: String)] = []
    ) {
        self.file = file
        self.environment = environment ?? ProcessInfo.processInfo.environment
        self.overrides = overrides
    }

    /// Reads and checks all settings.
    ///
    /// The files that the settings name are opened only if there is a fault, so that faults of keys and store are reported
    /// together with it.
    ///
    /// - Returns: Settings without faults.
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
            if !found.contains(where: { $0.setting == file }) {
                do {
                    providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
                } catch {
                    // The library's own message may quote the file.
                    faults.append(
                        SettingsFault(.unreadableFile, of: file, detail: "cannot be read as a configuration"))
                }
            }
        }
        var settings = try ServiceSettings(reading: ConfigReader(providers: providers), after: faults)
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
                faults.append(SettingsFault(.badValue, of: name, detail: "is not a number, or neither true nor false"))
            }
        }
        return values
    }

    /// Finds unknown names and values of the wrong type, which the configuration library would silently ignore.
    private static func check(_ file: String) -> [SettingsFault] {
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try Files.read(file, maximumSize: 1 << 20).withSpan { [UInt8](copying: $0) }
        } catch {
            return [SettingsFault(.unreadableFile, of: file, detail: error.reason)]
        }
        guard bytes.isTextWithoutNUL else { return [SettingsFault(.notJSON, of: file, detail: "is not UTF-8")] }
        do throws(JSONFault) {
            let node = try bytes.withSpan { bytes throws(JSONFault) in
                try JSONReader.node(of: bytes, in: 0..<bytes.count)
            }
            guard node.value.kind == .object else {
                return [SettingsFault(.notJSON, of: file, detail: "is not a JSON object")]
            }
            var faults: [SettingsFault] = []
            check(node, prefix: "", faults: &faults)
            return faults
        } catch {
            return [SettingsFault(.notJSON, of: file, detail: error.reason)]
        }
    }

    private static func check(_ node: JSONNode, prefix: String, faults: inout [SettingsFault]) {
        for member in node.members {
            let name = prefix + String(decoding: member.name, as: UTF8.self)
            if let setting = SettingName.named(name) {
                if !setting.kind.matches(member.node) {
                    faults.append(SettingsFault(.badValue, of: name, detail: "is not \(setting.kind.description)"))
                }
            } else if member.node.value.kind == .object,
                SettingName.all.contains(where: { $0.name.hasPrefix(name + ".") })
            {
                check(member.node, prefix: name + ".", faults: &faults)
            } else {
                faults.append(unknown(name))
            }
        }
    }

    private static func unknown(_ name: String) -> SettingsFault {
        SettingsFault(.unknownSetting, of: name.printable, detail: "there is no such setting")
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

    fileprivate var description: String {
        switch self {
        case .text: "a string"
        case .number: "a number"
        case .bool: "true or false"
        case .list: "a list of strings"
        }
    }
}
#endif
