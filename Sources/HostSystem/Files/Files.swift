import CLibrary

/// Says why a file could not be read, in the system's words.
package struct FileFailure: Error, Sendable, Hashable {
    package let reason: String
    /// Whether there is no such file, as opposed to one that cannot be read.
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

/// What stands at a path.
package enum FileKind: Sendable {
    case regular
    case folder
    /// A pipe or a device: `<(command)` of a shell gives one, and it reads like a file.
    case stream
}

/// Tells one state of a file from another without reading it.
package struct FileStamp: Sendable, Hashable {
    package let path: String
    let size: Int64
    let changedSeconds: Int64
    let changedNanoseconds: Int64
    /// A mounted secret is replaced by turning a symbolic link, which may keep size and time.
    let inode: UInt64
}

/// Files are read here, beside libcrypto, because a core without Foundation has only the C library for it.
package enum Files {
    /// Tells what a path leads to, symbolic links followed.
    package static func kind(of path: String) throws(FileFailure) -> FileKind {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileFailure(errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFREG: return .regular
        default: return .stream
        }
    }

    /// Whether anything stands at a path.
    package static func exists(_ path: String) -> Bool {
        (try? kind(of: path)) != nil
    }

    /// The states of a file, or of the visible files of a folder.
    package static func stamps(at path: String) throws(FileFailure) -> [FileStamp] {
        let paths = try kind(of: path) == .folder ? visibleFiles(in: path) : [path]
        var stamps: [FileStamp] = []
        for path in paths {
            // Zeros where a file cannot be looked at, such as a dangling link: reading it will say why.
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
    package static func read(_ path: String, maximumSize: Int) throws(FileFailure) -> WipedBytes {
        guard let file = unsafe fopen(path, "rb") else { throw FileFailure(errno: errno) }
        defer { unsafe _ = fclose(file) }
        return try unsafe read(file, maximumSize)
    }

    /// Reads an open file descriptor to its end, and leaves it open.
    package static func read(descriptor: Int32, maximumSize: Int) throws(FileFailure) -> WipedBytes {
        let copy = dup(descriptor)
        guard copy >= 0 else { throw FileFailure(errno: errno) }
        guard let file = unsafe fdopen(copy, "rb") else {
            let failure = FileFailure(errno: errno)
            _ = close(copy)
            throw failure
        }
        defer { unsafe _ = fclose(file) }
        return try unsafe read(file, maximumSize)
    }

    private static func read(_ file: UnsafeMutablePointer<FILE>, _ maximumSize: Int) throws(FileFailure) -> WipedBytes {
        // Without a buffer of its own, stdio keeps no second copy of a private key.
        unsafe setvbuf(file, nil, _IONBF, 0)
        // In pieces: room for the longest file would have to be wiped after the shortest. One byte above the limit tells
        // "too large" from "just fits".
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

    /// Lists the visible regular files of a folder by name, sorted by their bytes.
    ///
    /// Names that start with a dot are left out too: mounted secrets keep their bookkeeping in such names.
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
            // What cannot be looked at is listed too: reading it fails, and names it. A pipe would be waited for.
            if (try? kind(of: path)) ?? .regular == .regular { files.append(path) }
        }
        return files
    }
}
