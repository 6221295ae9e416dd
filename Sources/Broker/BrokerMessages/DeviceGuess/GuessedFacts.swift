import ServiceResponses
import TextCodecs

/// What a guess has found so far.
struct GuessedFacts {
    private var values: [(key: DeviceInfo.Key, value: DeviceInfo.Value)] = []
    /// The keys whose values may be wrong.
    private(set) var uncertain: Set<DeviceInfo.Key> = []

    subscript(key: DeviceInfo.Key) -> DeviceInfo.Value? {
        get { values.first { $0.key == key }?.value }
        set {
            values.removeAll { $0.key == key }
            if let newValue { values.append((key, newValue)) }
        }
    }

    /// The information, with the keys in the order in which they were found.
    var info: DeviceInfo {
        DeviceInfo(
            trusted: values.compactMap { key, value in
                (try? value.json(of: key)).map { JSONField(name: key.rawValue, value: $0) }
            })
    }

    // MARK: Sources

    mutating func add(_ rule: PlatformRule, from text: UserAgentText) {
        for (key, source) in rule.facts where self[key] == nil {
            if let value = text.value(from: source) { self[key] = .text(value) }
        }
        uncertain = text.isReduced ? rule.uncertain.union([.osVersion]) : rule.uncertain
    }

    mutating func addBrowser(from text: UserAgentText) {
        guard let rule = BrowserRule.first(for: text) else { return }
        if let name = rule.name { self[.browserName] = .text(name) }
        if let vendor = rule.vendor { self[.browserVendor] = .text(vendor) }
        if let version = text.version(after: rule.versionWord) { self[.browserVersion] = .text(version) }
    }

    /// Takes what client hints know better than a `User-Agent`.
    ///
    /// They say what the system and the kind of the device are, too, only if they may: a games console says that it is
    /// a computer.
    mutating func add(_ hints: ClientHints, namingSystem namesSystem: Bool) {
        if let platform = hints.platform, let system = Self.systems[platform] {
            if namesSystem {
                for (key, value) in system { settle(key, .text(value)) }
            }
            let isOfSystem = system.contains { $0 == .osName && self[.osName] == .text($1) }
            if isOfSystem, let version = hints.platformVersion.flatMap({ Self.version($0, of: platform) }) {
                settle(.osVersion, .text(version))
            }
        }
        if let model = hints.model { settle(.model, .text(model)) }
        if namesSystem { addKind(hints) }
    }

    private mutating func addKind(_ hints: ClientHints) {
        if let factor = hints.formFactor, let type = Self.formFactors[factor] {
            settle(.primaryHardwareType, .text(type.rawValue))
        } else if hints.platform == "Android", let isMobile = hints.isMobile {
            settle(.primaryHardwareType, .text((isMobile ? HardwareType.mobilePhone : .tablet).rawValue))
            // What is not mobile may still be a television set.
            if !isMobile { uncertain.insert(.primaryHardwareType) }
        }
    }

    mutating func add(address: ClientAddress?, port: UInt16?, isSecure: Bool?) {
        self[.connectionIP] = address.map { .text($0.text) }
        self[.connectionPort] = port.map { .number(Int64($0)) }
        self[.connectionSecure] = isSecure.map { .text(String($0)) }
    }

    private mutating func settle(_ key: DeviceInfo.Key, _ value: DeviceInfo.Value) {
        self[key] = value
        uncertain.remove(key)
    }

    // MARK: Names

    /// The names in hints, and the reference's names for them; each belongs to its owner.
    private static let systems: [String: [(DeviceInfo.Key, String)]] = [
        "Windows": [(.osName, "Windows"), (.osFamily, "Windows"), (.osVendor, "Microsoft")],
        "macOS": [
            (.osName, "Mac OS"), (.osFamily, "macOS"), (.osVendor, "Apple"), (.primaryHardwareType, "Desktop"),
            (.manufacturer, "Apple"), (.vendor, "Apple"),
        ],
        "Android": [(.osName, "Android"), (.osFamily, "Android"), (.osVendor, "Google")],
        "Linux": [(.osName, "Linux"), (.osFamily, "Linux")],
        "Chrome OS": [(.osName, "Chrome OS"), (.osFamily, "Linux"), (.osVendor, "Google")],
        "Chromium OS": [(.osName, "Chrome OS"), (.osFamily, "Linux"), (.osVendor, "Google")],
    ]

    private static let formFactors: [String: HardwareType] = [
        "Desktop": .desktop, "Mobile": .mobilePhone, "Tablet": .tablet, "Watch": .wristwatch,
    ]

    /// The system's version as people know it.
    ///
    /// Windows hints count what they call contracts: 13 and more are Windows 11, others Windows 10, and 0 is older.
    private static func version(_ version: String, of platform: String) -> String? {
        guard platform == "Windows" else { return version }
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major > 0 else { return nil }
        return major >= 13 ? "11" : "10"
    }
}
