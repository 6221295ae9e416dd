#if Service
import Configuration
import HTTPTypes
import TextCodecs

/// Reads settings one by one and collects what is wrong with them, so that all faults are reported together.
///
/// A setting that is faulty reads as if it were not set.
struct SettingsReader {
    private let reader: ConfigReader
    /// What is known to be wrong with the sources of the reader.
    private let earlier: [SettingsFault]
    private(set) var faults: [SettingsFault] = []

    /// Takes the settings, and what is known to be wrong with them.
    init(_ reader: ConfigReader, after earlier: [SettingsFault] = []) {
        (self.reader, self.earlier) = (reader, earlier)
    }

    /// Whether a fault is about a setting, about a group that it is in or one of its members, or about a name that may be
    /// its misspelling.
    ///
    /// That such a setting is missing is not a fault of its own, but follows from the other.
    func isInDoubt(_ name: String) -> Bool {
        (earlier + faults).contains { fault in
            let meant = fault.isOfUnknownSetting ? SettingName.meant(by: fault.setting)?.setting : nil
            return [fault.setting, meant].compactMap(\.self).contains {
                $0 == name || $0.hasPrefix("\(name).") || name.hasPrefix("\($0).")
            }
        }
    }

    /// Reports a fault; one that is only missing is not, if it is in doubt.
    mutating func report(_ kind: SettingsFault.Kind, of setting: String, detail: String) {
        if kind == .missing, isInDoubt(setting) { return }
        faults.append(SettingsFault(kind, of: setting, detail: detail))
    }

    /// Reports each of the settings that is set, although it has no effect without another one.
    mutating func report(unused names: [String], without other: String) {
        guard !isSet(other), !isInDoubt(other) else { return }
        for name in names where isSet(name) { report(.conflict, of: name, detail: "has no effect without \(other)") }
    }

    /// Reports each of the settings that is set, although it has no effect here.
    mutating func report(without need: String, _ names: [String]) {
        for name in names where isSet(name) { report(.conflict, of: name, detail: "needs \(need)") }
    }

    /// Reads the value of a setting; `nil` if it was refused, which is a fault.
    mutating func reading<Value, Refusal: Error & CustomStringConvertible>(
        _ setting: String,
        _ read: () throws(Refusal) -> Value
    ) -> Value? {
        faults.reading(try read()) { (refusal: Refusal) in
            SettingsFault(.badValue, of: setting, detail: refusal.description)
        }
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

    /// A list whose faults another reading reports; empty if it is not set.
    func unreportedList(_ name: String) -> [String] { reader.stringArray(forKey: ConfigKey(name)) ?? [] }

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
    ///
    /// `mayBeEmpty` says whether it may have no elements. The advice is what to do about a list without elements.
    mutating func list(_ name: String, mayBeEmpty: Bool = false, ifEmpty advice: String = "leave it out") -> [String]? {
        guard let list = reader.stringArray(forKey: ConfigKey(name)) else { return nil }
        if list.isEmpty && !mayBeEmpty || list.contains("") {
            report(.badValue, of: name, detail: list.isEmpty ? "is empty; \(advice)" : "has an empty element")
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
    mutating func bool(_ name: String, otherwise usual: Bool = false) -> Bool {
        let bool = reader.bool(forKey: ConfigKey(name))
        if bool == nil, reader.string(forKey: ConfigKey(name)) != nil {
            report(.badValue, of: name, detail: "is neither true nor false")
        }
        return bool ?? usual
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
