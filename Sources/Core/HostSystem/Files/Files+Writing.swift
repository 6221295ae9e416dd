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

    /// Puts some content in a file's place in one step, readable for its owner only.
    ///
    /// A reader of the file finds, also after a crash of this process, the old or the new content, and never a part.
    /// The file need not exist. `path` with `.new` after it is used on the way. On an error, the file has its old
    /// content.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileFailure) {
        let new = path + ".new"
        // What a process left that was killed in between.
        remove(new)
        let file = try PrivateFile(new)
        try file.write(bytes)
        try file.finish()
        guard unsafe rename(new, path) == 0 else { throw FileFailure(errno: errno) }
    }

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

/// A new file that only its owner may read, written piece by piece.
package final class PrivateFile: Sendable {
    package let path: String
    private let descriptor: Int32

    /// Creates the file; one that exists is opened to add bytes, if it may exist.
    ///
    /// Otherwise it stays as it is, and an error is thrown.
    package init(_ path: String, mayExist: Bool = false) throws(FileFailure) {
        self.path = path
        descriptor = unsafe open(
            path, O_WRONLY | O_CREAT | O_CLOEXEC | (mayExist ? O_APPEND : O_EXCL), 0o600)
        guard descriptor >= 0 else { throw FileFailure(errno: errno) }
    }

    /// Stands for standard error; throws if that is closed.
    ///
    /// Opened once more by its name, a file would be written from its beginning.
    package static func standardError() throws(FileFailure) -> PrivateFile {
        try PrivateFile(path: "/dev/stderr", descriptor: fcntl(2, F_DUPFD_CLOEXEC, 3))
    }

    private init(path: String, descriptor: Int32) throws(FileFailure) {
        (self.path, self.descriptor) = (path, descriptor)
        guard descriptor >= 0 else { throw FileFailure(errno: errno) }
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
