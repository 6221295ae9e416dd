#if Redis
import TextCodecs
import TokenRedemption

/// Writes commands as Redis reads them: the number of words, then each word behind its length.
enum RedisCommand {
    static func encode(_ words: [String]) -> [UInt8] {
        var bytes = header("*", words.count)
        for word in words { bytes += self.word(word) }
        return bytes
    }

    /// One word behind its length.
    static func word(_ text: String) -> [UInt8] {
        header("$", text.utf8.count) + text.utf8 + lineEnd
    }

    /// The line that announces a number of words, or the length of one.
    static func header(_ mark: String, _ count: Int) -> [UInt8] {
        Array("\(mark)\(count)".utf8) + lineEnd
    }

    static let lineEnd = Array("\r\n".utf8)
}

/// Writes the command that redeems an ID: `SET prefix:digest 1 NX PX milliseconds`.
struct RedisRedeemCommand: Sendable {
    private let start: [UInt8]
    private static let middle = RedisCommand.lineEnd + ["1", "NX", "PX"].flatMap(RedisCommand.word)

    init(prefix: String) {
        start =
            RedisCommand.header("*", 6) + RedisCommand.word("SET")
            + RedisCommand.header("$", prefix.utf8.count + 64) + prefix.utf8
    }

    func append(id: ReplayID, milliseconds: Int64, to bytes: inout [UInt8]) {
        bytes += start
        bytes += hexadecimal(id.bytes).utf8
        bytes += Self.middle
        bytes += RedisCommand.word("\(milliseconds)")
    }
}
#endif
