/// The resources that a preauthorization has permitted, for half an hour at most.
struct PermitCache: Sendable {
    /// How long a permit holds, in milliseconds.
    private static let lifetime: Int64 = 30 * 60_000

    private var ends: [String: Int64] = [:]

    /// Whether a resource is permitted.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - now: The time of day, in milliseconds since the Unix epoch.
    /// - Returns: Whether it is, as far as is known.
    func permits(_ resource: String, at now: Int64) -> Bool {
        // A clock that was set back must not make a permit last longer.
        ends[resource].map { (now + 1)...(now + Self.lifetime) ~= $0 } ?? false
    }

    /// Takes a permit; the gateway is asked for denials anew each time, and remembers them for a minute.
    mutating func take(_ resource: String, at now: Int64) { ends[resource] = now + Self.lifetime }

    /// Drops a permit, since the provider has changed its mind.
    mutating func drop(_ resource: String) { ends[resource] = nil }
}
