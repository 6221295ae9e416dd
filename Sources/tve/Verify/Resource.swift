#if CLI
import TextCodecs
import HostSystem
import ArgumentParser
import MediaRSS

struct Resource: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resource",
        abstract: "Compare resource identifiers.",
        subcommands: [ResourceMatch.self]
    )
}

struct ResourceMatch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Compare two MRSS resources by their structure, and show the first difference.",
        discussion: """
            What counts: channel title, and of each item the title, the guid and the ratings with their schemes. \
            CDATA or escaped text, order of attributes, prefixes and white space between elements do not.

            Examples:
              tve resource match asked.xml granted.xml
              tve resource match "$ASKED" granted.xml

            Exit codes: 0 the same; 1 different; 2 one of them is not MRSS; 66 no such file.
            """
    )

    @Argument(help: "MRSS text (starts with <), or a file that holds it.", completion: .file())
    var one: String

    @Argument(help: "MRSS text (starts with <), or a file that holds it.", completion: .file())
    var other: String

    @Option(name: .long, help: "How to show it: text or json.")
    var output = OutputForm.text

    func run() throws {
        let (first, second) = (try resource(one, "the first"), try resource(other, "the second"))
        let difference = first.firstDifference(from: second)
        switch output {
        case .text:
            try Console.write(difference.map { "\($0)\n" } ?? "the same\n")
        case .json:
            var object = JSONWriter()
            object.member("same", difference == nil)
            if let difference {
                object.member("path", difference.path)
                object.member("detail", "\(difference)")
            }
            try Console.write(object.finished + [UInt8(ascii: "\n")], .json)
        }
        if difference != nil { throw ExitCode(1) }
    }

    private func resource(_ argument: String, _ name: String) throws -> MediaRSSResource {
        let text = argument.utf8.first == UInt8(ascii: "<") ? argument : try contents(of: argument)
        do throws(MediaRSSError) {
            return try MediaRSSResource(text)
        } catch {
            throw Console.fail(error.code, file: nil, "\(name) resource: \(error)", output, ExitCode(2))
        }
    }

    /// The file's text without the line end that editors and shells put behind it.
    private func contents(of path: String) throws -> String {
        do throws(FileFailure) {
            let bytes = try Files.read(path, maximumSize: MediaRSSResource.maximumBytes + 2)
            var text = bytes.withSpan { span in span.indices.map { span[$0] } }
            while text.last == UInt8(ascii: "\n") || text.last == UInt8(ascii: "\r") { text.removeLast() }
            return String(decoding: text, as: UTF8.self)
        } catch {
            throw Console.fail("unreadable_file", file: path, "\(path): \(error.reason)", output, .noInput)
        }
    }
}
#endif
