#if Service
import EntitlementValues
import HostSystem
import HummingbirdCore
import Logging
import Synchronization

/// Counts the open connections of a listener, and says once when there may be no more.
package final class ConnectionCount: Sendable {
    /// The listeners, as the label `listener` of the metrics names them.
    package enum Listener: String {
        case `public`, `internal`, decryption
    }

    let listener: Listener
    let limit: Int
    /// How many files the process needs for all connections that the settings allow at all of its listeners.
    let neededFiles: Int
    private let logger: Logger
    private let time: TimeSource
    private let open = Atomic(0)
    /// Whether the limit was reported and connections have not become clearly fewer since.
    private let isFull = Atomic(false)
    /// When the limit was last reported, as uptime.
    private let lastReport = Mutex<Duration?>(nil)

    /// Makes a counter for one of the listeners, which share what the process may open.
    ///
    /// `wanted` is how many connections the settings allow; it is lowered to what the process may open. The time keeps
    /// the logger from being told too often.
    init(of listener: Listener, limit wanted: Int, among listeners: Int, logger: Logger, time: TimeSource) {
        (self.listener, self.logger, self.time) = (listener, logger, time)
        neededFiles = listeners * wanted + Self.otherFiles
        limit = ProcessUsage.maximumOpenFiles.map { min(wanted, Self.possible(with: $0, among: listeners)) } ?? wanted
    }

    /// The files that are open beside the connections of the listeners: those of stores, the broker and the log.
    private static let otherFiles = 128

    /// How many connections each listener may have if the process may open so many files.
    ///
    /// libdispatch ends a process that has no descriptor left while it is busy, so connections must not take the last.
    private static func possible(with files: Int, among listeners: Int) -> Int {
        max(1, (files - otherFiles) / listeners)
    }

    package var count: Int { open.load(ordering: .relaxed) }

    fileprivate func opened() { open.add(1, ordering: .relaxed) }

    fileprivate func closed() {
        let left = open.subtract(1, ordering: .relaxed).newValue
        // Only once a tenth is free: at the limit, each connection that closes is replaced at once.
        guard left * 10 < limit * 9, isFull.exchange(false, ordering: .relaxed) else { return }
        logger.notice("connections are below their limit again", metadata: metadata)
    }

    fileprivate var takesMore: Bool {
        if count < limit { return true }
        if !isFull.load(ordering: .relaxed), isTimeToReport, !isFull.exchange(true, ordering: .relaxed) {
            logger.warning(
                "limits.connections is reached: further connections wait until others are closed", metadata: metadata)
        }
        return false
    }

    /// Not again within ten seconds: while a flood ends, those that wait fill the places of those that close again and again.
    private var isTimeToReport: Bool {
        lastReport.withLock { last in
            let now = time.uptime
            if let last, now - last < .seconds(10) { return false }
            last = now
            return true
        }
    }

    private var metadata: Logger.Metadata {
        ["code": "connection_limit", "listener": "\(listener.rawValue)", "limit": "\(limit)"]
    }
}

/// Keeps the number of a listener's connections below their limit.
struct LimitedConnections: AvailableConnectionsDelegate {
    let count: ConnectionCount

    mutating func connectionOpened() { count.opened() }
    mutating func connectionClosed() { count.closed() }
    func isAcceptingNewConnections() -> Bool { count.takesMore }
}
#endif
