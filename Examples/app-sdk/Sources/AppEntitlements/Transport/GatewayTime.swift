import Foundation

/// The time by which tokens are renewed and pauses are made; tests have their own.
public struct GatewayTime: Sendable {
    /// The time of day, in milliseconds since the Unix epoch.
    public let now: @Sendable () -> Int64
    /// Waits, or throws if the task is cancelled.
    public let sleep: @Sendable (Duration) async throws -> Void

    /// Makes a time.
    ///
    /// - Parameters:
    ///   - now: The time of day, in milliseconds since the Unix epoch.
    ///   - sleep: Waits, or throws if the task is cancelled.
    public init(
        now: @escaping @Sendable () -> Int64,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.now, self.sleep) = (now, sleep)
    }

    /// The time of the device.
    public static let device = GatewayTime(
        now: { Int64(Date().timeIntervalSince1970 * 1000) }, sleep: { try await Task.sleep(for: $0) })
}
