import EntitlementValues
import Synchronization

/// Holds decision times until they may be written: with the next change of their device, at most once a minute.
final class DecisionBuffer: Sendable {
    /// How often the times of a device are written at most.
    static let interval = Duration.seconds(60)
    /// Times of further devices are not noted: they only answer questions about lifetimes.
    static let maximumDevices = 16_384

    /// A decision, and who asked for it.
    struct Noted: Sendable, Hashable {
        let requestor: RequestorID
        let decision: DecisionTime
    }

    private struct Entry {
        var noted: [Noted] = []
        /// The uptime of the last writing; `nil` if there was none yet.
        var written: Duration?

        func isDue(at uptime: Duration) -> Bool { written.map { uptime - $0 >= DecisionBuffer.interval } ?? true }
    }

    private let entries = Mutex<[DeviceKey: Entry]>([:])
    private let time: TimeSource

    init(time: TimeSource) { self.time = time }

    func note(_ decision: DecisionTime, requestor: RequestorID, of device: DeviceKey) {
        let uptime = time.uptime
        entries.withLock { entries in
            if entries[device] == nil, entries.count >= Self.maximumDevices {
                entries = entries.filter { !$0.value.noted.isEmpty || !$0.value.isDue(at: uptime) }
                guard entries.count < Self.maximumDevices else { return }
            }
            var entry = entries[device] ?? Entry()
            entry.noted.removeAll { $0.requestor == requestor && $0.decision.isAboutSame(as: decision) }
            entry.noted.append(Noted(requestor: requestor, decision: decision))
            if entry.noted.count > RequestorRecord.maximumDecisions { entry.noted.removeFirst() }
            entries[device] = entry
        }
    }

    /// The times that were noted for a requestor and are not written yet.
    func noted(requestor: RequestorID, of device: DeviceKey) -> [DecisionTime] {
        entries.withLock { $0[device]?.noted.filter { $0.requestor == requestor }.map(\.decision) ?? [] }
    }

    /// Forgets the times of a provider's decisions that are not written yet.
    func drop(mvpd: MVPDID, requestor: RequestorID, of device: DeviceKey) {
        entries.withLock { $0[device]?.noted.removeAll { $0.requestor == requestor && $0.decision.mvpd == mvpd } }
    }

    /// Forgets everything about a device.
    func forget(_ device: DeviceKey) {
        entries.withLock { $0[device] = nil }
    }

    /// The times that a change of the device may write now.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - evenIfRecent: Whether to give them also within a minute after the last writing.
    /// - Returns: The times.
    func due(of device: DeviceKey, evenIfRecent: Bool) -> [Noted] {
        let uptime = time.uptime
        return entries.withLock { entries in
            guard let entry = entries[device], evenIfRecent || entry.isDue(at: uptime) else { return [] }
            return entry.noted
        }
    }

    /// Forgets times that were written; those that were noted since stay.
    func forget(_ written: [Noted], of device: DeviceKey) {
        guard !written.isEmpty else { return }
        let uptime = time.uptime
        entries.withLock { entries in
            entries[device]?.noted.removeAll { written.contains($0) }
            entries[device]?.written = uptime
        }
    }
}
