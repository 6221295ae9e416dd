import EntitlementValues
package import HostSystem
import TextCodecs

/// Holds the password of a key file or of a server, and overwrites it when released.
///
/// Files that are not encrypted ignore the password, so a folder with both kinds can be read at once. Passwords are UTF-8;
/// one with a NUL in it opens nothing. No description, dump or error shows a password.
public struct KeyPassword: Sendable {
    package let bytes: WipedBytes

    /// Copies bytes; the caller overwrites the source.
    public init(_ bytes: Span<UInt8>) {
        self.bytes = WipedBytes(bytes)
    }

    /// Copies an array; the caller overwrites it.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes.withSpan { WipedBytes($0) }
    }

    /// Copies a text.
    ///
    /// A `String` cannot be overwritten, so its copy may stay in memory. The initialisers for files and descriptors leave
    /// no such copy.
    public init(_ text: String) {
        bytes = text.withBytes { WipedBytes($0) }
    }

    /// Reads the password from a file; one line end at the end is not part of it.
    ///
    /// - Parameter path: A file of at most 4096 bytes.
    /// - Throws: `KeyError`, which names the file.
    public init(contentsOfFile path: String) throws(KeyError) {
        bytes = try rethrowing(SecretFile.text(path)) { (failure: FileFailure) in
            KeyError(failure, reading: path, as: "the password file: ")
        }
    }

    /// Reads an open file descriptor to its end, and drops one line end at the end.
    ///
    /// The descriptor stays open.
    ///
    /// - Parameter descriptor: A descriptor that gives at most 4096 bytes up to its end.
    /// - Throws: `KeyError`, which names the descriptor.
    public init(fileDescriptor descriptor: Int32) throws(KeyError) {
        do throws(FileFailure) {
            bytes = try SecretFile.text(descriptor: descriptor)
        } catch {
            throw .unreadable(file: "descriptor \(descriptor)", reason: "the password: \(error.reason)")
        }
    }

    /// Reads the file that an environment variable names.
    ///
    /// The variable holds a path and not the password, because process lists and crash reports show environments.
    ///
    /// - Parameter variable: The variable's name.
    /// - Throws: `KeyError`, which names the variable if it is not set or names no file, else the file. A text that is not
    ///   the name of a variable is not shown.
    public init(fileNamedByEnvironment variable: String) throws(KeyError) {
        guard let path = environmentValue(variable) else {
            // A user who gives the password in the place of the variable must not find it in a log.
            guard canBeVariable(variable) else {
                throw .unreadable(
                    file: Files.notShown,
                    reason: "this is not the name of an environment variable; name the one that holds the path of "
                        + "a file with the password")
            }
            throw .unreadable(
                file: "$\(variable)", reason: "is not set; it should hold the path of a file with the password")
        }
        guard Files.exists(path) else {
            // A user who puts the password itself into the variable must not find it in a log.
            throw .unreadable(
                file: "$\(variable)", reason: "names no file (the name is not shown, in case it is the password itself)"
            )
        }
        try self.init(contentsOfFile: path)
    }

    /// Asks for the password at the controlling terminal, without showing what is typed.
    ///
    /// `prompt` is the question, such as `Password of issuer.p12: `. `nil` if the person gave up with ^C or ^D. Throws
    /// without a terminal.
    package static func prompted(_ prompt: String) throws(KeyError) -> KeyPassword? {
        do throws(FileFailure) {
            return try Terminal.secretLine(prompt: prompt, maximumSize: SecretFile.maximumSize).map(
                KeyPassword.init(bytes:))
        } catch {
            throw .unreadable(file: "terminal", reason: "the password: \(error.reason)")
        }
    }

    /// Whether a key may be encrypted under it: it is not empty and has no NUL.
    package var isUsable: Bool {
        bytes.count > 0 && bytes.withSpan { bytes in !bytes.indices.contains { bytes[$0] == 0 } }
    }

    /// Compares two answers at a prompt, to find typing errors.
    package func isSame(as other: KeyPassword) -> Bool { bytes.holdsSame(as: other.bytes) }

    private init(bytes: WipedBytes) {
        self.bytes = bytes
    }
}

extension KeyPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The word `password`, and nothing of it, not even its length.
    public var description: String { "password" }
    /// The word `password`, and nothing of it, not even its length.
    public var debugDescription: String { description }
    /// Empty: nothing of the password is shown to debuggers and dumps.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
