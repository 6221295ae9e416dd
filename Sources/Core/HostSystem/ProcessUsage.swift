import CLibrary

/// What this process uses of its host, for metrics.
package enum ProcessUsage {
    /// The processor time of all threads so far, in nanoseconds.
    package static var processorNanoseconds: Int64 {
        var time = timespec()
        // Every supported system has this clock, so the call cannot fail.
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The memory that is in use, in bytes; `nil` on a system that does not tell.
    package static var residentBytes: Int? {
        guard let text = try? Files.read("/proc/self/statm", maximumSize: 1024) else { return nil }
        let fields = text.withSpan { bytes in
            var copy: [UInt8] = []
            for index in bytes.indices { copy.append(bytes[index]) }
            return String(decoding: copy, as: UTF8.self).split(separator: " ")
        }
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// How many files and connections are open; `nil` on a system that does not tell.
    package static var openFiles: Int? {
        guard let stream = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe _ = closedir(stream) }
        var count = 0
        while let entry = unsafe readdir(stream) {
            // `.` and `..` are no files.
            if unsafe entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        // One of them lists the others.
        return count - 1
    }

    /// How many files and connections may be open; `nil` if any number.
    package static var maximumOpenFiles: Int? {
        guard let limit = openFileLimits?.rlim_cur, limit < rlim_t(Int.max) else { return nil }
        return Int(limit)
    }

    /// Lets as many files be open as the process may allow itself.
    ///
    /// Many systems begin with 1024, for the sake of programs that use `select`.
    package static func raiseMaximumOpenFiles() {
        guard var limits = openFileLimits, limits.rlim_cur < limits.rlim_max else { return }
        limits.rlim_cur = limits.rlim_max
        // If this fails, the limit stays as it is, and is reported as such.
        _ = unsafe setrlimit(numberOfFiles, &limits)
    }

    private static var openFileLimits: rlimit? {
        var limits = rlimit()
        return unsafe getrlimit(numberOfFiles, &limits) == 0 ? limits : nil
    }

    #if canImport(Glibc)
    private static let numberOfFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let numberOfFiles = RLIMIT_NOFILE
    #endif
}
