#if Redis
import TextCodecs
import TokenRedemption

/// Encodes the command that redeems an ID: `SET prefix:digest 1 NX PX milliseconds`.
struct RedeemCommand: Sendable {
    private let start: [UInt8]
    private static let middle = RedisCommand.lineEnd + ["1", "NX", "PX"].flatMap(RedisCommand.word)
    /// The answers: the key was set, or it exists.
    static let replies: RedisReply.Kinds = [.okay, .null]

    init(prefix: String) {
        start =
            RedisCommand.header("*", 6) + RedisCommand.word("SET")
            + RedisCommand.header("$", prefix.utf8.count + 64) + prefix.utf8
    }

    func encode(_ id: ReplayID, milliseconds: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(start.count + 64 + Self.middle.count + 24)
        bytes += start
        bytes += Hex.encode(id.bytes).utf8
        bytes += Self.middle
        bytes += RedisCommand.word("\(milliseconds)")
        return bytes
    }
}
#endif
