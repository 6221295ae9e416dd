#if Service
import Configuration
import HostSystem
import TextCodecs

/// A configuration file, read once: what it sets, and what is wrong with it.
///
/// The configuration library would silently ignore unknown names and values of the wrong type.
struct SettingsFile {
    /// What the file sets, by the names of the settings.
    private(set) var values: [AbsoluteConfigKey: ConfigValue] = [:]
    /// The ids of the apps that the file describes.
    private(set) var apps: Set<String> = []
    private(set) var faults: [SettingsFault] = []
    /// Whether the file was understood, so that it is known what it does not set.
    private(set) var isReadable = false

    /// Reads a file.
    ///
    /// - Parameter path: A file in JSON.
    init(_ path: String) {
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try Files.read(path, maximumSize: 1 << 20).withSpan { [UInt8](copying: $0) }
        } catch {
            faults = [SettingsFault(reading: path, error)]
            return
        }
        guard bytes.isTextWithoutNUL else {
            faults = [SettingsFault(.notJSON, of: path, detail: "is not UTF-8")]
            return
        }
        bytes.withSpan { text in
            do throws(JSONFault) {
                let node = try JSONReader.node(of: text, in: 0..<text.count)
                guard node.value.kind == .object else {
                    faults = [SettingsFault(.notJSON, of: path, detail: "is not a JSON object")]
                    return
                }
                isReadable = true
                take(node, of: text, prefix: "")
            } catch {
                faults = [SettingsFault(.notJSON, of: path, detail: error.reason)]
            }
        }
    }

    private mutating func take(_ node: JSONNode, of text: Span<UInt8>, prefix: String) {
        for member in node.members {
            let name = prefix + member.name
            if let app = SettingName.app(name) { apps.insert(app.id) }
            if let setting = SettingName.named(name) {
                if let content = setting.kind.content(of: member.node, in: text) {
                    values[AbsoluteConfigKey(ConfigKey(name))] = ConfigValue(content, isSecret: false)
                } else {
                    faults.append(SettingsFault(.badValue, of: name, detail: "is not \(setting.kind.description)"))
                }
            } else if member.node.value.kind == .object, SettingName.isGroup(name) {
                take(member.node, of: text, prefix: name + ".")
            } else {
                faults.append(.unknownSetting(name))
            }
        }
    }
}

extension SettingsFault {
    /// A setting whose name is unknown.
    static func unknownSetting(_ name: String) -> SettingsFault {
        SettingsFault(.unknownSetting, of: name.printable, detail: "the setting is unknown")
    }

    /// Whether it is about a setting whose name is unknown.
    var isOfUnknownSetting: Bool { code == Kind.unknownSetting.rawValue }
}

extension SettingName.Kind {
    /// The value of a setting; `nil` if it has another type.
    fileprivate func content(of node: JSONNode, in text: Span<UInt8>) -> ConfigContent? {
        switch self {
        case .text: node.value.kind == .string ? node.value.string(in: text).map { .string($0) } : nil
        case .bool: node.value.kind == .boolean ? .bool(text[node.value.range.lowerBound] == UInt8(ascii: "t")) : nil
        case .number:
            // A fraction is kept, so that it is reported as what it is not: a whole number of a range.
            node.value.kind == .number
                ? node.value.integer(in: text).map { .int(Int($0)) }
                    ?? Double(String(copying: text.extracting(node.value.range))).map { .double($0) } : nil
        case .list: list(of: node, in: text).map { .stringArray($0) }
        }
    }

    private func list(of node: JSONNode, in text: Span<UInt8>) -> [String]? {
        guard node.value.kind == .array else { return nil }
        var list: [String] = []
        for element in node.elements {
            guard element.value.kind == .string, let string = element.value.string(in: text) else { return nil }
            list.append(string)
        }
        return list
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
