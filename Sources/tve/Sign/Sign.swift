#if CLI
import TextCodecs
import ArgumentParser
import RequestorSigning

struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign requestor IDs, service tokens and clientless requests.",
        subcommands: [SignRequestorID.self, SignCheck.self, SignServiceToken.self, SignClientless.self]
    )
}

extension Console {
    /// Writes what was signed, alone on its line, or as an object beside the name of the key's file.
    static func write(signed text: String, as name: String, key: String, _ form: OutputForm) throws {
        switch form {
        case .text:
            // The line-wrapped form ends with a line end of its own.
            try write(text.utf8.last == UInt8(ascii: "\n") ? text : "\(text)\n")
        case .json:
            var object = JSONWriter()
            object.member(name, text)
            object.member("key", key)
            try write(object.finished + [UInt8(ascii: "\n")], .json)
        }
    }

    /// Reports why nothing was signed or checked.
    static func fail(_ error: RequestorSigningError, _ form: OutputForm) -> ExitCode {
        if case .undecided = error {
            return fail(error.code, file: nil, error.description, form, .undecided)
        }
        return fail(error.code, file: nil, error.description, form, .usage)
    }

    /// Refuses texts that arrived here with U+FFFD: it stands for bytes that are not UTF-8, and signing it would
    /// sign something else than was given.
    static func refuseRepaired(_ texts: [String], _ form: OutputForm) throws {
        guard texts.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) else { return }
        throw fail(
            "unsuitable_text", file: nil, "an argument is not UTF-8 (or holds U+FFFD); nothing was signed", form,
            .usage)
    }
}
#endif
