#if Client
import DeviceRecords
import Synchronization

/// The registrations of the devices that were called for last, one for each device.
///
/// Those that were not asked for the longest go once their access token has ended, or if there are too many, unless they are in
/// use: a caller has them, or a request for an access token runs. So all calls for a device at one time share one registration.
/// The records have all that the next one needs.
package final class RegistrationTable: Sendable {
    fileprivate struct Entry {
        var registration: ClientRegistration
        /// The number of the last use.
        var use: UInt64
    }

    fileprivate struct State {
        var entries: [DeviceKey: Entry] = [:]
        /// Uses in their order from ``first`` on; only the last one of each device counts.
        var uses: [(device: DeviceKey, number: UInt64)] = []
        var first = 0
        var lastUse: UInt64 = 0
    }

    /// Each use pays for looking at so many others at most, however many are in use.
    private static let looks = 16

    private let capacity: Int
    private let state = Mutex(State())

    /// Makes an empty table.
    ///
    /// `capacity` is how many registrations are kept that are not in use; 1 at least.
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    /// How many registrations there are.
    package var count: Int { state.withLock { $0.entries.count } }

    /// The registration of a device, which is made if there is none.
    package func registration(of device: DeviceKey, at uptime: Duration) -> ClientRegistration {
        state.withLock { state in
            let registration = state.entries[device]?.registration ?? ClientRegistration()
            state.use(device, registration)
            state.evict(downTo: capacity, after: Self.looks, at: uptime)
            return registration
        }
    }

    /// The registration of a device; `nil` if none is remembered.
    package func known(of device: DeviceKey) -> ClientRegistration? {
        state.withLock { $0.entries[device]?.registration }
    }
}

extension RegistrationTable.State {
    /// Notes a use of a device's registration.
    fileprivate mutating func use(_ device: DeviceKey, _ registration: ClientRegistration) {
        lastUse += 1
        entries[device] = RegistrationTable.Entry(registration: registration, use: lastUse)
        uses.append((device, lastUse))
        // Most uses are of devices that were used since: only so many are kept that they are looked through rarely.
        if uses.count > 64, uses.count > 4 * entries.count {
            uses = uses[first...].filter { entries[$0.device]?.use == $0.number }
            first = 0
        }
    }

    /// Removes registrations that were not used the longest and are not in use: those whose token has ended, and those that are
    /// too many.
    fileprivate mutating func evict(downTo capacity: Int, after looks: Int, at uptime: Duration) {
        var looks = looks
        let newest = lastUse
        while looks > 0, first < uses.count, uses[first].number < newest {
            let (device, number) = uses[first]
            guard entries[device]?.use == number else {
                first += 1
                continue
            }
            guard entries.count > capacity || entries[device]?.registration.hasEnded(at: uptime) == true,
                var entry = entries.removeValue(forKey: device)
            else { return }
            first += 1
            looks -= 1
            // The table hands none out meanwhile: if this variable alone has it, it is not in use.
            if !isKnownUniquelyReferenced(&entry.registration) { use(device, entry.registration) }
        }
    }
}
#endif
