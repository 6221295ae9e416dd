#if Redis
import OpenSSLBridge
import TextCodecs

/// A small program that the server runs as one step, called by the digest of its text.
struct RecordScript: Sendable {
    private let text: String
    /// The SHA-1 digest of the text, by which the server knows a script that it was given before.
    private let digest: String?

    private init(_ text: String) {
        self.text = text
        digest = (try? Digest.insecureSHA1.hash(Array(text.utf8))).map { Hex.encode($0) }
    }

    /// The command that calls the script if the server has it; that of `spelledOut` if libcrypto did not make a digest.
    ///
    /// `key` is the only key that the script touches.
    func call(_ key: String, _ arguments: [[UInt8]]) -> [UInt8] {
        guard let digest else { return spelledOut(key, arguments) }
        return Self.command("EVALSHA", digest, key: key, arguments: arguments)
    }

    /// The command with the text of the script, which the server keeps from then on.
    func spelledOut(_ key: String, _ arguments: [[UInt8]]) -> [UInt8] {
        Self.command("EVAL", text, key: key, arguments: arguments)
    }

    private static func command(_ verb: String, _ script: String, key: String, arguments: [[UInt8]]) -> [UInt8] {
        var bytes = RedisCommand.header("*", 4 + arguments.count)
        for word in [verb, script, "1", key] { bytes += RedisCommand.word(word) }
        for argument in arguments { bytes += RedisCommand.word(argument) }
        return bytes
    }

    /// Reads version and end of the record.
    ///
    /// Each has 16 digits, so that they compare as texts. An expired record counts as none. The argument is the present
    /// instant.
    private static let head = """
        local head = redis.call('GETRANGE', KEYS[1], 0, 31)
        if #head ~= 32 or string.sub(head, 17) <= ARGV[1] then head = '' end

        """

    /// Writes a record if the version that is there is the expected one: now, expected version or nothing, record,
    /// milliseconds to its end.
    static let replace = RecordScript(
        head + """
            if string.sub(head, 1, 16) ~= ARGV[2] then return redis.status_reply('STALE') end
            if ARGV[4] == '0' then redis.call('DEL', KEYS[1])
            else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
            return redis.status_reply('OK')
            """)

    /// Moves the end of a record to a later instant: now, end, milliseconds to the end.
    static let extend = RecordScript(
        head + """
            if head ~= '' and string.sub(head, 17) < ARGV[2] then
              redis.call('SETRANGE', KEYS[1], 16, ARGV[2])
              redis.call('PEXPIRE', KEYS[1], ARGV[3])
            end
            return redis.status_reply('OK')
            """)

    /// Removes a record, and says whether it was there: now.
    static let remove = RecordScript(
        head + """
            redis.call('DEL', KEYS[1])
            return head == '' and 0 or 1
            """)
}
#endif
