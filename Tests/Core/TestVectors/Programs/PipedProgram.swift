package import Foundation

/// A program whose streams a test writes and reads while it runs; no thread waits for them.
package final class PipedProgram {
    package let program: StartedProgram
    private let name: String
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
    package init(_ executable: URL, _ arguments: [String], readingFrom file: URL? = nil, hasReader: Bool = true)
        throws
    {
        let ownEnds = [input.fileHandleForWriting, output.fileHandleForReading, errors.fileHandleForReading]
        for end in ownEnds { _ = fcntl(end.fileDescriptor, F_SETFL, O_NONBLOCK) }
        if !hasReader { try output.fileHandleForReading.close() }
        name = executable.lastPathComponent
        program = try StartedProgram(
            executable, arguments, input: file.map { .file($0) } ?? .pipe(input), output: .pipe(output),
            errors: .pipe(errors))
    }

    /// Writes to standard input.
    package func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    /// Writes bytes to standard input.
    package func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        let descriptor = input.fileHandleForWriting.fileDescriptor
        try await eventually("a reader of \(rest.count) bytes") {
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
        try await eventually("a reader of standard input") {
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

    /// Waits for the end; the pipes stay open until then.
    ///
    /// - Returns: The exit code; for a signal that ended it, minus its number.
    /// - Throws: `WaitedInVain`.
    package func end() async throws -> Int32 { try await program.end() }

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
        try await polled("output of \(name)") { try available(pipe) }
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
