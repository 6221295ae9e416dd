#if Service
package import DeviceRecords
import Synchronization

/// The places of requests that wait for something, so that they never take the service away from players.
package final class LongPollPlaces: Sendable {
    /// How many places a device may have, so that one does not take those of all others.
    static let placesOfDevice = 4

    private struct Taken {
        var count = 0
        /// The places of each device that has any.
        var ofDevices: [DeviceKey: Int] = [:]
    }

    private let capacity: Int
    private let taken = Mutex(Taken())

    /// Makes places.
    ///
    /// - Parameter connections: How many connections the service takes; a quarter of them may wait.
    package init(connections: Int) { capacity = max(1, connections / 4) }

    /// Waits in a place.
    ///
    /// - Parameters:
    ///   - device: The device whose request waits.
    ///   - body: Waits.
    /// - Returns: What the body returned; `nil` at once if all places are taken, or all that the device may have.
    /// - Throws: What the body throws.
    package func with<Answer>(for device: DeviceKey, _ body: () async throws -> Answer) async throws -> Answer? {
        guard take(for: device) else { return nil }
        defer { leave(by: device) }
        return try await body()
    }

    private func take(for device: DeviceKey) -> Bool {
        taken.withLock { taken in
            let own = taken.ofDevices[device] ?? 0
            guard taken.count < capacity, own < Self.placesOfDevice else { return false }
            taken.count += 1
            taken.ofDevices[device] = own + 1
            return true
        }
    }

    private func leave(by device: DeviceKey) {
        taken.withLock { taken in
            taken.count -= 1
            let left = (taken.ofDevices[device] ?? 1) - 1
            taken.ofDevices[device] = left > 0 ? left : nil
        }
    }
}
#endif
