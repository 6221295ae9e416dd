#if Client
import BrokerClient
import DeviceRecords
import EntitlementValues
import Synchronization

extension DeviceSessions {
    /// How many sessions write the decision times that they have noted at the same time.
    private static let removedAtOnce = 16

    /// Removes sessions that are not in use: those that are idle for too long, and the longest idle ones of too many.
    package func evict() async {
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
        await entry.session.handOverDecisions()
        let isRemoved = table.withLock { table in
            guard table.remove(device, ifAsIn: entry) else { return false }
            // Without the session, nothing in this process would see that the device is erased; and the next session of
            // the device, which comes after this, must not write what was not handed over.
            application.broker.records.dropNotedDecisions(of: device)
            return true
        }
        // A task that asks for the decision later is told that there will be none.
        if isRemoved { await entry.session.endPending() }
    }

    private func evict(downTo capacity: Int) async {
        let start = application.time.uptime
        var rest = table.withLock { $0.unused() }[...]
        while true {
            let surplus = count - capacity
            // In the order of the last use: the rest is younger.
            let going = rest.prefix(Self.removedAtOnce).enumerated().prefix { index, unused in
                index < surplus || start - unused.entry.lastUse >= limits.idleTime
            }
            guard !going.isEmpty else { return }
            await withDiscardingTaskGroup { group in
                for (_, unused) in going { group.addTask { await self.remove(unused.device, unused.entry) } }
            }
            rest = rest.dropFirst(going.count)
        }
    }

    /// Looks for idle sessions from time to time, until there are none left.
    func keepTidy() {
        let time = application.time
        let pause = max(limits.idleTime / 4, .seconds(1))
        table.withLock { table in
            guard table.evictions == nil else { return }
            table.evictions = Task.detached { [weak self] in
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

    /// Removes idle sessions; returns whether there are sessions left.
    private func tidy() async -> Bool {
        await evict()
        return table.withLock { table in
            guard table.entries.isEmpty else { return true }
            table.evictions = nil
            return false
        }
    }
}
#endif
