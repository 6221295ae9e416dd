import CLibrary

extension Files {
    /// Makes a file that was not there before.
    ///
    /// - Parameters:
    ///   - path: Where; a file that exists is an error and stays as it is.
    ///   - bytes: What it holds.
    ///   - isPrivate: Whether its owner alone may read it, from the first moment on.
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

    /// Removes a file that this process made.
    package static func remove(_ path: String) {
        unsafe _ = unlink(path)
    }

    /// Tells whether others than the owner may read or change a file.
    package static func isOpenToOthers(_ path: String) throws(FileFailure) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno) }
        return status.st_mode & 0o077 != 0
    }

    fileprivate static func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Int32 {
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
}

/// A file that this process makes and writes to bit by bit, and its owner alone may read.
package final class PrivateFile: Sendable {
    package let path: String
    private let descriptor: Int32

    /// Makes the file.
    ///
    /// - Throws: `FileFailure`, also where the file exists: it stays as it is.
    package init(_ path: String) throws(FileFailure) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(errno: errno) }
    }

    /// Writes all bytes.
    package func write(_ bytes: [UInt8]) throws(FileFailure) {
        let problem = unsafe bytes.withUnsafeBufferPointer { buffer in unsafe Files.writeAll(buffer, to: descriptor) }
        guard problem == 0 else { throw FileFailure(errno: problem) }
    }

    /// Makes sure that what was written is on the disk, where errors of a full or remote one may show.
    package func finish() throws(FileFailure) {
        // A file system that cannot do it has nothing to say about the content.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw FileFailure(errno: errno) }
    }

    deinit {
        _ = close(descriptor)
    }
}
