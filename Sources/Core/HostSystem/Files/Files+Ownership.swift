import CLibrary

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
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno) }
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
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno) }
        return status.st_mode
    }
}
