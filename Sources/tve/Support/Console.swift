#if CLI
import TextCodecs
import HostSystem
import ArgumentParser
import EntitlementKeys

/// How results and failures are shown.
enum OutputForm: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

extension ExitCode {
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

/// Standard output and standard error, with the failures that end a run.
enum Console {
    /// Writes a result that is text.
    ///
    /// - Throws: `ExitCode.io`, without a word where nobody reads any more.
    static func write(_ text: String) throws {
        try write(Array(text.utf8), .text)
    }

    /// Writes a result; the form is that of a failure to write it.
    ///
    /// - Throws: `ExitCode.io`, without a word where nobody reads any more.
    static func write(_ bytes: [UInt8], _ form: OutputForm) throws {
        let hasReader: Bool
        do throws(FileFailure) {
            hasReader = try StandardStreams.write(bytes)
        } catch {
            throw fail("io", file: nil, "standard output: \(error.reason)", form, .io)
        }
        if !hasReader { throw ExitCode.io }
    }

    /// Writes a verdict, and returns the exit code to throw.
    ///
    /// A refusal stays a refusal where nobody reads its text; what is valid must have been told.
    static func write(_ verdict: [UInt8], _ form: OutputForm, exitCode: Int32) -> ExitCode {
        do {
            try write(verdict, form)
            return ExitCode(exitCode)
        } catch {
            return exitCode == 0 ? .io : ExitCode(exitCode)
        }
    }

    /// Reports what ends the run before its first result, in one line, and returns the exit code to throw.
    static func fail(
        _ code: String,
        file: String?,
        _ detail: String,
        _ form: OutputForm,
        _ exitCode: ExitCode
    ) -> ExitCode {
        switch form {
        case .text:
            StandardStreams.report("tve: \(detail.printable) [\(code)]")
        case .json:
            var error = JSONWriter()
            error.member("code", code)
            if let file { error.member("file", file) }
            error.member("detail", detail)
            var object = JSONWriter()
            object.member("error", error)
            StandardStreams.report(String(decoding: object.finished, as: UTF8.self))
        }
        return exitCode
    }

    /// Reports a bad key file, with a word on `--allow-weak-keys` for commands that have it.
    static func fail(_ error: KeyError, _ form: OutputForm, mayAllowWeakKeys: Bool = false) -> ExitCode {
        var exitCode = ExitCode.badConfiguration
        if case .noSuchFile = error { exitCode = .noInput }
        var detail = error.description
        switch error {
        case .passwordRequired: detail += " (--password-file FILE)"
        case .tooSmall(_, let bits, _) where mayAllowWeakKeys && bits >= 1024:
            detail += "; --allow-weak-keys admits it"
        default: break
        }
        return fail(error.code, file: error.file, detail, form, exitCode)
    }
}
#endif
