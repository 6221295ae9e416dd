import EntitlementValues
import Synchronization
import TokenRedemption

extension ReplayID {
    /// The ID that `ReplayRedeemer` uses for the number, too.
    static func numbered(_ number: Int) -> ReplayID {
        var bytes = [UInt8](repeating: 0x5A, count: 32)
        for index in 0..<8 {
            bytes[index] = UInt8(truncatingIfNeeded: (number &* 0x1E37_79B9_7F4A_7C15) >> (56 - 8 * index))
            bytes[31 - index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
        guard let id = ReplayID(digest: bytes.span) else { preconditionFailure("32 bytes are a digest") }
        return id
    }
}
