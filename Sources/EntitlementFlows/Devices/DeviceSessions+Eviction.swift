#if Client
import DeviceRecords
import EntitlementValues
import Synchronization

extension DeviceSessions {
    /// Removes sessions that are not in use: those that are idle for too long, and the longest idle ones of too many.
    func evict() async {
        guard table.withLock({ $0.beginEviction() }) else { return }
        let capacity = max(1, limits.capacity)
        repeat {
            await evict(downTo: capacity)
        } while table.withLock { $0.endEviction(capacity) }
    }

    /// Removes the session of a device if there are too many, and it is not in use.
    func evict(_ device: DeviceKey) async {
        let entry = table.withLock { table in
            table.entries.count > max(1, limits.capacity) ? table.entries[device] : nil
        }
        if let entry, entry.uses == 0 { await remove(device, entry) }
    }

    private func remove(_ device: DeviceKey, _ entry: SessionTable.Entry) async {
        guard await !entry.session.isInUse else { return }
        // Before the next session of the device can write them.
        await entry.session.handOverDecisions()
        // A task that asks for the decision later is told that there will be none.
        if table.withLock({ $0.remove(device, ifAsIn: entry) }) { await entry.session.endPending(with: .superseded) }
    }

    private func evict(downTo capacity: Int) async {
        let start = application.time.uptime
        for (device, entry) in table.withLock({ $0.unused() }) {
            // In the order of the last use: the rest is younger.
            let isIdle = start - entry.lastUse >= limits.idleTime
            guard isIdle || count > capacity else { return }
            await remove(device, entry)
        }
    }

    /// Looks for idle sessions from time to time, until there are none left.
    func keepTidy() {
        let time = application.time
        let pause = max(limits.idleTime / 4, .seconds(1))
        table.withLock { table in
            guard table.keeper == nil else { return }
            table.keeper = Task.detached { [weak self] in
                repeat {
                    do throws(CancellationError) {
                        try await time.sleep(untilUptime: time.uptime + pause)
                    } catch {
                        return
                    }
                } while await self?.tidy() == true
            }
        }
    }

    /// Removes idle sessions.
    ///
    /// - Returns: Whether there are sessions left.
    private func tidy() async -> Bool {
        await evict()
        return table.withLock { table in
            guard table.entries.isEmpty else { return true }
            table.keeper = nil
            return false
        }
    }
}
#endif
