#if Redis
import CHiredis
import EntitlementValues
import TextCodecs

import CLibrary

/// One connection to a server; hiredis opens it and decodes the answers.
///
/// Each wait ends at its deadline, except the look-up of a host name, which the system does. After a failure the
/// connection cannot be used any more.
///
/// Deadlines are values of the uptime of the connection's time. The system's `poll` measures each wait, and the uptime
/// is read after it.
@safe
struct RedisConnection: ~Copyable {
    private let context: UnsafeMutablePointer<redisContext>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let time: TimeSource

    /// The maximum number of bytes without a complete answer: far more than a section of INFO or the answers of a
    /// batch.
    private static let maximumUnread = 65_536

    /// Opens a connection.
    ///
    /// - Throws: `RedisFailure`, which says why the server cannot be reached.
    static func open(
        to endpoint: RedisAddress.Endpoint,
        time: TimeSource,
        until deadline: Duration
    ) throws(RedisFailure) -> RedisConnection {
        let context =
            switch endpoint {
            case .tcp(let host, let port): unsafe redisConnectNonBlock(host, Int32(port))
            case .unixSocket(let path): unsafe redisConnectUnixNonBlock(path)
            }
        guard let context = unsafe context else {
            throw RedisFailure(reason: "cannot be reached: out of memory; free some")
        }
        let connection = unsafe RedisConnection(owning: context, time: time)
        guard unsafe context.pointee.err == 0 else {
            throw RedisFailure(
                reason:
                    "cannot be reached: \(unsafe words(of: context.pointee)); is it running, and is the address right?"
            )
        }
        let descriptor = unsafe context.pointee.fd
        // A program that this process starts must not hold the connection open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if case .tcp = endpoint { _ = unsafe redisEnableKeepAlive(context) }
        #if canImport(Darwin)
        var yes: Int32 = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        guard connection.wait(for: POLLOUT, until: deadline) else {
            throw RedisFailure(
                reason: "cannot be reached: no connection in time; is it running, and is the address right?")
        }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
            throw RedisFailure(
                reason: "cannot be reached: \(words(ofError: code)); is it running, and is the address right?")
        }
        return connection
    }

    private init(owning context: UnsafeMutablePointer<redisContext>, time: TimeSource) {
        unsafe self.context = context
        self.time = time
        // None of our commands is answered with a list, and hiredis would allocate memory for a list's announced
        // length.
        unsafe functions = .allocate(capacity: 1)
        unsafe functions.initialize(to: context.pointee.reader.pointee.fn.pointee)
        unsafe functions.pointee.createArray = { _, _ in nil }
        unsafe context.pointee.reader.pointee.fn = functions
    }

    /// Writes bytes.
    ///
    /// hiredis does not do it, since it would raise SIGPIPE if the server is gone, and leave copies of passwords in
    /// memory.
    func write(_ bytes: Span<UInt8>, until deadline: Duration) throws(RedisFailure) {
        #if canImport(Darwin)
        let flags = Int32(MSG_DONTWAIT)
        #else
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
        let descriptor = unsafe context.pointee.fd
        var position = 0
        while position < bytes.count {
            let rest = bytes.extracting(position...)
            let sent = unsafe rest.withUnsafeBufferPointer {
                unsafe send(descriptor, $0.baseAddress, $0.count, flags)
            }
            if sent > 0 {
                position += sent
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                guard wait(for: POLLOUT, until: deadline) else { throw .slow }
            } else if errno != EINTR {
                throw .closed
            }
        }
    }

    /// Reads the next answer.
    ///
    /// - Returns: The answer; `nil` if none has arrived by the deadline. It may still arrive.
    /// - Throws: `RedisFailure` if the server is gone, or sends what Redis never would.
    func reply(until deadline: Duration) throws(RedisFailure) -> RedisReply? {
        while true {
            if let reply = try nextRead() { return reply }
            let reader = unsafe context.pointee.reader.pointee
            guard unsafe reader.len - reader.pos <= Self.maximumUnread else { throw .nonsense }
            guard wait(for: POLLIN, until: deadline) else { return nil }
            guard unsafe redisBufferRead(context) == REDIS_OK else { throw .closed }
        }
    }

    /// Whether the server has sent nothing unasked: neither the end of the connection nor a stray answer.
    var isQuiet: Bool {
        unsafe context.pointee.reader.pointee.len == context.pointee.reader.pointee.pos
            && !wait(for: POLLIN, until: time.uptime)
    }

    deinit {
        unsafe redisFree(context)
        unsafe functions.deallocate()
    }

    /// Takes an answer out of the bytes that were read already.
    private func nextRead() throws(RedisFailure) -> RedisReply? {
        var raw: UnsafeMutableRawPointer?
        guard unsafe redisGetReplyFromReader(context, &raw) == REDIS_OK else { throw .nonsense }
        guard let raw = unsafe raw else { return nil }
        defer { unsafe freeReplyObject(raw) }
        let reply = unsafe raw.assumingMemoryBound(to: redisReply.self).pointee
        let text = unsafe UnsafeRawBufferPointer(start: reply.str, count: reply.str == nil ? 0 : reply.len)
        switch unsafe reply.type {
        case REDIS_REPLY_NIL: return .null
        case REDIS_REPLY_STATUS where unsafe text.elementsEqual("OK".utf8): return .okay
        case REDIS_REPLY_STRING: return unsafe .text(Array(text))
        case REDIS_REPLY_ERROR:
            let word = unsafe text.prefix(20).prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
            return unsafe .error(String(decoding: word, as: UTF8.self))
        default: return .unexpected
        }
    }

    /// Waits until the socket can be read or written, or has an error, which its next use will report.
    private func wait(for events: Int32, until deadline: Duration) -> Bool {
        var watched = unsafe pollfd(fd: context.pointee.fd, events: Int16(events), revents: 0)
        while true {
            let left = max(.zero, deadline - time.uptime).components
            // Rounded up: else the last part of a millisecond would become a loop of waits of 0 ms.
            let milliseconds =
                left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
            let ready = unsafe poll(&watched, 1, Int32(clamping: milliseconds))
            if ready > 0 { return true }
            if ready == 0, milliseconds == 0 || time.uptime >= deadline { return false }
            if ready < 0, errno != EINTR { return false }
        }
    }

    /// hiredis's message for a connection that could not be opened, such as `Connection refused`.
    private static func words(of context: redisContext) -> String {
        unsafe withUnsafeBytes(of: context.errstr) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self).printable
        }
    }

    private static func words(ofError code: Int32) -> String {
        // strerror's buffer is per thread in glibc, musl and Darwin.
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}

extension RedisConnection {
    /// Sends one command and waits for its answer.
    func ask(_ words: String..., until deadline: Duration) throws(RedisFailure) -> RedisReply {
        try RedisCommand.encode(words).withSpan { command throws(RedisFailure) in
            try ask(bytes: command, until: deadline)
        }
    }

    /// Sends one command, written already, and waits for its answer.
    func ask(bytes: Span<UInt8>, until deadline: Duration) throws(RedisFailure) -> RedisReply {
        try write(bytes, until: deadline)
        guard let reply = try reply(until: deadline) else { throw .slow }
        return reply
    }
}
#endif
