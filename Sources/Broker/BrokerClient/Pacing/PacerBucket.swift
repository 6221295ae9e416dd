#if Client
/// What the broker has counted for one client address.
struct PacerBucket: Sendable {
    /// The requests in advance.
    static let advance: UInt8 = 10
    /// A request that waited for a second to begin is sent a little later, since it may travel faster than the one that
    /// began the count.
    static let margin: Duration = .milliseconds(50)

    /// When the count began.
    private let origin: Duration
    /// The last second, counted from the origin, whose one request was sent; -1 for none.
    private var lastWindow: Int64 = -1
    private var advance: UInt8
    /// The requests that wait, in the order of their turns.
    private(set) var queue: [UInt64] = []

    init(at now: Duration, hasAdvance: Bool) {
        (origin, advance) = (now, hasAdvance ? Self.advance : 0)
    }

    /// Takes a turn if there is one at once, and tells whether the request may be sent.
    ///
    /// `now` is the present uptime. A polling request takes nothing of the advance.
    mutating func take(at now: Duration, _ priority: RequestPriority) -> Bool {
        guard queue.isEmpty else { return false }
        if takeWindow(at: now) { return true }
        guard priority == .foreground, advance > 0 else { return false }
        advance -= 1
        return true
    }

    /// Takes the turn of a request that waited, and tells whether it may be sent; it leaves the queue then.
    ///
    /// `now` is the present uptime.
    mutating func take(_ ticket: UInt64, at now: Duration) -> Bool {
        guard queue.first == ticket, takeWindow(at: now) else { return false }
        queue.removeFirst()
        return true
    }

    /// The uptime at which a request has its turn, unless others leave the queue.
    ///
    /// Without a ticket, it is that of one that would join the queue now.
    func turn(of ticket: UInt64?, at now: Duration) -> Duration {
        let place = ticket.flatMap { queue.firstIndex(of: $0) } ?? queue.count
        let current = window(at: now)
        let next = (lastWindow < current ? current : lastWindow + 1) + Int64(place)
        return next <= current ? now : start(of: next)
    }

    /// The uptime at which requests that wait look again.
    func nextLook(at now: Duration) -> Duration {
        // Within the margin, the request of this second is for those that wait; the first of them may be cancelled.
        let (current, next) = (start(of: window(at: now)), start(of: window(at: now) + 1))
        return now < current ? current : next
    }

    mutating func join(_ ticket: UInt64) { queue.append(ticket) }

    mutating func leave(_ ticket: UInt64) { queue.removeAll { $0 == ticket } }

    /// Counts what others must have sent: the advance, and the request of this second.
    mutating func exhaust(at now: Duration) {
        advance = 0
        lastWindow = max(lastWindow, window(at: now))
    }

    private mutating func takeWindow(at now: Duration) -> Bool {
        let current = window(at: now)
        guard lastWindow < current else { return false }
        lastWindow = current
        return true
    }

    private func window(at now: Duration) -> Int64 { (now - origin).components.seconds }

    private func start(of window: Int64) -> Duration { origin + .seconds(window) + Self.margin }
}
#endif
