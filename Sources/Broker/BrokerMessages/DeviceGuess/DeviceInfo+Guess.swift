import ServiceResponses
import TextCodecs

extension DeviceInfo {
    /// Device information from what a request says of its device, for devices that do not say it themselves.
    ///
    /// ```swift
    /// let guess = DeviceInfo.Guess(userAgent: text, clientHints: hints, address: address, port: port)
    /// let caller = broker.caller(Device(key: key, identifier: id, info: guess.info), from: address)
    /// ```
    ///
    /// It knows the common platforms by their `User-Agent`. What it does not know it leaves out and lists in ``unknown``;
    /// nothing is made up. A device's own word is always better: with wrong information its authentication ends sooner.
    public struct Guess: Sendable, Hashable {
        /// What could be told.
        public let info: DeviceInfo
        /// What could not be told, of the required members and `primaryHardwareType`.
        public let unknown: [Key]
        /// What may be wrong, since several kinds of device say the same.
        public let uncertain: [Key]

        /// Guesses.
        ///
        /// - Parameters:
        ///   - userAgent: The request's `User-Agent`. At most 512 bytes are looked at; it is sent on if it has no more.
        ///   - clientHints: The request's client hints.
        ///   - address: The device's address, from the connection or a trusted proxy.
        ///   - port: The device's port, from the same place; one provider needs it to recognise a household.
        ///   - isSecure: Whether the device's network is a secure one rather than a public hot spot, if it is known.
        public init(
            userAgent: String?,
            clientHints: ClientHints = .none,
            address: ClientAddress? = nil,
            port: UInt16? = nil,
            isSecure: Bool? = nil
        ) {
            var facts = GuessedFacts()
            let text = userAgent.flatMap(UserAgentText.init)
            let rule = text.flatMap(PlatformRule.first)
            if let text, let rule { facts.add(rule, from: text) }
            facts.add(clientHints, namingSystem: rule?.isGeneric ?? true)
            if let text { facts.addBrowser(from: text) }
            if text != nil, let userAgent, userAgent.utf8.count <= UserAgentText.maximumLength {
                facts[.userAgent] = .text(userAgent)
            }
            facts.add(address: address, port: port, isSecure: isSecure)
            // The texts are cut, so that all together stay below the length that is allowed.
            let info = facts.info
            self.info = info
            unknown = (Key.required + [.primaryHardwareType]).filter { info[$0] == nil }
            uncertain = facts.uncertain.filter { info[$0] != nil }.sorted { $0.rawValue < $1.rawValue }
        }
    }

    /// The same information with the connection's address, port and security instead of its own word on them.
    ///
    /// A server takes these from each request: at one provider the address alone signs a household in, so it must not
    /// come from the device's application.
    ///
    /// - Parameters:
    ///   - address: The device's address; `nil` removes it.
    ///   - port: The device's port; `nil` removes it.
    ///   - isSecure: Whether the device's network is a secure one rather than a public hot spot; `nil` removes it.
    /// - Returns: The changed information.
    /// - Throws: `BrokerHeaderError.tooLong(header:limit:)` if it becomes too long.
    public func connected(
        from address: ClientAddress?,
        port: UInt16? = nil,
        isSecure: Bool? = nil
    ) throws(BrokerHeaderError) -> DeviceInfo {
        try setting(.connectionIP, to: address.map { .text($0.text) })
            .setting(.connectionPort, to: port.map { .number(Int64($0)) })
            .setting(.connectionSecure, to: isSecure.map { .text(String($0)) })
    }
}

extension DeviceInfo.Guess: CustomStringConvertible {
    /// What could not be told, without the values.
    public var description: String {
        func list(_ keys: [DeviceInfo.Key]) -> String {
            keys.isEmpty ? "nothing" : keys.map(\.rawValue).joined(separator: ", ")
        }
        return "guessed device information; unknown: \(list(unknown)); uncertain: \(list(uncertain))"
    }
}

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
