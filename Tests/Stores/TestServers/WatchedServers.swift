#if Redis
import Foundation
package import RedisStores
import TestVectors

/// A primary, a replica, and Sentinels that let the replica take over when they may.
package final class WatchedServers: Sendable {
    package let primary: RedisServer
    package let replica: RedisServer
    package let sentinels: [RedisServer]
    private let isEncrypted: Bool
    /// The name that the Sentinels have for the primary.
    package static let name = "tokens"

    /// Starts all of them, and waits until the Sentinels know each other and the replica.
    ///
    /// A primary counts as gone after an hour without an answer, so that none does on a busy machine; see
    /// ``allowFailover()``.
    ///
    /// - Parameters:
    ///   - count: How many Sentinels there are.
    ///   - certificates: Make all of them speak TLS, and nothing else on a port; `nil` for none.
    /// - Throws: An error if one does not start.
    package init(sentinels count: Int = 3, certificates: Certificates? = nil) throws {
        isEncrypted = certificates != nil
        let pair = try certificates?.make("server")
        let listening = { @Sendable (port: Int) -> [(name: String, value: String)] in
            guard let certificates, let pair else { return [("port", "\(port)"), ("bind", "127.0.0.1")] }
            return [
                ("port", "0"), ("tls-port", "\(port)"), ("bind", "127.0.0.1"), ("tls-cert-file", pair.certificate),
                ("tls-key-file", pair.key), ("tls-ca-cert-file", certificates.authority), ("tls-auth-clients", "no"),
                ("tls-replication", "yes"),
            ]
        }
        let arguments = { @Sendable (port: Int) in
            listening(port).flatMap { ["--\($0.name)", $0.value] } + ["--appendonly", "yes"]
        }
        let primary = try RedisServer(onPort: arguments)
        let first = primary.port
        let replica = try RedisServer(onPort: { port in
            arguments(port) + ["--replicaof", "127.0.0.1", "\(first)", "--repl-diskless-sync-delay", "0"]
        })
        try hold { try replica.isLinked }
        sentinels = try (0..<count).map { _ in
            try RedisServer(sentinel: { port in
                listening(port).map { "\($0.name) \($0.value)" } + [
                    "sentinel monitor \(Self.name) 127.0.0.1 \(first) \(count / 2 + 1)",
                    "sentinel down-after-milliseconds \(Self.name) 3600000",
                    "sentinel failover-timeout \(Self.name) 60000",
                ]
            })
        }
        (self.primary, self.replica) = (primary, replica)
        for sentinel in sentinels {
            try hold { try sentinel.say("INFO sentinel").contains("slaves=1,sentinels=\(count)") }
        }
    }

    /// The address of the primary, as the Sentinels know it.
    ///
    /// - Parameter database: The number of the database.
    /// - Returns: The address.
    /// - Throws: Nothing.
    package func address(database: Int = 0) throws -> RedisAddress {
        try RedisAddress(
            .sentinels(sentinels.map { RedisAddress.Host("127.0.0.1", port: $0.port) }, primary: Self.name),
            database: database, isEncrypted: isEncrypted)
    }

    /// Waits until the replica has everything that the primary has answered so far.
    ///
    /// - Throws: `WaitedInVain` if that takes too long.
    package func waitForReplica() throws {
        let offset = try value("master_repl_offset", of: primary)
        try hold { try value("master_repl_offset", of: replica) >= offset }
    }

    /// Kills the primary, and waits until the replica has taken all that still came from it.
    ///
    /// - Throws: `WaitedInVain` if that takes too long.
    package func losePrimary() throws {
        primary.kill(SIGKILL)
        try hold { try !replica.isLinked }
    }

    /// From now on, a primary that does not answer for half a second counts as gone.
    ///
    /// - Throws: `POSIXError` if a Sentinel does not accept that.
    package func allowFailover() throws {
        for sentinel in sentinels {
            for setting in ["failover-timeout 5000", "down-after-milliseconds 500"] {
                guard try sentinel.say("SENTINEL SET \(Self.name) \(setting)") == "+OK\r\n" else {
                    throw POSIXError(.EINVAL)
                }
            }
        }
    }

    /// Waits until the replica has taken over.
    ///
    /// - Throws: `WaitedInVain` if that takes too long.
    package func waitForFailover() throws {
        try hold { try replica.say("INFO replication").contains("role:master") }
    }

    /// Waits until the former primary is a replica.
    ///
    /// - Throws: `WaitedInVain` if that takes too long.
    package func waitForDemotion() throws {
        try hold { try primary.say("INFO replication").contains("role:slave") }
    }

    private func value(_ name: String, of server: RedisServer) throws -> Int {
        let lines = try server.say("INFO replication").components(separatedBy: "\r\n")
        return lines.first { $0.hasPrefix("\(name):") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
    }
}

extension RedisServer {
    /// Whether a replica is connected to its primary.
    fileprivate var isLinked: Bool {
        get throws { try say("INFO replication").contains("master_link_status:up") }
    }
}
#endif
