#if Redis
import TextCodecs
import TokenRedemption

/// Encodes commands for Redis: the number of words, then each word preceded by its length.
///
/// Source: the Redis serialization protocol (RESP2), arrays of bulk strings.
enum RedisCommand {
    static func encode(_ words: [String]) -> [UInt8] {
        var bytes = header("*", words.count)
        for word in words { bytes += self.word(word) }
        return bytes
    }

    /// Encodes one word, preceded by its length.
    static func word(_ text: String) -> [UInt8] {
        header("$", text.utf8.count) + text.utf8 + lineEnd
    }

    /// The line before a number of words, or before a word of some length.
    static func header(_ mark: String, _ count: Int) -> [UInt8] {
        Array("\(mark)\(count)".utf8) + lineEnd
    }

    static let lineEnd = Array("\r\n".utf8)
}

/// Encodes the command that redeems an ID: `SET prefix:digest 1 NX PX milliseconds`.
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
