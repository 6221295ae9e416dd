import CLibrary

extension Files {
    /// How long readers wait for a pipe; `nil` if they take regular files only, and so never wait.
    ///
    /// A service that reads its files once more takes no others: a pipe has nothing to give a second time, and who makes one
    /// of a file must not delay what takes keys away.
    package static var pipeSilence: PipeSilence? { ofTask.get() }

    private static let ofTask = TaskLocal<PipeSilence?>(wrappedValue: .standard)

    /// Runs something that takes regular files only.
    package static func withoutPipes<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        try ofTask.withValue(nil, operation: body)
    }

    /// Runs something that takes regular files only.
    package static func withoutPipes<Answer>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Answer
    ) async rethrows -> Answer {
        try await ofTask.withValue(nil, operation: body, isolation: isolation)
    }

    /// Reads a whole file of at most `maximumSize` bytes into memory that is wiped when released.
    ///
    /// A pipe is read to its end. One that stays silent is given up: without a limit, a pipe that no process writes to,
    /// or a program that hangs, would stop the reader for good. `silence` says how long a pipe may give nothing; `nil`
    /// if only a regular file is read.
    package static func read(
        _ path: String,
        maximumSize: Int,
        silence: PipeSilence? = Files.pipeSilence
    ) throws(FileFailure) -> WipedBytes {
        try read(path, maximumSize: maximumSize, silence: silence, mayBeForeign: true)
    }

    /// Reads a file of at most `maximumSize` bytes that holds a secret, and refuses one that another user may have
    /// written.
    ///
    /// `foreignHand(in:)` says which files those are.
    package static func readSecret(_ path: String, maximumSize: Int) throws(FileFailure) -> WipedBytes {
        try read(path, maximumSize: maximumSize, silence: pipeSilence, mayBeForeign: false)
    }

    /// Reads an open descriptor to its end, however long that takes, and leaves it open.
    ///
    /// Throws also if more bytes come than `maximumSize`.
    package static func read(descriptor: Int32, maximumSize: Int) throws(FileFailure) -> WipedBytes {
        try content(of: descriptor, maximumSize: maximumSize, silence: nil)
    }

    private static func read(
        _ path: String,
        maximumSize: Int,
        silence: PipeSilence?,
        mayBeForeign: Bool
    ) throws(FileFailure) -> WipedBytes {
        // Opening a pipe would wait for its writer otherwise.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(errno: errno, at: path) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw FileFailure(errno: errno) }
        if !mayBeForeign, let hand = foreignHand(in: path, status) { throw FileFailure(reason: hand) }
        let kind = status.st_mode & S_IFMT
        // What is wrong with a folder, the read says.
        if silence == nil, kind != S_IFREG, kind != S_IFDIR {
            throw FileFailure(reason: "is a pipe or a device, which can be read at the start only; use a file")
        }
        let isPipe = kind == S_IFIFO
        // A terminal waits for a person, who takes as long as it takes.
        if !isPipe { _ = fcntl(descriptor, F_SETFL, 0) }
        return try content(of: descriptor, maximumSize: maximumSize, silence: isPipe ? silence : nil)
    }

    /// Reads in pieces: a buffer for the longest file would have to be wiped after the shortest one.
    private static func content(
        of descriptor: Int32,
        maximumSize: Int,
        silence: PipeSilence?
    ) throws(FileFailure) -> WipedBytes {
        var pieces: [WipedBytes] = []
        // One byte more than the maximum distinguishes "too large" from "just fits".
        var room = maximumSize + 1
        while room > 0 {
            let size = min(room, pieceSize)
            let piece = try WipedBytes(capacity: size) { output throws(FileFailure) in
                var failure: FileFailure?
                unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                    unsafe (initialized, failure) = fill(buffer, from: descriptor, silence: silence)
                }
                if let failure { throw failure }
            }
            pieces.append(piece)
            room -= piece.count
            if piece.count < size { break }
        }
        guard room > 0 else { throw FileFailure(reason: "larger than \(maximumSize) bytes") }
        return WipedBytes(joining: pieces)
    }

    private static let pieceSize = 1 << 14
}

/// Reads a file in pieces, however long it is; only one of them is in memory at a time.
package struct FilePieces: ~Copyable {
    private let descriptor: Int32
    private let silence: PipeSilence?
    /// The length of the file in bytes; `nil` if it is no regular file.
    package let length: Int?

    /// Opens a file; throws if that cannot be done.
    package init(of path: String) throws(FileFailure) {
        // Opening a pipe would wait for its writer otherwise.
        descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(errno: errno, at: path) }
        var status = stat()
        _ = unsafe fstat(descriptor, &status)
        let kind = status.st_mode & S_IFMT
        length = kind == S_IFREG ? Int(status.st_size) : nil
        silence = kind == S_IFIFO ? .standard : nil
        if silence == nil { _ = fcntl(descriptor, F_SETFL, 0) }
    }

    deinit { _ = close(descriptor) }

    /// The next bytes, at most so many; none at the end.
    package mutating func next(upTo count: Int) throws(FileFailure) -> [UInt8] {
        var failure: FileFailure?
        let bytes = [UInt8](capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                unsafe (initialized, failure) = fill(buffer, from: descriptor, silence: silence)
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

/// How long a reader waits for the next bytes of a pipe.
package struct PipeSilence: Sendable {
    /// As long as the pipe has no writer.
    let withoutWriter: Duration
    /// After that, while a writer holds it open.
    let withWriter: Duration

    /// Five seconds for a writer to come, and a minute for what it writes: `<(command)` may take a while.
    package static let standard = PipeSilence(withoutWriter: .seconds(5), withWriter: .seconds(60))

    package init(withoutWriter: Duration, withWriter: Duration) {
        (self.withoutWriter, self.withWriter) = (withoutWriter, withWriter)
    }
}

/// Reads until a buffer is full or the descriptor is at its end.
///
/// Returns how many bytes were read, and why the reader gives up, if it does. `silence` says how long a pipe may give
/// nothing, and the descriptor does not block then; `nil` if it may be waited for without a limit.
private func fill(
    _ buffer: UnsafeMutableBufferPointer<UInt8>,
    from descriptor: Int32,
    silence: PipeSilence?
) -> (count: Int, failure: FileFailure?) {
    var filled = 0
    while filled < buffer.count {
        // A pipe that has no writer yet looks to a reader as if it had come to its end.
        let isReady = silence.map { isReadable(descriptor, within: $0.withoutWriter) } ?? true
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[filled...])
        let count = unsafe read(descriptor, rest.baseAddress, rest.count)
        if count > 0 {
            filled += count
        } else if count == 0 {
            return (filled, isReady ? nil : FileFailure(reason: "is a pipe that nothing writes to"))
        } else if errno == EAGAIN, let silence {
            guard isReady || isReadable(descriptor, within: silence.withWriter) else {
                return (filled, FileFailure(reason: "is a pipe whose writer sends nothing"))
            }
        } else if errno != EINTR {
            return (filled, FileFailure(errno: errno))
        }
    }
    return (filled, nil)
}

/// Waits until a descriptor has bytes or has come to its end; `false` if that takes longer than the limit.
private func isReadable(_ descriptor: Int32, within limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    while true {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let rest = max(.zero, ContinuousClock.now.duration(to: end)) / .milliseconds(1)
        let answer = unsafe poll(&question, 1, Int32(rest.rounded(.up)))
        if answer > 0 { return true }
        guard answer < 0, errno == EINTR else { return false }
    }
}
