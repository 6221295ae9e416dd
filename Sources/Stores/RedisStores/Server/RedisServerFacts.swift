#if Redis
/// What a server reports about itself in INFO, as far as it matters to redemptions.
struct RedisServerFacts: Sendable, Equatable {
    private let values: [String: String]

    /// Reads lines of `name:value`.
    init(info: [UInt8]) {
        var values: [String: String] = [:]
        for line in info.split(whereSeparator: { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            values[name] = String(decoding: line[(colon + 1)...].prefix(100), as: UTF8.self)
        }
        self.values = values
    }

    var runID: String? { values["run_id"] }

    /// The reason why the server must not be used, even if it would redeem tokens; `nil` if there is none.
    var refusal: RedisFailure? {
        // A writable replica redeems tokens, and forgets them when it next synchronises with its primary.
        if let role = values["role"], role != "master" { return .answered("READONLY") }
        switch values["redis_mode"] {
        case "cluster": return .isCluster
        case "sentinel": return .isSentinel
        default: break
        }
        // It would refuse changes, and what it says of its settings is not true yet: `aof_enabled` is 0 until it has
        // read its log.
        return values["loading"] == "1" ? .answered("LOADING") : nil
    }

    var warnings: Set<RedisWarning> {
        guard let policy = values["maxmemory_policy"], let log = values["aof_enabled"] else {
            return [.notChecked]
        }
        var warnings: Set<RedisWarning> = []
        if policy != "noeviction" { warnings.insert(.evicts(policy: policy)) }
        if log != "1" { warnings.insert(.notPersistent) }
        return warnings
    }
}

/// Tells one server, and one run of it, from others.
struct RedisServerIdentity: Sendable {
    /// Names the run; `nil` if the server does not show it.
    let runID: String?
    /// The address, in the system's form.
    let address: [UInt8]

    /// Whether two connections may lead to different servers.
    ///
    /// One run may have several addresses. If its name is not shown, another address counts as another server.
    func mayDiffer(from other: RedisServerIdentity) -> Bool {
        if let runID, let otherID = other.runID { runID != otherID } else { address != other.address }
    }
}
#endif
