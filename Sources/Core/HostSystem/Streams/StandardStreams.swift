import CLibrary

/// The process's standard input, output and error as bytes.
package enum StandardStreams {
    /// Whether standard input is a terminal.
    package static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }
    /// Whether standard output is a terminal.
    package static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether standard error is a terminal.
    package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard input can be read without waiting.
    package enum InputState: Sendable {
        /// Reading returns at once, with bytes or with the end.
        case ready
        /// Nothing has come yet.
        case notYet
        /// A signal asked this process to stop; see ``StopSignals``.
        case stopped
    }

    /// Checks whether there is something to read; if it may wait, it waits for input, its end, or a signal to stop.
    ///
    /// The state is never `notYet` if the call may wait.
    package static func awaitInput(mayWait: Bool) -> InputState {
        var descriptors = [
            pollfd(fd: StopSignals.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = unsafe poll(&descriptors, nfds_t(descriptors.count), mayWait ? -1 : 0)
            if StopSignals.received != nil { return .stopped }
            if count < 0, errno == EINTR { continue }
            // If poll fails for another reason, reading says why.
            return count == 0 ? .notYet : .ready
        }
    }

    /// Length of standard input in bytes; `nil` if it is not a regular file.
    package static var inputSize: Int? {
        var status = stat()
        guard unsafe fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Waits for input and reads what has come: at least one byte, and none at the end of the input.
    package static func read(upTo count: Int) throws(FileFailure) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                while true {
                    let received = unsafe CLibrary.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
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

    /// Writes all bytes to standard output; `false` if the reader has closed its end, which is not an error.
    package static func write(_ bytes: [UInt8]) throws(FileFailure) -> Bool {
        try write(bytes, to: STDOUT_FILENO)
    }

    /// Writes a secret to standard output from where it is, so that no copy of it stays in memory.
    ///
    /// `false` if the reader has closed its end, which is not an error.
    package static func write(_ secret: WipedBytes) throws(FileFailure) -> Bool {
        let failure = secret.withSpan { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in unsafe writeAll(buffer, to: STDOUT_FILENO) }
        }
        return try hasReader(after: failure)
    }

    /// Writes a line to standard error; a failure to do so is ignored.
    package static func report(_ line: String) {
        _ = try? write(Array("\(line)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes without a line end to standard error, for progress on a terminal.
    package static func reportProgress(_ text: String) {
        _ = try? write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Makes `write` return `false` for a broken pipe; without this call, a signal ends the process.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Opens `/dev/null` in place of each standard stream that is closed, so that no file gets its descriptor.
    ///
    /// Otherwise the next file that is opened takes the place of standard output, and results are written into it. Reading
    /// and writing still fail: `/dev/null` is opened for the other direction.
    package static func reserveClosed() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The system gives the lowest free number, and all smaller ones are taken.
            let opened = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
            // A changed root may lack devices. A folder can be neither read nor written like a file.
            if opened < 0 { _ = unsafe open("/", O_RDONLY) }
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileFailure) -> Bool {
        try hasReader(
            after: unsafe bytes.withUnsafeBufferPointer { buffer in unsafe writeAll(buffer, to: descriptor) })
    }

    private static func hasReader(after failure: Int32) throws(FileFailure) -> Bool {
        if failure == EPIPE { return false }
        guard failure == 0 else { throw FileFailure(errno: failure) }
        return true
    }
}
