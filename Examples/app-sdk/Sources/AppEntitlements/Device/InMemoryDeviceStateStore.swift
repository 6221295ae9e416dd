public import Foundation

/// Keeps devices in memory: each start of the app is a new device, so this is for tests.
public final class InMemoryDeviceStateStore: DeviceStateStore, @unchecked Sendable {
    // Sendable: `bytes` is only used with the lock held.
    private let lock = NSLock()
    private var bytes: [String: Data] = [:]

    /// Makes an empty store.
    public init() {}

    /// Reads what was kept.
    public func load(for app: String) -> Data? { lock.withLock { bytes[app] } }

    /// Keeps the bytes.
    public func save(_ bytes: Data?, for app: String) { lock.withLock { self.bytes[app] = bytes } }
}
