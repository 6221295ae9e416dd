#if Redis
import EntitlementValues
import TextCodecs

/// One connection to a server, encrypted or not.
///
/// Each wait ends at its deadline. After a failure the connection cannot be used any more.
struct RedisConnection: ~Copyable {
    private let socket: StreamSocket
    /// `nil` if the connection is not encrypted.
    private let encryption: EncryptedStream?
    private var reader: RedisReplyReader
    /// Whether the server has answered a command.
    private(set) var hasAnswered = false

    var isEncrypted: Bool { encryption != nil }
    /// The address of the server that was reached, in the system's form.
    var server: [UInt8] { socket.peer }

    /// Opens a connection, and encrypts it if that was asked for; an error says why the server cannot be reached.
    ///
    /// `encryption` has the authorities and the certificate; `nil` for a connection in clear. `maximumReply` is in
    /// bytes.
    init(
        to server: RedisAddress.Endpoint,
        encryption: EncryptionContext?,
        maximumReply: Int,
        time: TimeSource,
        until deadline: Duration
    ) throws(RedisFailure) {
        let socket = try StreamSocket.connected(to: server, time: time, until: deadline)
        let reader = try RedisReplyReader(maximumReply: maximumReply)
        var stream: EncryptedStream?
        if let encryption, case .tcp(let host, _) = server {
            stream = try EncryptedStream(to: host, in: encryption)
            try stream?.shakeHands(over: socket, until: deadline)
        }
        self.encryption = stream
        self.socket = socket
        self.reader = reader
    }

    /// Writes bytes.
    ///
    /// Throws `.slow`, `.closed` or `.encryption`.
    func write(_ bytes: Span<UInt8>, until deadline: Duration) throws(RedisFailure) {
        if let encryption {
            try encryption.write(bytes, to: socket, until: deadline)
        } else {
            try socket.send(bytes, until: deadline)
        }
    }

    /// Reads the next answer; `nil` if none has arrived by the deadline.
    ///
    /// It may still arrive. Throws if the server is gone, or sends what Redis never would.
    mutating func reply(until deadline: Duration) throws(RedisFailure) -> RedisReply? {
        while true {
            if let reply = try reader.next() {
                hasAnswered = true
                return reply
            }
            guard try receive(until: deadline) else { return nil }
        }
    }

    /// Passes what arrives to the reader.
    private mutating func receive(until deadline: Duration) throws(RedisFailure) -> Bool {
        if let encryption {
            try encryption.receive(from: socket, until: deadline) { bytes throws(RedisFailure) in
                try reader.feed(bytes)
            }
        } else {
            try socket.receive(until: deadline) { bytes throws(RedisFailure) in try reader.feed(bytes) }
        }
    }

    /// Whether the server has sent nothing unasked: neither the end of the connection nor a stray answer.
    var isQuiet: Bool {
        guard reader.isEmpty else { return false }
        return encryption?.isQuiet(over: socket) ?? !socket.isReadable
    }
}
#endif
