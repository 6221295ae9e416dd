import TextCodecs
package import HostSystem

/// Holds the password of a key file or of a server, and overwrites it when released.
///
/// One password opens whatever needs one; files that are not encrypted ignore it, so that a folder with both kinds is
/// read in one go. Passwords are UTF-8; one with a NUL in it opens nothing. Nothing prints a password.
public struct KeyPassword: Sendable {
    package let bytes: WipedBytes

    /// Copies bytes, which are the caller's to overwrite.
    public init(_ bytes: Span<UInt8>) {
        self.bytes = WipedBytes(bytes)
    }

    /// Copies a text.
    ///
    /// A `String` cannot be overwritten: its copy stays in memory for as long as Swift likes. A file or a descriptor
    /// leaves none.
    public init(_ text: String) {
        bytes = text.withBytes { WipedBytes($0) }
    }

    /// Reads a file, and drops one line end at its end.
    ///
    /// - Parameter path: A file of at most 4096 bytes.
    /// - Throws: `KeyError`, which names the file.
    public init(contentsOfFile path: String) throws(KeyError) {
        let content: WipedBytes
        do throws(FileFailure) {
            content = try Files.read(path, maximumSize: Self.maximumSize)
        } catch {
            throw error.isMissing
                ? .noSuchFile(file: path) : .unreadable(file: path, reason: "the password file: \(error.reason)")
        }
        bytes = content.droppingLineEnd()
    }

    /// Reads an open file descriptor to its end, and drops one line end at the end.
    ///
    /// The descriptor stays open.
    ///
    /// - Throws: `KeyError`, which names the descriptor.
    public init(fileDescriptor descriptor: Int32) throws(KeyError) {
        let content: WipedBytes
        do throws(FileFailure) {
            content = try Files.read(descriptor: descriptor, maximumSize: Self.maximumSize)
        } catch {
            throw .unreadable(file: "descriptor \(descriptor)", reason: "the password: \(error.reason)")
        }
        bytes = content.droppingLineEnd()
    }

    /// Reads the file that an environment variable names.
    ///
    /// The variable holds a path and not the password: environments are shown by process lists and crash reports.
    ///
    /// - Throws: `KeyError`, which names the variable where it is not set, and else the file.
    public init(fileNamedByEnvironment variable: String) throws(KeyError) {
        guard let path = environmentValue(variable) else {
            throw .unreadable(
                file: "$\(variable)", reason: "is not set; it should hold the path of a file with the password")
        }
        guard Files.exists(path) else {
            // Whoever puts the password itself into the variable must not find it in a log.
            throw .unreadable(
                file: "$\(variable)", reason: "names no file (the name is not shown, in case it is the password itself)"
            )
        }
        try self.init(contentsOfFile: path)
    }

    /// Asks the person at the controlling terminal, without showing what is typed.
    ///
    /// - Parameter prompt: What is asked for, such as `Password of issuer.p12: `.
    /// - Returns: `nil` where the person gave up with ^C or ^D.
    /// - Throws: `KeyError` where there is no terminal.
    package static func prompted(_ prompt: String) throws(KeyError) -> KeyPassword? {
        do throws(FileFailure) {
            return try Terminal.secretLine(prompt: prompt, maximumSize: maximumSize).map(KeyPassword.init(bytes:))
        } catch {
            throw .unreadable(file: "terminal", reason: "the password: \(error.reason)")
        }
    }

    /// Whether something may be encrypted under it.
    package var isUsable: Bool {
        bytes.count > 0 && bytes.withSpan { bytes in !bytes.indices.contains { bytes[$0] == 0 } }
    }

    /// Compares two answers at a prompt, to find a slip while typing.
    package func isSame(as other: KeyPassword) -> Bool {
        bytes.withSpan { one in
            other.bytes.withSpan { two in
                one.count == two.count && one.indices.allSatisfy { one[$0] == two[$0] }
            }
        }
    }

    private init(bytes: WipedBytes) {
        self.bytes = bytes
    }

    private static let maximumSize = 4096
}

extension KeyPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The word `password`, and nothing of it, not even its length.
    public var description: String { "password" }
    /// The word `password`, and nothing of it, not even its length.
    public var debugDescription: String { description }
    /// Empty: nothing of the password is shown to debuggers and dumps.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension WipedBytes {
    fileprivate func droppingLineEnd() -> WipedBytes {
        withSpan { bytes in
            var end = bytes.count
            if end > 0, bytes[end - 1] == UInt8(ascii: "\n") {
                end -= 1
                if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            }
            return WipedBytes(bytes.extracting(0..<end))
        }
    }
}
