#if CLI
import ArgumentParser
import EntitlementKeys
import HostSystem
import TextCodecs

/// Where the password of key files comes from.
///
/// Never from the command line, which every user of the machine can see.
struct PasswordOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("A file with the password of encrypted key files.", valueName: "file"),
        completion: .file())
    var passwordFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp("An open file descriptor to read the password from: 0, or 3 and above.", valueName: "n"))
    var passwordFd: String?

    @Option(
        name: .long,
        help: ArgumentHelp("An environment variable that names the file with the password.", valueName: "variable"))
    var passwordEnv: String?

    func validate() throws {
        guard [passwordFile != nil, passwordFd != nil, passwordEnv != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give one of --password-file, --password-fd and --password-env.")
        }
        // A text until here: the parser's message would show a password that was given by mistake.
        if passwordFd != nil, descriptor.map({ $0 < 0 || $0 == 1 || $0 == 2 }) ?? true {
            throw ValidationError("--password-fd takes a descriptor that is open for reading: 0, or 3 and above.")
        }
    }

    /// The descriptor given with `--password-fd`.
    var descriptor: Int32? { passwordFd.flatMap { Int32($0) } }

    /// The file with the password, if there is one.
    var file: String? {
        (passwordFile ?? passwordEnv.flatMap(environmentValue)).flatMap { Files.exists($0) ? $0 : nil }
    }

    /// Reads the password if one was given; only once, since a descriptor cannot be read twice.
    ///
    /// Throws `CommandFailure` or `KeyError` if it cannot be read.
    func read() throws -> KeyOpener {
        if let passwordFile { try Self.requireFile(passwordFile, of: "--password-file") }
        if let passwordEnv, let path = environmentValue(passwordEnv) {
            try Self.requireFile(path, of: "$\(passwordEnv)")
        }
        if let passwordFile { return KeyOpener(password: try KeyPassword(contentsOfFile: passwordFile)) }
        if let descriptor { return KeyOpener(password: try KeyPassword(fileDescriptor: descriptor)) }
        guard let passwordEnv else { return KeyOpener(password: nil) }
        return try concerning("--password-env") {
            KeyOpener(password: try KeyPassword(fileNamedByEnvironment: passwordEnv))
        }
    }
}

extension PasswordOptions {
    /// Refuses a password file that does not exist, without showing its name: it may be the password itself.
    static func requireFile(_ path: String, of option: String) throws(CommandFailure) {
        guard !Files.exists(path) else { return }
        throw CommandFailure(missing: "password", option: option)
    }
}

extension CommandFailure {
    /// The file with the password of a store's server that cannot be used, in the words of its option.
    static func storePassword(_ error: KeyError, of option: String) -> CommandFailure {
        guard Files.exists(error.file) else { return CommandFailure(missing: "password", option: option) }
        return CommandFailure(error.code, "\(option): \(error)", file: error.file, exitCode: error.ending)
    }
}

/// Opens key files with the password given, or asks for one if a person is at the terminal.
final class KeyOpener {
    let password: KeyPassword?
    /// The passwords that were typed, by file: a file may be read several times.
    private var answers: [String: KeyPassword] = [:]

    init(password: KeyPassword?) {
        self.password = password
    }

    /// Reads key files; if one turns out to be encrypted, asks for its password and reads again.
    ///
    /// - Parameter read: Reads them with a password.
    /// - Returns: What `read` returns.
    /// - Throws: What `read` throws.
    func open<Content>(
        _ read: (KeyPassword?) throws(KeyError) -> Content
    ) throws(KeyError) -> Content {
        do throws(KeyError) {
            return try read(password)
        } catch {
            guard case .passwordRequired(let file, _) = error, password == nil else { throw error }
            if let answer = answers[file] { return try read(answer) }
            guard let answer = try Self.ask("Password of \(file.printable): ") else { throw error }
            let content = try read(answer)
            answers[file] = answer
            return content
        }
    }

    /// Reads key files as ``open(_:)`` does, for a command with the option `--allow-weak-keys`: a key that is only too small
    /// is told of it.
    ///
    /// `option` has named the files.
    func openOfferingWeakKeys<Content>(
        of option: String,
        _ read: (KeyPassword?) throws(KeyError) -> Content
    ) throws -> Content {
        try concerning(option) {
            do throws(KeyError) {
                return try open(read)
            } catch {
                guard case .tooSmall(_, let bits, _) = error, bits >= 1024 else { throw error }
                throw CommandFailure(
                    error.code, "\(error); --allow-weak-keys admits it", file: error.file, exitCode: error.ending)
            }
        }
    }

    /// Asks for a password if standard error is a terminal, where a person sees the question.
    static func ask(_ prompt: String) throws(KeyError) -> KeyPassword? {
        StandardStreams.errorIsTerminal ? try KeyPassword.prompted(prompt) : nil
    }

    /// Lists the content of a key file.
    ///
    /// If `needsPrivateKeys` is true, a private key that is still encrypted is an error.
    func inventory(_ path: String, needsPrivateKeys: Bool) throws(KeyError) -> KeyInventory {
        try open { password throws(KeyError) in
            let inventory = try KeyInventory(contentsOfFile: path, password: password)
            if needsPrivateKeys, let locked = inventory.entries.first(where: { $0.kind == .encryptedPrivateKey }) {
                throw locked.problem ?? .passwordRequired(file: path, format: locked.format)
            }
            return inventory
        }
    }
}

/// The password for a new private key: from a file, typed, or none.
struct NewPasswordOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("A file with the password to encrypt with.", valueName: "file"),
        completion: .file())
    var newPasswordFile: String?

    @Flag(name: .long, help: "Write the private key without encryption, readable by its owner alone.")
    var unencrypted = false

    func validate() throws {
        guard newPasswordFile == nil || !unencrypted else {
            throw ValidationError("Give --new-password-file FILE or --unencrypted, not both.")
        }
    }

    /// Reads the new password, or asks for it twice; `nil` with `--unencrypted`.
    ///
    /// Throws `CommandFailure` or `KeyError` if it cannot be read or used, or if there is none.
    func read() throws -> KeyPassword? {
        if unencrypted { return nil }
        if let newPasswordFile { try PasswordOptions.requireFile(newPasswordFile, of: "--new-password-file") }
        if let newPasswordFile {
            let password = try KeyPassword(contentsOfFile: newPasswordFile)
            guard password.isUsable else {
                throw KeyError.unreadable(
                    file: newPasswordFile, reason: "a password must not be empty or contain NUL")
            }
            return password
        }
        if let password = try KeyOpener.ask("New password: ") {
            guard password.isUsable else {
                throw KeyError.unreadable(file: "terminal", reason: "a password must not be empty")
            }
            guard let again = try KeyOpener.ask("Once more: "), again.isSame(as: password) else {
                throw KeyError.unreadable(file: "terminal", reason: "the two passwords differ")
            }
            return password
        }
        throw CommandFailure.usage("give --new-password-file FILE, or --unencrypted for a key file without a password")
    }
}
#endif
