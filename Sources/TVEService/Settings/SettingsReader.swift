#if Service
import Configuration

/// Reads settings one by one and gathers what is wrong with them, so that all faults are told at once.
struct SettingsReader {
    private let reader: ConfigReader
    private(set) var faults: [SettingsFault] = []

    init(_ reader: ConfigReader) { self.reader = reader }

    mutating func note(_ setting: String, _ code: String, _ detail: String) {
        faults.append(SettingsFault(setting, code, detail))
    }

    /// Notes those of some settings that are set, and that nothing looks at without another one.
    mutating func note(_ names: [String], without other: String) {
        guard !isSet(other) else { return }
        for name in names where isSet(name) { note(name, "conflict", "does nothing without \(other)") }
    }

    /// Whether a value of any type is there.
    private func isSet(_ name: String) -> Bool {
        let key = ConfigKey(name)
        return reader.string(forKey: key) != nil || reader.int(forKey: key) != nil
            || reader.double(forKey: key) != nil || reader.stringArray(forKey: key) != nil
    }

    /// A text that is not empty; `nil` where it is not set.
    mutating func text(_ name: String) -> String? {
        guard let text = reader.string(forKey: ConfigKey(name)) else { return nil }
        guard text.isEmpty else { return text }
        note(name, "bad_value", "is empty (an unset variable?)")
        return nil
    }

    /// One of some words; the first where it is not set.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, default other: Choice)
        -> Choice
    {
        guard let text = text(name) else { return other }
        if let choice = Choice(rawValue: text) { return choice }
        note(name, "bad_value", "is none of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        return other
    }

    /// A list of texts that are not empty; `nil` where it is not set.
    mutating func list(_ name: String) -> [String]? {
        guard let list = reader.stringArray(forKey: ConfigKey(name)) else { return nil }
        if list.isEmpty || list.contains("") {
            note(name, "bad_value", list.isEmpty ? "is empty; leave it out" : "has an empty element")
            return nil
        }
        return list
    }

    mutating func number(_ name: String, in range: ClosedRange<Int>, default other: Int) -> Int {
        let number = reader.int(forKey: ConfigKey(name))
        // A text, or a fraction, is a mistake and not nothing.
        if number == nil, !isSet(name) { return other }
        if let number, range.contains(number) { return number }
        note(name, "bad_value", "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        return other
    }

    mutating func bool(_ name: String) -> Bool {
        let bool = reader.bool(forKey: ConfigKey(name))
        if bool == nil, reader.string(forKey: ConfigKey(name)) != nil {
            note(name, "bad_value", "is neither true nor false")
        }
        return bool ?? false
    }
}
#endif
