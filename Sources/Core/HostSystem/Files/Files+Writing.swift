import CLibrary

extension Files {
    /// Creates a file with some content; an existing file is an error and stays as it is.
    ///
    /// A file that could not be written whole is removed again. A private file may be read by its owner only, from the
    /// first moment on.
    package static func create(_ path: String, holding bytes: WipedBytes, isPrivate: Bool) throws(FileFailure) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw FileFailure(errno: errno, at: path) }
        let failure = bytes.withSpan { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in unsafe writeAll(buffer, to: descriptor) }
        }
        // Errors of a full or remote disk may show only here.
        let problem = close(descriptor) == 0 ? failure : (failure == 0 ? errno : failure)
        guard problem == 0 else {
            // Half a key is of no use, and in the way of the next attempt.
            unsafe _ = unlink(path)
            throw FileFailure(errno: problem)
        }
    }

    /// Adds bytes to the end of a file, and creates it, readable for its owner only, if there is none.
    ///
    /// If not all bytes can be written, the file is cut to what it was, so that no part of them is left. This holds if
    /// only one process writes the file at a time. Throws also if another user can change the file, as
    /// `foreignHand(in:)` says.
    package static func append(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        // Opening a pipe that nothing reads would wait for a reader otherwise.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(errno: errno) }
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
        var status = stat()
        let isSizeKnown = unsafe fstat(descriptor, &status) == 0
        if isSizeKnown, let hand = foreignHand(in: path, status) {
            _ = close(descriptor)
            throw FileFailure(reason: hand)
        }
        let problem = unsafe bytes.withUnsafeBufferPointer { buffer in unsafe writeAll(buffer, to: descriptor) }
        // A pipe or a device cannot be cut, which makes no difference to what is reported.
        if problem != 0, isSizeKnown { _ = ftruncate(descriptor, status.st_size) }
        // Errors of a full or remote disk may show only here.
        let closing = close(descriptor) == 0 ? 0 : errno
        guard problem == 0, closing == 0 else { throw FileFailure(errno: problem != 0 ? problem : closing) }
    }

    /// Puts some content in a file's place in one step.
    ///
    /// A reader of the file finds, also after a crash of this process, the old or the new content, and never a part.
    /// The file need not exist. `path` with `.new` after it is used on the way. On an error, the file has its old
    /// content. A private file may be read by its owner only; another one keeps the mode that it has. A symbolic link
    /// to a file is replaced, and the file stays as it is.
    ///
    /// A device, a pipe or a stream that is open is not replaced: the content is written to it.
    package static func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool) throws(FileFailure) {
        if let stream = try OutputFile.stream(path) { return try stream.write(bytes) }
        var status = stat()
        let exists = unsafe stat(path, &status) == 0
        guard !exists || status.st_mode & S_IFMT != S_IFDIR else { throw FileFailure(errno: EISDIR) }
        let new = intermediate(path)
        // What a process left that was killed in between.
        remove(new)
        // Never open wider than what it replaces.
        let file = try OutputFile(new, isPrivate: isPrivate || exists)
        do throws(FileFailure) {
            try file.write(bytes)
            if exists, !isPrivate { try file.setMode(status.st_mode & 0o777) }
            try file.finish()
            guard unsafe rename(new, path) == 0 else { throw FileFailure(errno: errno) }
        } catch {
            remove(new)
            throw error
        }
    }

    /// Throws what ``replace(_:with:isPrivate:)`` would throw for a file that cannot be replaced; it stays as it is.
    ///
    /// A device, a pipe or a stream is not tried: to open one may be noticed.
    package static func checkReplacing(_ path: String) throws(FileFailure) {
        guard OutputFile.openStream(path) == nil else { return }
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            let kind = status.st_mode & S_IFMT
            guard kind != S_IFDIR else { throw FileFailure(reason: "is a folder, not a file") }
            guard kind == S_IFREG else { return }
        }
        let new = intermediate(path)
        remove(new)
        _ = try OutputFile(new)
        remove(new)
    }

    /// Tells whether to replace a file would lose what another path, or standard input, leads to.
    ///
    /// `other` is `nil` for standard input. What a device has given cannot be lost.
    package static func replacing(_ path: String, loses other: String?) -> Bool {
        [path, intermediate(path)].contains { leads($0, to: other) }
    }

    /// Tells whether a path leads to the same file, folder or pipe as another one, or standard input, which is `nil`.
    package static func leads(_ path: String, to other: String?) -> Bool {
        var (own, theirs) = (stat(), stat())
        let isThere =
            if let other { unsafe stat(other, &theirs) == 0 } else { unsafe fstat(STDIN_FILENO, &theirs) == 0 }
        // A terminal, and the socket of a remote shell, are input and output at once.
        let kinds = [S_IFREG, S_IFIFO, S_IFDIR]
        guard isThere, kinds.contains(theirs.st_mode & S_IFMT), unsafe stat(path, &own) == 0 else { return false }
        return own.st_dev == theirs.st_dev && own.st_ino == theirs.st_ino
    }

    private static func intermediate(_ path: String) -> String { path + ".new" }

    /// Makes a folder that only its owner may use, and the folders above it as far as they are missing.
    ///
    /// A folder that exists stays as it is.
    package static func makePrivateFolder(_ path: String) throws(FileFailure) {
        guard !path.isEmpty, !exists(path) else { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makePrivateFolder(String(path[..<slash]))
        }
        // Another process may have made it in the meantime.
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileFailure(errno: errno) }
    }

    /// Removes a file that this process created; does nothing if it is gone.
    package static func remove(_ path: String) {
        unsafe _ = unlink(path)
    }
}

/// A file, a device or a pipe that is written piece by piece.
package final class OutputFile: Sendable {
    package let path: String
    private let descriptor: Int32

    /// Creates the file; one that exists is opened to add bytes, if it may exist.
    ///
    /// Otherwise it stays as it is, and an error is thrown. Only its owner may read a private file.
    package init(_ path: String, mayExist: Bool = false, isPrivate: Bool = true) throws(FileFailure) {
        self.path = path
        descriptor = unsafe open(
            path, O_WRONLY | O_CREAT | O_CLOEXEC | (mayExist ? O_APPEND : O_EXCL), isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw FileFailure(errno: errno) }
    }

    /// Opens what is written to and never replaced: a device, a pipe, or a stream that this process has open; `nil` if
    /// the path leads to a file, a folder or nothing.
    ///
    /// A pipe that nothing reads is given up after a while, as one that nothing writes to is when it is read. Throws also
    /// for a socket that is a file: only a stream can be one.
    package static func stream(_ path: String) throws(FileFailure) -> OutputFile? {
        // Opened once more by its name, a file would be written from its beginning.
        if let number = openStream(path) {
            return try OutputFile(path: path, descriptor: fcntl(number, F_DUPFD_CLOEXEC, 3))
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return nil }
        let isPipe = status.st_mode & S_IFMT == S_IFIFO
        let end = ContinuousClock.now + PipeSilence.standard.withoutWriter
        while true {
            // Opening a pipe would wait for its reader otherwise, however long that takes.
            let descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFL, 0)
                return try OutputFile(path: path, descriptor: descriptor)
            }
            let problem = errno
            guard isPipe, problem == ENXIO, ContinuousClock.now < end else { throw FileFailure(errno: problem) }
            // Nothing tells a writer when a reader comes.
            _ = usleep(10_000)
        }
    }

    /// The number of the open stream that a path names.
    fileprivate static func openStream(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdin": return STDIN_FILENO
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            let folder = ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix)
            return folder.flatMap { Int32(path.dropFirst($0.count)) }
        }
    }

    private init(path: String, descriptor: Int32) throws(FileFailure) {
        (self.path, self.descriptor) = (path, descriptor)
        guard descriptor >= 0 else { throw FileFailure(errno: errno) }
    }

    func setMode(_ mode: mode_t) throws(FileFailure) {
        guard fchmod(descriptor, mode) == 0 else { throw FileFailure(errno: errno) }
    }

    /// Appends bytes to the file.
    package func write(_ bytes: [UInt8]) throws(FileFailure) {
        let problem = unsafe bytes.withUnsafeBufferPointer { buffer in unsafe writeAll(buffer, to: descriptor) }
        guard problem == 0 else { throw FileFailure(errno: problem) }
    }

    /// Waits until the content is on the disk: errors of a full or remote disk may show only then.
    package func finish() throws(FileFailure) {
        // Some file systems cannot sync, which says nothing about the content.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw FileFailure(errno: errno) }
    }

    deinit {
        _ = close(descriptor)
    }
}

/// Writes all bytes to an open descriptor, which stays open, however many calls that takes.
///
/// Returns 0, or the `errno` of the call that failed.
func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
        let rest = unsafe UnsafeBufferPointer(rebasing: bytes[written...])
        let count = unsafe write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return errno }
        written += count
    }
    return 0
}
