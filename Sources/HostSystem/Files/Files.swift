import CLibrary

/// The reason why a file could not be read or written, in the system's words.
package struct FileFailure: Error, Sendable, Hashable {
    package let reason: String
    /// Whether there is no such file, as opposed to a file that cannot be read.
    package let isMissing: Bool

    init(errno code: Int32) {
        // strerror_r differs between systems; strerror's buffer is per thread in glibc, musl and Darwin.
        reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        isMissing = code == ENOENT || code == ENOTDIR
    }

    init(reason: String) {
        self.reason = reason
        isMissing = false
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
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno) }
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

    /// Takes the stamps of a file, or of the visible files of a folder.
    ///
    /// - Parameter path: A file or a folder.
    /// - Returns: One stamp for each file; its numbers are 0 if the file cannot be looked at, such as a dangling link.
    /// - Throws: `FileFailure` if the path itself cannot be looked at.
    package static func stamps(at path: String) throws(FileFailure) -> [FileStamp] {
        let paths = try kind(of: path) == .folder ? visibleFiles(in: path) : [path]
        var stamps: [FileStamp] = []
        for path in paths {
            // A failure is not reported here: reading the file will say why.
            var status = stat()
            _ = unsafe stat(path, &status)
            #if canImport(Darwin)
            let changed = status.st_mtimespec
            #else
            let changed = status.st_mtim
            #endif
            stamps.append(
                FileStamp(
                    path: path, size: Int64(status.st_size), changedSeconds: Int64(changed.tv_sec),
                    changedNanoseconds: Int64(changed.tv_nsec), inode: UInt64(status.st_ino)))
        }
        return stamps
    }

    /// Reads a whole file into memory that is wiped when released.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - maximumSize: How many bytes the file may have.
    /// - Returns: All of its bytes.
    /// - Throws: `FileFailure`, also if the file is larger.
    package static func read(_ path: String, maximumSize: Int) throws(FileFailure) -> WipedBytes {
        guard let file = unsafe fopen(path, "rb") else { throw FileFailure(errno: errno) }
        defer { unsafe _ = fclose(file) }
        return try unsafe read(file, maximumSize: maximumSize)
    }

    /// Reads an open descriptor to its end, and leaves it open.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor.
    ///   - maximumSize: How many bytes may come.
    /// - Returns: All bytes up to the end.
    /// - Throws: `FileFailure`, also if more bytes come.
    package static func read(descriptor: Int32, maximumSize: Int) throws(FileFailure) -> WipedBytes {
        let copy = dup(descriptor)
        guard copy >= 0 else { throw FileFailure(errno: errno) }
        guard let file = unsafe fdopen(copy, "rb") else {
            let failure = FileFailure(errno: errno)
            _ = close(copy)
            throw failure
        }
        defer { unsafe _ = fclose(file) }
        return try unsafe read(file, maximumSize: maximumSize)
    }

    private static func read(
        _ file: UnsafeMutablePointer<FILE>,
        maximumSize: Int
    ) throws(FileFailure) -> WipedBytes {
        // Without a buffer of its own, stdio keeps no second copy of a private key.
        unsafe setvbuf(file, nil, _IONBF, 0)
        // In pieces: a buffer for the longest file would have to be wiped after the shortest one. One byte more than
        // the maximum distinguishes "too large" from "just fits".
        var pieces: [WipedBytes] = []
        var room = maximumSize + 1
        while room > 0 {
            let size = min(room, pieceSize)
            let piece = try WipedBytes(capacity: size) { output throws(FileFailure) in
                var failure: Int32 = 0
                unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                    initialized = unsafe fread(buffer.baseAddress, 1, buffer.count, file)
                    failure = unsafe ferror(file) == 0 ? 0 : errno
                }
                guard failure == 0 else { throw FileFailure(errno: failure) }
            }
            pieces.append(piece)
            room -= piece.count
            if piece.count < size { break }
        }
        guard room > 0 else { throw FileFailure(reason: "larger than \(maximumSize) bytes") }
        return WipedBytes(joining: pieces)
    }

    private static let pieceSize = 1 << 14

    /// Lists the visible regular files of a folder, sorted by the bytes of their names.
    ///
    /// Names that start with a dot are left out: mounted secrets keep their bookkeeping in such names.
    ///
    /// - Parameter folder: The folder.
    /// - Returns: The paths of the files, each of which starts with the folder's path.
    /// - Throws: `FileFailure` if the folder cannot be read.
    package static func visibleFiles(in folder: String) throws(FileFailure) -> [String] {
        guard let stream = unsafe opendir(folder) else { throw FileFailure(errno: errno) }
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
