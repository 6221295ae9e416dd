#if Redis
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

    /// Encodes one word of any bytes, preceded by its length.
    static func word(_ bytes: [UInt8]) -> [UInt8] {
        header("$", bytes.count) + bytes + lineEnd
    }

    /// The line before a number of words, or before a word of some length.
    static func header(_ mark: String, _ count: Int) -> [UInt8] {
        Array("\(mark)\(count)".utf8) + lineEnd
    }

    static let lineEnd = Array("\r\n".utf8)
}
#endif
