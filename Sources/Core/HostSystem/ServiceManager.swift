import CLibrary

/// The service manager that started this process and waits for its word, such as systemd: the protocol of sd_notify(3).
///
/// A unit of `Type=notify` counts as started when the process says so, and `WatchdogSec=` replaces one that falls silent.
package struct ServiceManager: Sendable {
    /// What the process says.
    package enum Word: Sendable, Hashable {
        /// It serves, or its reload is over.
        case ready
        /// It reads its configuration again; `ready` follows.
        case reloading
        /// It ends.
        case stopping
        /// It is not stuck. Say it more often than every `watchdogLimit`.
        case alive

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(SystemClock.monotonicMicroseconds)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        }
    }

    /// The path of the socket that it reads; one that begins with `@` is a name outside of the file system.
    private let path: String
    /// After how long a silence it replaces the process; `nil` if it does not watch.
    package let watchdogLimit: Duration?

    /// Reads the variables with which the manager says what it wants; `nil` if no manager waits for a word.
    package init?(environment value: (String) -> String? = environmentValue) {
        guard let path = value("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        self.path = path
        let isMeant = value("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
        watchdogLimit =
            isMeant ? value("WATCHDOG_USEC").flatMap(Int64.init).flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    /// Says one word, and throws if the manager cannot be reached.
    ///
    /// A manager that does not read is waited for a second at most.
    package func tell(_ word: Word) throws(FileFailure) {
        #if canImport(Glibc)
        let kind = Int32(SOCK_DGRAM.rawValue)
        #else
        let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw FileFailure(errno: errno) }
        defer { _ = close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        unsafe _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))

        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        guard start + name.count < MemoryLayout<sockaddr_un>.size else { throw FileFailure(errno: ENAMETOOLONG) }
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            for (index, byte) in name.enumerated() { unsafe bytes[start + index] = byte }
            // A name outside of the file system begins with a zero.
            if name.first == UInt8(ascii: "@") { unsafe bytes[start] = 0 }
        }
        let text = Array(word.text.utf8)
        let length = socklen_t(start + name.count)
        let sent = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, text, text.count, Self.sendFlags, $0, length)
            }
        }
        guard sent == text.count else { throw FileFailure(errno: errno) }
    }

    #if canImport(Darwin)
    private static let sendFlags: Int32 = 0
    #else
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
}
