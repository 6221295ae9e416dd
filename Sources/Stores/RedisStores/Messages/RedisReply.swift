#if Redis
/// What a server answered to one command.
///
/// Source: the Redis serialization protocol (RESP2).
enum RedisReply: Sendable, Equatable {
    /// The status `OK`.
    case okay
    /// Another status, of at most 20 bytes.
    case status(String)
    /// No value, such as the answer to `SET … NX` if the key exists.
    case null
    /// A whole number.
    case number(Int64)
    /// A text.
    case text([UInt8])
    /// A list.
    case list([RedisReply])
    /// An error: its first word, such as `OOM`. The rest may repeat what was sent, so it is dropped.
    case error(String)

    /// The error of a server that has no place for another client, and no word of its own for it.
    static let noPlace = RedisReply.error("MAXCLIENTS")

    /// The kinds of replies that a command may get.
    struct Kinds: OptionSet, Sendable {
        let rawValue: UInt8

        static let okay = Kinds(rawValue: 1)
        static let status = Kinds(rawValue: 2)
        static let null = Kinds(rawValue: 4)
        static let number = Kinds(rawValue: 8)
        static let text = Kinds(rawValue: 16)
        static let list = Kinds(rawValue: 32)
    }

    /// The failure that the reply means: an error, or a reply of none of the kinds that the command may get; else
    /// `nil`.
    func failure(unless kinds: Kinds) -> RedisFailure? {
        if case .error(let code) = self { return .answered(code) }
        return kinds.contains(kind) ? nil : .nonsense
    }

    private var kind: Kinds {
        switch self {
        case .okay: .okay
        case .status: .status
        case .null: .null
        case .number: .number
        case .text: .text
        case .list: .list
        case .error: []
        }
    }
}

extension RedisFailure {
    /// Whether a new connection is needed after a reply that failed: later replies could not be matched to their
    /// commands, or another server, or signing in again, might help.
    var endsConnection: Bool {
        if case .answered(let code) = self { ["READONLY", "MASTERDOWN", "NOAUTH"].contains(code) } else { true }
    }
}
#endif
