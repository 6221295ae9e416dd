package import Foundation

/// A program whose streams a test writes and reads while it runs; no thread waits for them.
package final class RunningProgram {
    package let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: The program.
    ///   - arguments: The arguments.
    ///   - file: Standard input, if it is not a pipe that the test writes to.
    ///   - hasReader: Whether standard output has a reader; if not, its reading end is closed before the program starts.
    /// - Throws: An error of the system.
    package init(_ executable: URL, _ arguments: [String], readingFrom file: FileHandle? = nil, hasReader: Bool = true)
        throws
    {
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = file ?? input
        process.standardOutput = output
        process.standardError = errors
        let ownEnds = [input.fileHandleForWriting, output.fileHandleForReading, errors.fileHandleForReading]
        for end in ownEnds { _ = fcntl(end.fileDescriptor, F_SETFL, O_NONBLOCK) }
        if !hasReader { try output.fileHandleForReading.close() }
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Writes to standard input.
    package func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    /// Writes bytes to standard input.
    package func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        let descriptor = input.fileHandleForWriting.fileDescriptor
        try await waitUntil("a reader of \(rest.count) bytes") {
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { bytes in
                    unsafe Foundation.write(descriptor, bytes.baseAddress, bytes.count)
                }
                guard count >= 0 else {
                    try Self.checkLastCall()
                    return false
                }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Waits until the program has read all that was written.
    package func waitUntilAllIsRead() async throws {
        #if canImport(Darwin)
        let unreadCount: UInt = 0x4004_667F
        #else
        let unreadCount = UInt(FIONREAD)
        #endif
        try await waitUntil("a reader of standard input") {
            var count: CInt = 0
            return unsafe ioctl(input.fileHandleForWriting.fileDescriptor, unreadCount, &count) == 0 && count == 0
        }
    }

    package func closeInput() throws { try input.fileHandleForWriting.close() }

    /// Stops reading standard output.
    package func closeOutput() throws { try output.fileHandleForReading.close() }

    /// What comes next on standard output, in whole lines; nothing at the end.
    package func lines() async throws -> String {
        var bytes: [UInt8] = []
        while bytes.last != 0x0A {
            let more = try await next(output)
            if more.isEmpty { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What comes next on standard output, at least one byte; nothing at the end.
    package func some() async throws -> [UInt8] { try await next(output) }

    /// The rest of standard output, to its end.
    package func rest() async throws -> String { try await rest(of: output) }

    /// The rest of standard error, to its end.
    package func report() async throws -> String { try await rest(of: errors) }

    /// What has been written to standard error since it was last asked for.
    package func reportSoFar() throws -> String {
        var bytes: [UInt8] = []
        while let more = try available(errors), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit code, or the signal.
    package func end() async throws -> Int32 { try await process.waitForEnd() }

    private func rest(of pipe: Pipe) async throws -> String {
        var bytes: [UInt8] = []
        while true {
            let more = try await next(pipe)
            guard !more.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
            bytes += more
        }
    }

    /// What comes next, at least one byte; nothing at the end.
    private func next(_ pipe: Pipe) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await waitUntil("output of \(process.executableURL?.lastPathComponent ?? "")") {
            guard let found = try available(pipe) else { return false }
            bytes = found
            return true
        }
        return bytes
    }

    /// What has been written; nothing at the end, and `nil` before it.
    private func available(_ pipe: Pipe) throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe read(pipe.fileHandleForReading.fileDescriptor, &bytes, bytes.count)
        guard count >= 0 else {
            try Self.checkLastCall()
            return nil
        }
        return Array(bytes.prefix(count))
    }

    /// Throws if the last call failed, and not only had nothing to do yet.
    private static func checkLastCall() throws {
        guard errno == EAGAIN || errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
