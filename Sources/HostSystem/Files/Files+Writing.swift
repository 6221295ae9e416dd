import CLibrary

extension Files {
    /// Creates a file with some content; an existing file is an error and stays as it is.
    ///
    /// A file that could not be written whole is removed again.
    ///
    /// - Parameters:
    ///   - path: Where the file is created.
    ///   - bytes: The content.
    ///   - isPrivate: Whether only its owner may read it, from the first moment on.
    /// - Throws: `FileFailure`.
    package static func create(_ path: String, holding bytes: WipedBytes, isPrivate: Bool) throws(FileFailure) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw FileFailure(errno: errno) }
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

    /// Makes a folder that only its owner may use, and the folders above it as far as they are missing.
    ///
    /// - Parameter path: The folder; one that exists stays as it is.
    /// - Throws: `FileFailure`.
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

    /// Tells whether users other than the owner may read or change a file.
    package static func isOpenToOthers(_ path: String) throws(FileFailure) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno) }
        return status.st_mode & 0o077 != 0
    }

    /// Tells whether users outside a file's group may read it, or any user but its owner may change it.
    ///
    /// Orchestrators mount secrets readable by a group of their own, so the group may read.
    package static func isOpenBeyondGroup(_ path: String) throws(FileFailure) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno) }
        return status.st_mode & 0o027 != 0
    }
}

/// A new file that only its owner may read, written piece by piece.
package final class PrivateFile: Sendable {
    package let path: String
    private let descriptor: Int32

    /// Creates the file.
    ///
    /// - Throws: `FileFailure`, also if the file exists: it stays as it is.
    package init(_ path: String) throws(FileFailure) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
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

/// Writes all bytes to a descriptor, however many calls that takes.
///
/// - Parameters:
///   - bytes: What is written.
///   - descriptor: An open descriptor; it stays open.
/// - Returns: 0, or the `errno` of the call that failed.
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
