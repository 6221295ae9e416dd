#if Client
import OpenSSLBridge
import TextCodecs

/// Makes ids, codes and secrets: random ones, or with a seed the same ones in each run.
struct IdentifierSource: Sendable, Hashable {
    /// The state of SplitMix64; `nil` for random numbers of the system.
    private var state: UInt64?

    init(seed: UInt64?) { state = seed }

    /// Where in the row of a seed the source is; `nil` for random numbers.
    var position: UInt64? {
        get { state }
        set { state = newValue }
    }

    /// 64 bits (SplitMix64, Steele and others 2014, if there is a seed).
    private mutating func next() throws(OpenSSLFailure) -> UInt64 {
        guard let old = state else {
            return try randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        let new = old &+ 0x9E37_79B9_7F4A_7C15
        state = new
        var mixed = (new ^ (new >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    private mutating func bytes(_ count: Int) throws(OpenSSLFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let number = try next()
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        return Array(bytes.prefix(count))
    }

    /// A UUID of version 4 (RFC 9562) in lower case.
    mutating func uuid() throws(OpenSSLFailure) -> String {
        var bytes = try bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.encode(bytes[$0]) }.joined(separator: "-")
    }

    /// A secret of 32 bytes in hexadecimal digits.
    mutating func secret() throws(OpenSSLFailure) -> String { Hex.encode(try bytes(32)) }

    /// An authentication code: 7 upper-case letters and digits, `I`, `O` and `0` included, as the broker makes them.
    mutating func code() throws(OpenSSLFailure) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        let count = UInt64(alphabet.count)
        var number = try next()
        var code: [UInt8] = []
        for _ in 0..<7 {
            code.append(alphabet[Int(number % count)])
            number /= count
        }
        return String(decoding: code, as: UTF8.self)
    }
}
#endif
