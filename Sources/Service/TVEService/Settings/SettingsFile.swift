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

    /// Reads a file in JSON.
    init(_ path: String) {
        // A file that another user may have written decides neither who plays nor who does not.
        if let hand = try? Files.foreignHand(in: path) {
            faults = [SettingsFault(setting: path, code: "foreign_file", detail: hand)]
            return
        }
        let read = faults.reading(Files.shown(path)) { () throws(FileFailure) in
            try Files.readSecret(path, maximumSize: 1 << 20).withSpan { [UInt8](copying: $0) }
        }
        guard var bytes = read else { return }
        // A byte order mark says nothing: the text is UTF-8 in any case.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard bytes.isTextWithoutNUL else {
            let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            faults = [
                SettingsFault(
                    .notJSON, of: path, detail: isUTF16 ? "is UTF-16; save it as UTF-8" : "is not UTF-8, or has a NUL")
            ]
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
                faults = [SettingsFault(.notJSON, of: path, detail: error.words(in: text))]
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
                    // What is wrong with one of them keeps none of the others from being revoked.
                    if name == "keys.revoked" {
                        let strings = [member.node] + member.node.elements
                        values[AbsoluteConfigKey(ConfigKey(name))] = ConfigValue(
                            .stringArray(strings.compactMap { SettingName.Kind.string(of: $0, in: text) }),
                            isSecret: false)
                    }
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
        let meant = SettingName.meant(by: name).flatMap { $0.shown == name ? nil : "; did you mean \($0.shown)?" } ?? ""
        // Names of settings are ASCII: a letter of another script must not look like one of them.
        let shown = String.quotedApart([name], [""]).one.joined().dropFirst().dropLast()
        return SettingsFault(.unknownSetting, of: String(shown), detail: "the setting is unknown\(meant)")
    }

    /// Whether it is about a setting whose name is unknown.
    var isOfUnknownSetting: Bool { code == Kind.unknownSetting.rawValue }
}

extension JSONFault {
    /// What is wrong with a file, and in which line and column of it.
    fileprivate func words(in text: Span<UInt8>) -> String {
        guard let offset else { return reason }
        var (line, column) = (1, 1)
        for index in 0..<min(offset, text.count) {
            if text[index] == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else if text[index] & 0xC0 != 0x80 {
                // A character, however many bytes it has.
                column += 1
            }
        }
        let place = "line \(line), column \(column)"
        if let repeatedName {
            let group = location.steps.isEmpty ? "" : "\(location)."
            return "\(group)\(repeatedName.printable) occurs twice, the second time at \(place)"
        }
        return reason.replacing("at byte \(offset)", with: "at \(place)")
    }
}

extension SettingName.Kind {
    /// The value of a setting; `nil` if it has another type.
    fileprivate func content(of node: JSONNode, in text: Span<UInt8>) -> ConfigContent? {
        switch self {
        case .text: Self.string(of: node, in: text).map { .string($0) }
        case .bool: node.value.kind == .boolean ? .bool(node.value.isTrue(in: text)) : nil
        case .number:
            // A fraction is kept, so that it is reported as what it is not: a whole number of a range.
            node.value.kind == .number
                ? node.value.integer(in: text).map { .int(Int($0)) }
                    ?? Double(String(copying: text.extracting(node.value.range))).map { .double($0) } : nil
        case .list: list(of: node, in: text).map { .stringArray($0) }
        }
    }

    fileprivate static func string(of node: JSONNode, in text: Span<UInt8>) -> String? {
        node.value.kind == .string ? node.value.string(in: text) : nil
    }

    private func list(of node: JSONNode, in text: Span<UInt8>) -> [String]? {
        guard node.value.kind == .array else { return nil }
        var list: [String] = []
        for element in node.elements {
            guard let string = Self.string(of: element, in: text) else { return nil }
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
