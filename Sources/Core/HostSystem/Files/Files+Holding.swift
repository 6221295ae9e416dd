import CLibrary

extension Files {
    /// Holds a file for this process until it ends, however it ends; `false` if another process holds it.
    ///
    /// The file is created, empty and for its owner only, if there is none; it stays when the process ends.
    package static func holdUntilExit(_ path: String) throws(FileFailure) -> Bool {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(errno: errno) }
        // The descriptor stays open: to close it would let the file go.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        let problem = errno
        _ = close(descriptor)
        guard problem == EWOULDBLOCK else { throw FileFailure(errno: problem) }
        return false
    }
}
