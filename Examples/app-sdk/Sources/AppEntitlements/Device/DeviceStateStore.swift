public import Foundation

/// Keeps what an app knows of its device: a few hundred bytes for each app of the gateway.
///
/// They hold the device's token, so keep them from other apps and out of backups: on Apple's systems in the keychain,
/// with `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`.
public protocol DeviceStateStore: Sendable {
    /// Reads what was kept.
    ///
    /// - Parameter app: The app's id at the gateway.
    /// - Returns: The bytes; `nil` if nothing was kept.
    /// - Throws: An error if they cannot be read now. What is damaged is `nil`: the device registers anew.
    func load(for app: String) throws -> Data?

    /// Keeps the bytes, in place of those before.
    ///
    /// - Parameters:
    ///   - bytes: The bytes; `nil` removes those that are kept.
    ///   - app: The app's id at the gateway.
    /// - Throws: An error if they cannot be kept.
    func save(_ bytes: Data?, for app: String) throws
}
