#if Client
public import EntitlementValues
import Synchronization

/// Holds requests back that the broker would refuse as too many.
///
/// The broker counts the requests of each client address: one in each second from the first request on, and ten more in
/// advance, which never come back. A request that would be one too many waits for its turn; calls that wait for one
/// address have their turns in the order in which they came.
///
/// A call of ``RequestPriority/polling`` never waits and takes nothing of the advance, so that what a user waits for
/// comes first. Calls without a client address are the server's own, and share one count.
///
/// A pacer knows only the requests that are sent through it. If several processes send for one address, the broker
/// refuses some of them, and they are repeated later.
///
/// It remembers 65,536 client addresses. One that was forgotten has no advance when it comes back.
///
/// Source: the broker's page on throttling; its worked example is a test.
public final class RequestPacer: Sendable {
    /// The answer to a request for a turn.
    package enum Turn: Sendable, Hashable {
        /// The request may be sent, after the wait.
        case granted(waited: Duration)
        /// A polling request would have to wait.
        case skipped(retryAfter: Duration)
        /// The turn would come after the deadline.
        case tooLate(retryAfter: Duration)
        /// The task was cancelled; its turn was given back.
        case cancelled
    }

    let time: TimeSource
    private let table: Mutex<PacerTable>

    /// Makes a pacer that has seen no request.
    ///
    /// - Parameter time: By which seconds are counted and turns are waited for.
    public convenience init(time: TimeSource = .system) {
        self.init(time: time, capacity: 65_536)
    }

    /// Makes a pacer of another size.
    ///
    /// `capacity` is how many addresses are remembered; at least 1.
    package init(time: TimeSource, capacity: Int) {
        self.time = time
        table = Mutex(PacerTable(capacity: capacity))
    }

    /// Waits until a request may be sent; if its turn would come too late, that is known at once.
    ///
    /// The address is the client's as the request states it; `nil` for the server's own requests. `limit` is how long
    /// the request may wait. It is a length, because other clocks may count from elsewhere.
    package func turn(for address: String?, _ priority: RequestPriority, within limit: Duration) async -> Turn {
        let start = time.uptime
        let deadline = start + limit
        let key = address.map(\.hashValue)
        var answer = table.withLock { $0.ask(key, priority, before: deadline, at: start) }
        while true {
            switch answer {
            case .granted: return .granted(waited: time.uptime - start)
            case .skipped(let wait): return .skipped(retryAfter: wait)
            case .tooLate(let wait): return .tooLate(retryAfter: wait)
            case .wait(let ticket, let instant):
                do {
                    try await time.sleep(untilUptime: instant)
                } catch {
                    table.withLock { $0.leave(ticket, key) }
                    return .cancelled
                }
                answer = table.withLock { $0.askAgain(ticket, key, before: deadline, at: time.uptime) }
            }
        }
    }

    /// Notes that the broker refused a request as one too many.
    ///
    /// Another process sends for this address, too, so that nothing is left of the advance. The address is the client's
    /// as the request stated it; `nil` for the server's own requests.
    package func noteRefusal(of address: String?) {
        table.withLock { $0.exhaust(address.map(\.hashValue), at: time.uptime) }
    }

    /// How many addresses are remembered.
    package var count: Int { table.withLock { $0.count } }

    /// How many bytes the counts of addresses take, without those of requests that wait.
    package var byteCount: Int { table.withLock { $0.byteCount } }
}

/// How much a call matters when calls of one client address have to wait for each other.
public enum RequestPriority: String, Sendable, Hashable, CaseIterable {
    /// A user waits for the answer.
    case foreground
    /// The call is made again and again, so that one may be left out: it never waits, and takes nothing that a
    /// foreground call needs.
    case polling
}
#endif
