#if Service
import Configuration
import HTTPTypes
import TextCodecs

/// Reads settings one by one and collects what is wrong with them, so that all faults are reported together.
///
/// A setting that is faulty reads as if it were not set.
struct SettingsReader {
    private let reader: ConfigReader
    private(set) var faults: [SettingsFault] = []

    init(_ reader: ConfigReader) { self.reader = reader }

    mutating func report(_ kind: SettingsFault.Kind, of setting: String, detail: String) {
        faults.append(SettingsFault(kind, of: setting, detail: detail))
    }

    /// Reports each of the settings that is set, although it has no effect without another one.
    mutating func report(unused names: [String], without other: String) {
        guard !isSet(other) else { return }
        for name in names where isSet(name) { report(.conflict, of: name, detail: "has no effect without \(other)") }
    }

    /// Reports each of the settings that is set, although it has no effect here.
    mutating func report(without need: String, _ names: [String]) {
        for name in names where isSet(name) { report(.conflict, of: name, detail: "needs \(need)") }
    }

    /// Whether the setting has a value of any type.
    func isSet(_ name: String) -> Bool {
        let key = ConfigKey(name)
        return reader.string(forKey: key) != nil || reader.int(forKey: key) != nil
            || reader.double(forKey: key) != nil || reader.stringArray(forKey: key) != nil
            || reader.bool(forKey: key) != nil
    }

    /// A string whose faults another reading reports; `nil` if it is not set.
    func unreportedText(_ name: String) -> String? { reader.string(forKey: ConfigKey(name)) }

    /// A string that is not empty; `nil` if it is not set.
    mutating func text(_ name: String) -> String? {
        guard let text = reader.string(forKey: ConfigKey(name)) else { return nil }
        guard text.isEmpty else { return text }
        report(.badValue, of: name, detail: "is empty (an unset variable?)")
        return nil
    }

    /// One of a fixed set of words; the default if it is not set.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, default other: Choice)
        -> Choice
    {
        guard let text = text(name) else { return other }
        if let choice = Choice(rawValue: text) { return choice }
        report(.badValue, of: name, detail: "is not one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        return other
    }

    /// A list of strings that are not empty; `nil` if it is not set.
    mutating func list(_ name: String, mayBeEmpty: Bool = false) -> [String]? {
        guard let list = reader.stringArray(forKey: ConfigKey(name)) else { return nil }
        if list.isEmpty && !mayBeEmpty || list.contains("") {
            report(.badValue, of: name, detail: list.isEmpty ? "is empty; leave it out" : "has an empty element")
            return nil
        }
        return list
    }

    /// A whole number within a range; the default if it is not set.
    mutating func number(_ name: String, in range: ClosedRange<Int>, default other: Int) -> Int {
        let number = reader.int(forKey: ConfigKey(name))
        // The configuration library also answers `nil` for a string or a fraction, which is a fault and not a default.
        if number == nil, !isSet(name) { return other }
        if let number, range.contains(number) { return number }
        report(
            .badValue, of: name, detail: "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        return other
    }

    /// A truth value; false if it is not set.
    mutating func bool(_ name: String) -> Bool {
        let bool = reader.bool(forKey: ConfigKey(name))
        if bool == nil, reader.string(forKey: ConfigKey(name)) != nil {
            report(.badValue, of: name, detail: "is neither true nor false")
        }
        return bool ?? false
    }

    /// The name of a header field; `nil` if it is not set.
    mutating func header(_ setting: String) -> HTTPField.Name? {
        guard let text = text(setting) else { return nil }
        if let name = HTTPField.Name(text) { return name }
        report(.badValue, of: setting, detail: "is not a valid header field name")
        return nil
    }

    /// The name of the header field with a client's address; `nil` if it is not set.
    ///
    /// It cannot be `Forwarded` (RFC 7239), whose entries are pairs. Their values may be quoted, so a client that begins a
    /// quotation could hide what the proxy adds after it.
    mutating func clientHeader(_ setting: String) -> HTTPField.Name? {
        guard let name = header(setting) else { return nil }
        guard name.canonicalName == "forwarded" else { return name }
        report(
            .badValue, of: setting,
            detail: "is Forwarded, whose entries are pairs (for=192.0.2.1;proto=https) and not addresses; have the "
                + "proxy set a field with the address alone, such as X-Forwarded-For")
        return nil
    }

    /// The name of a query parameter that needs no escape; `nil` if it is not set.
    mutating func parameter(_ setting: String) -> String? {
        guard let text = text(setting) else { return nil }
        if text.utf8.allSatisfy({ $0.isURLSafe }) { return text }
        report(.badValue, of: setting, detail: "may only hold letters, digits, - and _")
        return nil
    }
}
#endif
