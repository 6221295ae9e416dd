import CLibrary

/// The process's standard input, output and error as bytes.
///
/// Beside the files, for the same reason: reading into memory needs the C library.
package enum StandardStreams {
    /// Whether a person looks at standard input.
    package static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }
    /// Whether a person looks at standard error.
    package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// What a look at standard input gave.
    package enum InputState: Sendable {
        /// Reading returns at once: something has come, or the end.
        case ready
        case notYet
        /// A signal asked this process to stop; see ``StopSignals``.
        case stopped
    }

    /// Looks whether there is something to read, and waits for it where that is wanted.
    package static func awaitInput(mayWait: Bool) -> InputState {
        var descriptors = [
            pollfd(fd: StopSignals.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = unsafe poll(&descriptors, nfds_t(descriptors.count), mayWait ? -1 : 0)
            if StopSignals.received != nil { return .stopped }
            if count < 0, errno == EINTR { continue }
            // Where looking fails, reading says why.
            return count == 0 ? .notYet : .ready
        }
    }

    /// How many processors this process may keep busy.
    package static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Length of standard input in bytes, where it is a regular file.
    package static var inputSize: Int? {
        var status = stat()
        guard unsafe fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Waits for input and returns what has come, at most `count` bytes; empty at the end.
    package static func read(upTo count: Int) throws(FileFailure) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                while true {
                    let received = unsafe Self.read(buffer)
                    if received < 0, errno == EINTR { continue }
                    failure = received < 0 ? errno : 0
                    initialized = max(0, received)
                    return
                }
            }
        }
        guard failure == 0 else { throw FileFailure(errno: failure) }
        return bytes
    }

    private static func read(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        unsafe CLibrary.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
    }

    /// Writes all bytes to standard output.
    ///
    /// - Returns: `false` where nobody reads any more, which is no failure.
    package static func write(_ bytes: [UInt8]) throws(FileFailure) -> Bool {
        try write(bytes, to: STDOUT_FILENO)
    }

    /// Writes a line to standard error.
    ///
    /// A failure has nowhere to be told.
    package static func report(_ line: String) {
        _ = try? write(Array("\(line)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes without a line end to standard error, for progress on a terminal.
    package static func reportProgress(_ text: String) {
        _ = try? write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Makes a broken pipe an answer of `write` instead of a signal that ends the process.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileFailure) -> Bool {
        var failure: Int32 = 0
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var written = 0
            while written < buffer.count {
                let count = unsafe writeBytes(descriptor, UnsafeBufferPointer(rebasing: buffer[written...]))
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    failure = errno
                    return
                }
                written += count
            }
        }
        if failure == EPIPE { return false }
        guard failure == 0 else { throw FileFailure(errno: failure) }
        return true
    }

    private static func writeBytes(_ descriptor: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        unsafe CLibrary.write(descriptor, bytes.baseAddress, bytes.count)
    }
}

/// Ends the process with an exit code, after what the C libraries do at the end.
package func endProcess(_ exitCode: Int32) -> Never {
    exit(exitCode)
}
