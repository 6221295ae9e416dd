#if CLI
import TextCodecs
import HostSystem
import ArgumentParser
import EntitlementKeys

/// Where the password of key files comes from; never from the command line, which every user of the machine sees.
struct PasswordOptions: ParsableArguments {
    @Option(name: .long, help: "A file with the password of encrypted key files.", completion: .file())
    var passwordFile: String?

    @Option(name: .long, help: "An open file descriptor to read the password from.")
    var passwordFd: String?

    @Option(name: .long, help: "An environment variable that names the file with the password.")
    var passwordEnv: String?

    func validate() throws {
        guard [passwordFile != nil, passwordFd != nil, passwordEnv != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give one of --password-file, --password-fd and --password-env.")
        }
        // Read here and not by the parser, whose message would show a password that was given by mistake.
        if passwordFd != nil, descriptor.map({ $0 < 0 || $0 == 1 || $0 == 2 }) ?? true {
            throw ValidationError("--password-fd takes a descriptor that is open for reading: 0, or 3 and above.")
        }
    }

    /// The descriptor given with `--password-fd`.
    var descriptor: Int32? { passwordFd.flatMap { Int32($0) } }

    /// The file that holds the password, where one does.
    var file: String? {
        (passwordFile ?? passwordEnv.flatMap(environmentValue)).flatMap { Files.exists($0) ? $0 : nil }
    }

    /// Reads the password that was given, if any: once, since a descriptor cannot be read twice.
    func read(_ form: OutputForm) throws -> KeyOpener {
        if let passwordFile { try Self.requireFile(passwordFile, "--password-file", form) }
        do throws(KeyError) {
            if let passwordFile { return KeyOpener(password: try KeyPassword(contentsOfFile: passwordFile)) }
            if let descriptor { return KeyOpener(password: try KeyPassword(fileDescriptor: descriptor)) }
            if let passwordEnv {
                return KeyOpener(password: try KeyPassword(fileNamedByEnvironment: passwordEnv))
            }
            return KeyOpener(password: nil)
        } catch {
            throw Console.fail(error, form)
        }
    }
}

extension PasswordOptions {
    /// Refuses a name that leads nowhere without showing it: the password itself may stand there.
    static func requireFile(_ path: String, _ option: String, _ form: OutputForm) throws {
        guard !Files.exists(path) else { return }
        let detail =
            "\(option): there is no such file (its name is not shown, in case it is the password; that goes into "
            + "a file)"
        throw Console.fail("unreadable_key", file: nil, detail, form, .noInput)
    }
}

/// Opens key files with the password given, or asks for one where a person is at the terminal.
final class KeyOpener {
    let password: KeyPassword?
    /// What was answered for a file, which may be read several times.
    private var answers: [String: KeyPassword] = [:]

    init(password: KeyPassword?) {
        self.password = password
    }

    /// Reads something, and once more with the answer where it turns out to be encrypted.
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

    /// Reads something, or ends the run.
    func open<Content>(
        _ form: OutputForm,
        mayAllowWeakKeys: Bool = false,
        _ read: (KeyPassword?) throws(KeyError) -> Content
    ) throws -> Content {
        do throws(KeyError) {
            return try open(read)
        } catch {
            throw Console.fail(error, form, mayAllowWeakKeys: mayAllowWeakKeys)
        }
    }

    /// Asks for a password, where somebody is there: where standard error goes to a file, nobody sees the question.
    static func ask(_ prompt: String) throws(KeyError) -> KeyPassword? {
        StandardStreams.errorIsTerminal ? try KeyPassword.prompted(prompt) : nil
    }

    /// Lists a file, private keys included: what is encrypted and cannot be opened is an error.
    func inventory(_ path: String, needsPrivateKeys: Bool) throws(KeyError) -> KeyInventory {
        try open { password throws(KeyError) in
            let inventory = try KeyInventory(contentsOfFile: path, password: password)
            if needsPrivateKeys, let locked = inventory.entries.first(where: { $0.kind == .encryptedPrivateKey }) {
                throw .passwordRequired(file: path, format: locked.format)
            }
            return inventory
        }
    }
}

/// Where a new password comes from, or that there is to be none.
struct NewPasswordOptions: ParsableArguments {
    @Option(name: .long, help: "A file with the password to encrypt with.", completion: .file())
    var newPasswordFile: String?

    @Flag(name: .long, help: "Write the private key without encryption, readable by its owner alone.")
    var unencrypted = false

    func validate() throws {
        guard newPasswordFile == nil || !unencrypted else {
            throw ValidationError("Give --new-password-file FILE or --unencrypted, not both.")
        }
    }

    /// Reads the new password, or asks for it twice; `nil` where none is wanted.
    func read(_ form: OutputForm) throws -> KeyPassword? {
        if unencrypted { return nil }
        if let newPasswordFile { try PasswordOptions.requireFile(newPasswordFile, "--new-password-file", form) }
        do throws(KeyError) {
            if let newPasswordFile {
                let password = try KeyPassword(contentsOfFile: newPasswordFile)
                guard password.isUsable else {
                    throw .unreadable(
                        file: newPasswordFile, reason: "a password is not empty and has no NUL in it")
                }
                return password
            }
            if let password = try KeyOpener.ask("New password: ") {
                guard password.isUsable else {
                    throw .unreadable(file: "terminal", reason: "a password is not empty")
                }
                guard let again = try KeyOpener.ask("Once more: "), again.isSame(as: password) else {
                    throw .unreadable(file: "terminal", reason: "the two passwords differ")
                }
                return password
            }
        } catch {
            throw Console.fail(error, form)
        }
        throw Console.fail(
            "usage", file: nil, "give --new-password-file FILE, or --unencrypted if nobody can protect a password",
            form, .usage)
    }
}
#endif
