#if Client
import DeviceRecords

/// Which devices have sessions, and who uses them.
struct SessionTable: Sendable {
    /// The session of a device.
    struct Entry: Sendable {
        let session: EntitlementSession
        /// Ends once the session is ready; `nil` once it is.
        var preparation: Promise<Void>?
        /// The uptime at which the last use ended, or the session was made.
        var lastUse: Duration
        /// How many calls use the session.
        var uses = 1
    }

    var entries: [DeviceKey: Entry] = [:]
    /// How many calls use any session.
    var useCount = 0
    /// Whether no further use may begin.
    var isDraining = false
    /// Looks for idle sessions from time to time, as long as there are sessions.
    var evictions: Task<Void, Never>?

    /// Whether sessions are looked through at present.
    private var isEvicting = false
    /// Whether they have to be looked through once more after that.
    private var isEvictingAgain = false
    /// Wait until no call uses a session.
    private var waiters: [Promise<Void>] = []
    /// More sessions than these are needed before they are looked through again.
    ///
    /// If most are in use, looking through them finds little. So each new one pays for looking at a few, however many
    /// there are.
    private var toleratedCount = 0

    /// Begins a use of the session of a device, if there is one.
    mutating func use(_ device: DeviceKey) -> Entry? {
        entries[device]?.uses += 1
        return entries[device]
    }

    /// Ends a use.
    ///
    /// The session may have left the table meanwhile, and another one may be there.
    mutating func endUse(of session: EntitlementSession, _ device: DeviceKey, at now: Duration) {
        useCount -= 1
        guard let entry = entries[device], entry.session === session else { return }
        entries[device]?.uses -= 1
        entries[device]?.lastUse = now
    }

    // MARK: Waiting for all uses

    /// Waits until no call uses a session.
    mutating func wait() -> Promise<Void> {
        let promise = Promise<Void>()
        if useCount == 0 { promise.end(with: .success(())) } else { waiters.append(promise) }
        return promise
    }

    /// Those who wait, if no call uses a session anymore.
    mutating func takeWaiters() -> [Promise<Void>] {
        guard useCount == 0 else { return [] }
        defer { waiters = [] }
        return waiters
    }

    // MARK: Eviction

    /// Whether there are so many sessions that some should go, and this call is to see to it.
    mutating func mustEvict(_ capacity: Int) -> Bool {
        guard entries.count > max(capacity, toleratedCount) else { return false }
        isEvictingAgain = isEvicting
        return !isEvicting
    }

    /// Notes that the sessions are looked through from now on.
    ///
    /// Returns whether this is to be done; not if it is under way.
    mutating func beginEviction() -> Bool {
        defer { isEvicting = true }
        return !isEvicting
    }

    /// Notes that the sessions were looked through.
    ///
    /// Returns whether it has to be done once more, because more have come since.
    mutating func endEviction(_ capacity: Int) -> Bool {
        if isEvictingAgain {
            isEvictingAgain = false
            return true
        }
        isEvicting = false
        toleratedCount = entries.count > capacity ? entries.count + entries.count / 16 : 0
        return false
    }

    /// The sessions that no call uses, the one that was used last at the end.
    func unused() -> [(device: DeviceKey, entry: Entry)] {
        entries.filter { $0.value.uses == 0 }.map { ($0.key, $0.value) }
            .sorted { $0.entry.lastUse < $1.entry.lastUse }
    }

    /// Removes a session that was found unused, unless it has been used since; returns whether it was removed.
    mutating func remove(_ device: DeviceKey, ifAsIn found: Entry) -> Bool {
        guard let entry = entries[device], entry.session === found.session, entry.uses == 0,
            entry.lastUse == found.lastUse
        else { return false }
        entries[device] = nil
        return true
    }
}
#endif
