#if CLI
import ArgumentParser
import EntitlementValues
import HostSystem
import ServiceResponses

/// An error that ends a command: what happened, to which file, and the exit code.
///
/// ``TVE`` reports it, once, in the form that the user asked for. Errors of the libraries are thrown as they are, and become
/// one there, or in ``concerning(_:file:exitCode:_:)`` where an option or a file is known that is at fault.
package struct CommandFailure: Error {
    /// Names the kind of failure, for programs.
    package let code: String
    package let file: String?
    /// What happened and what to do, for people.
    package let detail: String
    var exitCode: ExitCode
    /// The exit code as a number.
    package var exitStatus: Int32 { exitCode.rawValue }

    init(_ code: String, _ detail: String, file: String? = nil, exitCode: ExitCode) {
        self.code = code
        self.file = file.map(Files.shown)
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
    static func noSuchFile(_ file: String, of option: String? = nil) -> CommandFailure {
        CommandFailure(
            noSuchFileCode, "\(naming(file, of: option)): \(FileFailure.missing(file).reason)", file: file,
            exitCode: .noInput)
    }

    /// Refuses a file that does not exist, before it is read by what would say so in other words.
    ///
    /// Whether a file exists that this process cannot reach is not known: what reads it says what is wrong.
    static func refuseMissing(_ file: String, of option: String? = nil) throws(CommandFailure) {
        do throws(FileFailure) {
            _ = try Files.kind(of: file)
        } catch {
            if error.isMissing || !Files.canBeName(file) { throw .noSuchFile(file, of: option) }
        }
    }

    /// The option, if one is known, and the file.
    static func naming(_ file: String, of option: String?) -> String {
        [option, Files.shown(file)].compactMap(\.self).joined(separator: ": ")
    }

    /// A command of the service, in a tool without it.
    static let noService = CommandFailure(
        "no_service", "tve was built without the trait Service; build it with: make release TRAITS=CLI,Redis,Service",
        exitCode: .usage)

    /// The code of a file that does not exist; that of `KeyError.noSuchFile`.
    private static let noSuchFileCode = "no_such_file"

    /// A file, or a standard stream, that could not be read or written.
    static func io(_ name: String, _ failure: FileFailure, file: String?) -> CommandFailure {
        CommandFailure("io", "\(name): \(failure.reason)", file: file, exitCode: .io)
    }
}

extension CommandFailure {
    /// What ends the command if this error does; `nil` for an error that is not in the table of ``CommandEnding``.
    ///
    /// An option or a file that is given is the one at fault. Without a file, it is the one that the error names, if it does.
    package init?(any error: any Error, option: String? = nil, file: String? = nil) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let failure as FileFailure:
            guard let file else {
                self = .io(option ?? "", failure, file: nil)
                return
            }
            self =
                failure.isMissing
                ? .noSuchFile(file, of: option) : .io(Self.naming(file, of: option), failure, file: file)
        case ResponseRecordingError.incomplete(let error): self.init(any: error)
        case ResponseRecordingError.ledger(let error): self.init(any: error, option: option, file: file)
        case let error as any CommandEnding:
            self.init(
                error.code, error.detail(naming: option), file: file ?? error.namedFile, exitCode: error.ending)
        default: return nil
        }
    }

    /// A secret file that does not exist; its name is not shown, since it may be the secret itself.
    init(missing secret: String, option: String) {
        self.init(
            Self.noSuchFileCode,
            "\(option): the file does not exist or cannot be reached (its name is not shown, in case it is the \(secret) itself)",
            exitCode: .noInput)
    }
}

/// Makes use of an option or a file, which a failure then names; with another exit code than that of the table, if one is
/// given.
///
/// A `CommandFailure` of the work is passed on unchanged.
func concerning<Answer>(
    _ option: String? = nil,
    file: String? = nil,
    exitCode: ExitCode? = nil,
    _ body: () throws -> Answer
) throws -> Answer {
    do {
        return try body()
    } catch let failure as CommandFailure {
        throw failure
    } catch {
        guard var failure = CommandFailure(any: error, option: option, file: file) else { throw error }
        if let exitCode { failure.exitCode = exitCode }
        throw failure
    }
}

/// Reads a standard stream, or writes to one or to a file of the command's own, which a failure then names.
func using<Answer>(
    _ name: String,
    file: String?,
    _ work: @autoclosure () throws(FileFailure) -> Answer
) throws(CommandFailure) -> Answer {
    try rethrowing(try work()) { (error: FileFailure) in CommandFailure.io(name, error, file: file) }
}
#endif
