#if Redis
import Foundation
package import RedisStores

/// A primary, a replica, and Sentinels that let the replica take over when the primary is gone.
package final class WatchedServers: Sendable {
    package let primary: RedisServer
    package let replica: RedisServer
    package let sentinels: [RedisServer]
    /// The name that the Sentinels have for the primary.
    package static let name = "tokens"
    private let sentinelPorts: [Int]

    /// Starts all of them, and waits until the Sentinels know each other and the replica.
    ///
    /// - Parameter count: How many Sentinels there are.
    /// - Throws: `POSIXError` if one does not start.
    package init(sentinels count: Int = 3) throws {
        let (port, other) = (try Socket.freePort(), try Socket.freePort())
        primary = try RedisServer("--port", "\(port)", "--bind", "127.0.0.1", "--appendonly", "yes")
        replica = try RedisServer(
            "--port", "\(other)", "--bind", "127.0.0.1", "--appendonly", "yes", "--replicaof", "127.0.0.1", "\(port)",
            "--repl-diskless-sync-delay", "0")
        sentinelPorts = try (0..<count).map { _ in try Socket.freePort() }
        sentinels = try sentinelPorts.map { sentinelPort in
            try RedisServer(sentinel: [
                "port \(sentinelPort)", "bind 127.0.0.1",
                "sentinel monitor \(Self.name) 127.0.0.1 \(port) \(count / 2 + 1)",
                "sentinel down-after-milliseconds \(Self.name) 700", "sentinel failover-timeout \(Self.name) 5000",
            ])
        }
        try waitFor { sentinel in
            sentinel.contains("slaves=1,sentinels=\(count)")
        }
        try wait { try replica.say("INFO replication").contains("master_link_status:up") }
    }

    /// The address of the primary, as the Sentinels know it.
    ///
    /// - Parameter database: The number of the database.
    /// - Returns: The address.
    /// - Throws: Nothing.
    package func address(database: Int = 0) throws -> RedisAddress {
        try RedisAddress(
            .sentinels(sentinelPorts.map { RedisAddress.Host("127.0.0.1", port: $0) }, primary: Self.name),
            database: database)
    }

    /// Waits until the replica has everything that the primary has answered so far.
    ///
    /// - Throws: `POSIXError` if that takes too long.
    package func waitForReplica() throws {
        try wait { try primary.say("WAIT 1 1000") == ":1\r\n" }
        let offset = try value("master_repl_offset", of: primary)
        try wait { try value("master_repl_offset", of: replica) >= offset }
    }

    /// Waits until the replica has taken over.
    ///
    /// - Throws: `POSIXError` if that takes too long.
    package func waitForFailover() throws {
        try wait { try replica.say("INFO replication").contains("role:master") }
    }

    /// Waits until the former primary is a replica.
    ///
    /// - Throws: `POSIXError` if that takes too long.
    package func waitForDemotion() throws {
        try wait { try primary.say("INFO replication").contains("role:slave") }
    }

    private func value(_ name: String, of server: RedisServer) throws -> Int {
        let lines = try server.say("INFO replication").components(separatedBy: "\r\n")
        return lines.first { $0.hasPrefix("\(name):") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
    }

    private func waitFor(_ isReady: (String) -> Bool) throws {
        for sentinel in sentinels { try wait { isReady(try sentinel.say("INFO sentinel")) } }
    }

    private func wait(until isDone: () throws -> Bool) throws {
        for _ in 0..<3000 {
            if try isDone() { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw POSIXError(.ETIMEDOUT)
    }
}
#endif
