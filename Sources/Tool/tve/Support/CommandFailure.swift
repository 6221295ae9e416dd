#if CLI
import ArgumentParser
import EntitlementKeys
import HostSystem

extension ExitCode {
    /// Rows of a batch failed, and that was to be told.
    static let failedRows = ExitCode(2)
    /// No trusted key made the signature; the same as for a media token.
    static let invalidSignature = ExitCode(11)
    /// A value could not be decrypted.
    static let undecryptable = ExitCode(20)
    /// The command line itself is wrong (EX_USAGE).
    static let usage = ExitCode(64)
    /// An input file does not exist (EX_NOINPUT).
    static let noInput = ExitCode(66)
    /// No decision could be made (EX_UNAVAILABLE).
    static let undecided = ExitCode(69)
    /// Reading or writing failed (EX_IOERR).
    static let io = ExitCode(74)
    /// A key or the configuration is bad (EX_CONFIG).
    static let badConfiguration = ExitCode(78)
}

/// An error that ends a command: what happened, to which file, and the exit code.
///
/// It is thrown as soon as it is noticed, and reported once, by ``TVE``, in the form that the user asked for.
struct CommandFailure: Error {
    /// Names the kind of failure, for programs.
    let code: String
    let file: String?
    /// What happened and what to do, for people.
    let detail: String
    var exitCode: ExitCode

    init(_ code: String, _ detail: String, file: String? = nil, exitCode: ExitCode) {
        self.code = code
        self.file = file
        self.detail = detail
        self.exitCode = exitCode
    }

    /// A command line that cannot be carried out.
    static func usage(_ detail: String, file: String? = nil) -> CommandFailure {
        CommandFailure("usage", detail, file: file, exitCode: .usage)
    }

    /// The command line is unknown: Swift reads it from `/proc` on Linux, and gets an empty list if it cannot.
    static let unreadableArguments = CommandFailure(
        "no_arguments",
        "the program's arguments cannot be read from /proc/self/cmdline, so nothing was done; is /proc mounted and "
            + "readable here?",
        exitCode: .badConfiguration)

    /// A command that needs the trait Client.
    static let noClient = CommandFailure(
        "no_client", "tve was built without the trait Client; build it with: swift build --traits CLI,Client",
        exitCode: .usage)

    /// A file that does not exist; the code is the same in all commands, and for key files, too.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - option: The option that names it, if it has one.
    /// - Returns: The failure.
    static func noSuchFile(_ file: String, of option: String? = nil) -> CommandFailure {
        let name = option.map { "\($0): \(file)" } ?? file
        return CommandFailure(
            noSuchFileCode, "\(name): no such file or folder", file: file, exitCode: .noInput)
    }

    /// A command of the service, in a tool without it.
    static let noService = CommandFailure(
        "no_service", "tve was built without the trait Service; build it with: make release TRAITS=CLI,Redis,Service",
        exitCode: .usage)

    /// The code of a file that does not exist; that of `KeyError.noSuchFile`.
    private static let noSuchFileCode = "no_such_file"

    /// A file that could not be read.
    init(reading file: String, of option: String? = nil, _ failure: FileFailure) {
        let name = option.map { "\($0): \(file)" } ?? file
        self = failure.isMissing ? .noSuchFile(file, of: option) : .io(name, failure, file: file)
    }

    /// A file, or a standard stream, that could not be read or written.
    static func io(_ name: String, _ failure: FileFailure, file: String?) -> CommandFailure {
        CommandFailure("io", "\(name): \(failure.reason)", file: file, exitCode: .io)
    }
}

extension CommandFailure {
    /// A file that cannot be written.
    init(writing path: String, _ failure: FileFailure) {
        self = .io(path, failure, file: path)
    }

    /// A bad key file.
    ///
    /// - Parameters:
    ///   - error: What is wrong with it.
    ///   - mayAllowWeakKeys: Whether the command has the option `--allow-weak-keys`, which is then suggested for a small
    ///     key.
    init(_ error: KeyError, mayAllowWeakKeys: Bool = false) {
        var exitCode = ExitCode.badConfiguration
        if case .noSuchFile = error { exitCode = .noInput }
        if case .undecided = error { exitCode = .undecided }
        var detail = error.description
        switch error {
        case .passwordRequired: detail += " (--password-file FILE)"
        case .tooSmall(_, let bits, _) where mayAllowWeakKeys && bits >= 1024:
            detail += "; --allow-weak-keys admits it"
        default: break
        }
        self.init(error.code, detail, file: error.file, exitCode: exitCode)
    }

    /// A secret file that does not exist; its name is not shown, since it may be the secret itself.
    ///
    /// - Parameters:
    ///   - secret: What the file was to contain, such as `password`.
    ///   - option: The option that names the file.
    init(missing secret: String, option: String) {
        self.init(
            Self.noSuchFileCode,
            "\(option): the file does not exist (its name is not shown, in case it is the \(secret) itself)",
            exitCode: .noInput)
    }
}
#endif
