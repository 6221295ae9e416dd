#if Service
package import DeviceRecords
import OpenSSLBridge
import TextCodecs

/// A name of a device in events: the same in all of them, and of no use for anything else.
///
/// Device keys have 128 random bits, so a plain hash of one cannot be turned back, nor be made without the key.
package struct DevicePseudonym: Sendable, Hashable {
    /// 32 hexadecimal digits.
    package let text: String

    /// Makes the pseudonym of a device; `nil` if libcrypto failed.
    ///
    /// - Parameter session: The key of the device, or of one of its sessions.
    package init?(of session: DeviceKey) {
        let bytes = Array("tve events\u{0}\(session.deviceOfSession.rawValue)".utf8)
        guard let hash = try? bytes.withSpan({ bytes in try Digest.sha256.hash(bytes, in: 0..<bytes.count) }) else {
            return nil
        }
        text = Hex.encode(hash.prefix(16))
    }
}
#endif
