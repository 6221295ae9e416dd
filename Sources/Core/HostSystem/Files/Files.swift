import CLibrary

/// The reason why a file could not be read or written: in plain words, or in those of the system for what is rare.
package struct FileFailure: Error, Sendable, Hashable {
    package let reason: String
    /// Whether the file does not exist, as opposed to one that cannot be read.
    package let isMissing: Bool
    /// Whether the reason says nothing of what the file holds and may pass by itself.
    ///
    /// Such are a right that a roll-out forgot, a disk or a server that does not answer, a lack of memory or of descriptors.
    /// The others say that the path leads to nothing now, or to something else than a file.
    package let isPassing: Bool

    /// What the system says of a path that leads to nothing; of a text that cannot be a path, that it is not one.
    package static func missing(_ path: String) -> FileFailure { FileFailure(errno: ENOENT, at: path) }

    /// What the system said of a path; `nil` for what was open already.
    init(errno code: Int32, at path: String? = nil) {
        isMissing = code == ENOENT || code == ENOTDIR
        isPassing = ![ENOENT, ENOTDIR, ELOOP, EISDIR, ENXIO, ENODEV, ENAMETOOLONG].contains(code)
        let leadsToNothing = isMissing || code == ENAMETOOLONG
        reason =
            switch code {
            case _ where leadsToNothing && path.map(Files.canBeName) == false: Files.notName
            case ENOENT, ENOTDIR: "no such file or folder"
            case EISDIR: "is a folder, not a file"
            case ENXIO: "is a pipe that nothing reads, or a socket"
            // strerror_r differs between systems; strerror's buffer is per thread in glibc, musl and Darwin.
            default: unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
            }
    }

    /// A reason that lies in the file itself.
    package init(reason: String) {
        self.reason = reason
        (isMissing, isPassing) = (false, false)
    }
}

/// The kind of thing that a path leads to.
package enum FileKind: Sendable {
    case regular
    case folder
    /// A pipe or a device: `<(command)` of a shell gives one, and it reads like a file.
    case stream
}

/// A fingerprint of a file's state, taken without reading the file.
package struct FileStamp: Sendable, Hashable {
    package let path: String
    let size: Int64
    /// When the content changed, as its writer likes to have it: a copy may bring along the time of its original.
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
    /// When content, owner or rights changed by the clock of the system, which no writer can set.
    let changedSeconds: Int64
    let changedNanoseconds: Int64
    /// A mounted secret is replaced by turning a symbolic link, which may keep size and time.
    let inode: UInt64
}

/// Reads and lists files with the C library alone: the core does without Foundation.
package enum Files {
    /// Finds out what a path leads to; symbolic links are followed.
    package static func kind(of path: String) throws(FileFailure) -> FileKind {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno, at: path) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFREG: return .regular
        default: return .stream
        }
    }

    /// Tells whether a path leads to anything that this process may see.
    package static func exists(_ path: String) -> Bool {
        (try? kind(of: path)) != nil
    }

    /// Takes the stamp of a file, or one for each visible file of a folder.
    ///
    /// The numbers of a stamp are 0 if its file cannot be looked at, such as a dangling link. Throws if the path itself
    /// cannot be looked at.
    package static func stamps(at path: String) throws(FileFailure) -> [FileStamp] {
        let paths = try kind(of: path) == .folder ? visibleFiles(in: path) : [path]
        var stamps: [FileStamp] = []
        for path in paths {
            // A failure is not reported here: reading the file will say why.
            var status = stat()
            _ = unsafe stat(path, &status)
            #if canImport(Darwin)
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
            #else
            let (modified, changed) = (status.st_mtim, status.st_ctim)
            #endif
            stamps.append(
                FileStamp(
                    path: path, size: Int64(status.st_size), modifiedSeconds: Int64(modified.tv_sec),
                    modifiedNanoseconds: Int64(modified.tv_nsec), changedSeconds: Int64(changed.tv_sec),
                    changedNanoseconds: Int64(changed.tv_nsec), inode: UInt64(status.st_ino)))
        }
        return stamps
    }

    /// Lists the paths of the visible regular files of a folder, sorted by the bytes of their names.
    ///
    /// Each path starts with the folder's. Names that start with a dot are left out: mounted secrets keep their
    /// bookkeeping in such names.
    package static func visibleFiles(in folder: String) throws(FileFailure) -> [String] {
        guard let stream = unsafe opendir(folder) else { throw FileFailure(errno: errno, at: folder) }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { name in
                    unsafe String(cString: name)
                }
            }
            if name.utf8.first != UInt8(ascii: ".") { names.append(name) }
        }
        var files: [String] = []
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let path = folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
            // A file whose kind is unknown is listed too: reading it fails with an error that names it. A pipe is left
            // out, since reading it would wait for a writer.
            if (try? kind(of: path)) ?? .regular == .regular { files.append(path) }
        }
        return files
    }
}

extension Files {
    /// Says why a file may be changed by a user who does not decide what this process does; `nil` if it may not.
    ///
    /// The text says what to do, too.
    ///
    /// Every user may change a file whose mode says so. A file in a folder to which every user may write, such as
    /// `/tmp`, is another user's if neither root nor the user of this process owns it: its owner may have made it
    /// before this process looked for it. In other folders, their owner has put it there.
    ///
    /// Throws if the file cannot be looked at.
    package static func foreignHand(in path: String) throws(FileFailure) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno, at: path) }
        return foreignHand(in: path, status)
    }

    static func foreignHand(in path: String, _ status: stat) -> String? {
        // A device has the rights that the system gives it, and keeps nothing.
        guard [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT) else { return nil }
        if status.st_mode & S_IWOTH != 0 { return "every user may change it; take that right away (chmod o-w)" }
        if [0, geteuid()].contains(status.st_uid) || !isInSharedFolder(path) { return nil }
        return "belongs to another user (\(status.st_uid)), in a folder to which every user may write; use a folder of "
            + "this process's own user"
    }

    private static func isInSharedFolder(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        var status = stat()
        return unsafe stat(String(folder), &status) == 0 && status.st_mode & S_IWOTH != 0
    }

    /// Tells whether users other than the owner may read or change a file.
    package static func isOpenToOthers(_ path: String) throws(FileFailure) -> Bool {
        try mode(of: path) & 0o077 != 0
    }

    /// Tells whether users outside a file's group may read it, or any user but its owner may change it.
    ///
    /// Orchestrators mount secrets readable by a group of their own, so the group may read.
    package static func isOpenBeyondGroup(_ path: String) throws(FileFailure) -> Bool {
        try mode(of: path) & 0o027 != 0
    }

    private static func mode(of path: String) throws(FileFailure) -> mode_t {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno, at: path) }
        return status.st_mode
    }
}

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
