#if CLI
import ArgumentParser
import HostSystem
import TextCodecs

/// How results and failures are shown.
enum OutputForm: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// A command with the option `--output`.
protocol OutputChoosing {
    /// How results and failures are shown.
    var output: OutputForm { get }
}

/// Standard output for results, and standard error for failures.
enum Console {
    /// Writes a result that is text; throws as ``write(_:)-([UInt8])`` does.
    static func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    /// Writes a result that is JSON, on a line of its own; throws as ``write(_:)-([UInt8])`` does.
    static func write(_ object: JSONWriter) throws {
        try write(object.finished + [UInt8(ascii: "\n")])
    }

    /// Writes a result.
    ///
    /// Throws `CommandFailure` if it cannot be written; `ExitCode.io`, without a message, if the reader has gone.
    static func write(_ bytes: [UInt8]) throws {
        try requireReader(StandardStreams.write(bytes))
    }

    /// Writes a result that is secret, without a copy of it; throws as ``write(_:)-([UInt8])`` does.
    static func write(_ secret: WipedBytes) throws {
        try requireReader(StandardStreams.write(secret))
    }

    private static func requireReader(_ write: @autoclosure () throws(FileFailure) -> Bool) throws {
        if try !using("standard output", file: nil, write()) { throw ExitCode.io }
    }

    /// Writes a verdict, and ends the command with its exit code.
    ///
    /// A refusal keeps its exit code even if it cannot be written; a valid verdict that cannot be written is a failure.
    /// Throws the exit code, or a `CommandFailure` with it, unless it is 0 and the verdict was written.
    static func write(_ verdict: [UInt8], endingWith exitCode: ExitCode) throws {
        do {
            try write(verdict)
        } catch  where exitCode != .success {
            guard var failure = error as? CommandFailure else { throw exitCode }
            failure.exitCode = exitCode
            throw failure
        }
        if exitCode != .success { throw exitCode }
    }

    /// Writes a result as the user chose, as a text or as JSON, and ends the command as ``write(_:endingWith:)`` does.
    static func show(
        _ text: @autoclosure () -> String,
        or object: @autoclosure () throws -> JSONWriter,
        in form: OutputForm,
        endingWith exitCode: ExitCode = .success
    ) throws {
        switch form {
        case .text: try write(Array(text().utf8), endingWith: exitCode)
        case .json: try write(object().finished + [UInt8(ascii: "\n")], endingWith: exitCode)
        }
    }

    /// The same for an object whose members are written here.
    static func show(
        _ text: @autoclosure () -> String,
        in form: OutputForm,
        endingWith exitCode: ExitCode = .success,
        _ members: (inout JSONWriter) throws -> Void
    ) throws {
        var object = JSONWriter()
        if form == .json { try members(&object) }
        try show(text(), or: object, in: form, endingWith: exitCode)
    }

    /// Writes a remark to standard error, in one line; the command goes on.
    static func note(_ detail: String, code: String, as form: OutputForm) {
        report(CommandFailure(code, detail, exitCode: .success), as: form)
    }

    /// Writes a failure to standard error, in one line.
    static func report(_ failure: CommandFailure, as form: OutputForm) {
        switch form {
        case .text:
            StandardStreams.report("tve: \(failure.detail.printable) [\(failure.code)]")
        case .json:
            var error = JSONWriter()
            error.member("code", failure.code)
            if let file = failure.file { error.member("file", file) }
            error.member("detail", failure.detail)
            var object = JSONWriter()
            object.member("error", error)
            StandardStreams.report(String(decoding: object.finished, as: UTF8.self))
        }
    }
}

/// Formats names and values in two columns; characters that would break a line are escaped in the values.
func aligned(_ lines: [(name: String, value: String)]) -> String {
    let width = lines.map(\.name.count).max() ?? 0
    return lines.map { "  \($0.name.padded(to: width))  \($0.value.printable)\n" }.joined()
}

extension String {
    /// The text with spaces after it up to a width in characters.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

/// A file that an option names for a report, which takes the place of an older one.
struct ReportFile {
    let option: String
    let path: String

    /// Refuses the dash, which would be a file of this name: the command writes something else to standard output.
    func validate() throws {
        guard path != "-" else {
            throw ValidationError("\(option) takes a file; for standard output, say \(option) /dev/stdout.")
        }
    }

    /// Refuses a report that would take the place of something that the command reads; `-` is standard input.
    func refuse(inputs: [String]) throws(CommandFailure) {
        for input in inputs where Files.replacing(path, loses: input == "-" ? nil : input) {
            let name = input == "-" ? "standard input" : Files.shown(input)
            throw .usage(
                "\(CommandFailure.naming(path, of: option)): the report would take the place of \(name), which is read; "
                    + "name another file",
                file: path)
        }
    }

    /// Refuses a report in a folder that the command fills by itself.
    func refuse(folder: String) throws(CommandFailure) {
        let slash = path.lastIndex(of: "/")
        let parent = slash.map { path[...$0] } ?? "."
        guard Files.leads(String(parent), to: folder) else { return }
        throw .usage(
            "\(CommandFailure.naming(path, of: option)): \(Files.shown(folder)) is for the command's own files; name another "
                + "folder", file: path)
    }

    /// Tells what cannot be written before the work is done; what stands there stays as it is.
    ///
    /// Throws `CommandFailure`: with the exit code 66 if the file's folder does not exist, with 74 if the path leads to a
    /// folder, or nothing can be written there.
    func requireWritable() throws {
        try concerning(option, file: path) { try Files.checkReplacing(path) }
    }

    /// Writes the report.
    ///
    /// Throws `CommandFailure`.
    func write(_ bytes: [UInt8]) throws {
        // Nothing in it is secret.
        try concerning(option, file: path) { try Files.replace(path, with: bytes, isPrivate: false) }
    }
}
#endif
