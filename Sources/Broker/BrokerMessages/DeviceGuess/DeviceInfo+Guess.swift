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
