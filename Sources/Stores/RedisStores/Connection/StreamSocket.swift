#if Redis
import EntitlementValues

import CLibrary

/// A stream socket whose waits end at their deadlines, except the look-up of a host name, which the system does.
///
/// Deadlines are values of the uptime of the socket's time. The system's `poll` measures each wait, and the uptime is
/// read after it.
@safe
struct StreamSocket: ~Copyable {
    private let descriptor: Int32
    private let time: TimeSource
    /// The address of the other end, in the system's form.
    let peer: [UInt8]
    /// Where bytes arrive before they are lent.
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    private static let bufferSize = 16_384

    private init(to address: SocketAddress, time: TimeSource) throws(RedisFailure) {
        let family = address.family
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw .unreachable(Self.words(errno)) }
        self.descriptor = descriptor
        self.time = time
        peer = address.bytes
        unsafe buffer = .allocate(capacity: Self.bufferSize)
        unsafe buffer.initialize(repeating: 0)
        // A program that this process starts must not hold the connection open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
        set(SO_NOSIGPIPE, of: SOL_SOCKET)
        #endif
        guard family != AF_UNIX else { return }
        set(Int32(TCP_NODELAY), of: Int32(IPPROTO_TCP))
        // A server that vanished without a word is noticed by the next command, or by these probes. The system's own
        // come after two hours, when what is between has long forgotten the connection.
        set(SO_KEEPALIVE, of: SOL_SOCKET)
        #if canImport(Darwin)
        set(TCP_KEEPALIVE, of: Int32(IPPROTO_TCP), to: 15)
        #else
        set(Int32(TCP_KEEPIDLE), of: Int32(IPPROTO_TCP), to: 15)
        #endif
        set(Int32(TCP_KEEPINTVL), of: Int32(IPPROTO_TCP), to: 5)
        set(Int32(TCP_KEEPCNT), of: Int32(IPPROTO_TCP), to: 3)
    }

    deinit {
        _ = close(descriptor)
        unsafe buffer.deallocate()
    }

    /// Opens a connection to the first address of the endpoint that takes it.
    ///
    /// Each address gets an equal part of the time that is left until the deadline. Throws `.unreachable` or
    /// `.noConnectionInTime`.
    static func connected(
        to endpoint: RedisAddress.Endpoint,
        time: TimeSource,
        until deadline: Duration
    ) throws(RedisFailure) -> StreamSocket {
        let addresses = try addresses(of: endpoint)
        var failure = RedisFailure.noConnectionInTime
        for (index, address) in addresses.enumerated() {
            let now = time.uptime
            let part = now + (deadline - now) / (addresses.count - index)
            do throws(RedisFailure) {
                let socket = try StreamSocket(to: address, time: time)
                try socket.connect(to: address, until: part)
                return socket
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func connect(to address: SocketAddress, until deadline: Duration) throws(RedisFailure) {
        let code = unsafe address.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return EINVAL }
            let pointer = unsafe start.assumingMemoryBound(to: sockaddr.self)
            #if canImport(Glibc)
            let result = unsafe Glibc.connect(descriptor, pointer, socklen_t(bytes.count))
            #elseif canImport(Musl)
            let result = unsafe Musl.connect(descriptor, pointer, socklen_t(bytes.count))
            #else
            let result = unsafe Darwin.connect(descriptor, pointer, socklen_t(bytes.count))
            #endif
            return result == 0 ? 0 : errno
        }
        if code == 0 { return }
        // A Unix domain socket whose queue is full says EAGAIN, and would not say more to a `poll`.
        guard code == EINPROGRESS || code == EINTR else { throw .unreachable(Self.words(code)) }
        guard wait(for: POLLOUT, until: deadline) else { throw .noConnectionInTime }
        var result: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &result, &size) == 0, result == 0 else {
            throw .unreachable(Self.words(result))
        }
    }

    // MARK: Bytes

    /// Writes all bytes; a server that is gone raises no SIGPIPE.
    ///
    /// Throws `.slow` or `.closed`.
    func send(_ bytes: Span<UInt8>, until deadline: Duration) throws(RedisFailure) {
        #if canImport(Darwin)
        let flags = Int32(MSG_DONTWAIT)
        #else
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
        var position = 0
        while position < bytes.count {
            let rest = bytes.extracting(position...)
            let sent = unsafe rest.withUnsafeBufferPointer {
                #if canImport(Glibc)
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
                #elseif canImport(Musl)
                unsafe Musl.send(descriptor, $0.baseAddress, $0.count, flags)
                #else
                unsafe Darwin.send(descriptor, $0.baseAddress, $0.count, flags)
                #endif
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

    /// Reads what has arrived, at most 16 KiB; if nothing has, waits until the deadline, and `false` says that nothing
    /// came.
    ///
    /// A deadline that has passed means not to wait. Throws `.closed` at the end of the connection, or what `take`
    /// throws.
    func receive(
        until deadline: Duration,
        _ take: (Span<UInt8>) throws(RedisFailure) -> Void
    ) throws(RedisFailure) -> Bool {
        while true {
            guard wait(for: POLLIN, until: deadline) else { return false }
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                try take(unsafe UnsafeBufferPointer(rebasing: buffer[..<count]).span)
                return true
            }
            guard count < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR else { throw .closed }
        }
    }

    /// Whether bytes, or the end of the connection, have arrived.
    var isReadable: Bool { wait(for: POLLIN, until: time.uptime) }

    /// Waits until the socket can be read or written, or has an error, which its next use will report.
    private func wait(for events: Int32, until deadline: Duration) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
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

    private func set(_ option: Int32, of level: Int32, to value: Int32 = 1) {
        var value = value
        _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    fileprivate static func words(_ code: Int32) -> String {
        // strerror's buffer is per thread in glibc, musl and Darwin.
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}

// MARK: - Addresses

/// An address in the system's form.
private struct SocketAddress: Sendable {
    let family: Int32
    /// The bytes of a `sockaddr_in`, `sockaddr_in6` or `sockaddr_un`.
    let bytes: [UInt8]
}

extension StreamSocket {
    private static func addresses(of server: RedisAddress.Endpoint) throws(RedisFailure) -> [SocketAddress] {
        switch server {
        case .tcp(let host, let port): return try lookUp(host, port: port)
        case .unixSocket(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
                // The address was checked: there is room for the path and a NUL.
                unsafe room.copyBytes(from: path.utf8.prefix(room.count - 1))
            }
            return [SocketAddress(family: AF_UNIX, bytes: unsafe withUnsafeBytes(of: address) { unsafe Array($0) })]
        // Sentinels are asked first; what is connected to is one of them, or the primary.
        case .sentinels: throw .isSentinel
        }
    }

    /// Asks the system for the addresses of a host, in the order in which they are to be tried (RFC 6724).
    private static func lookUp(_ host: String, port: Int) throws(RedisFailure) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        #if canImport(Glibc)
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        unsafe hints.ai_flags = AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, "\(port)", &hints, &first)
        guard code == 0 else {
            throw .unreachable(unsafe gai_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)")
        }
        defer { unsafe freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = unsafe first
        while let info = unsafe next?.pointee {
            if let start = unsafe info.ai_addr {
                let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(info.ai_addrlen))
                unsafe addresses.append(SocketAddress(family: info.ai_family, bytes: Array(bytes)))
            }
            unsafe next = info.ai_next
        }
        return addresses
    }
}
#endif
