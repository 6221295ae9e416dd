#if CLI
import ArgumentParser
import HostSystem
import MediaRSS
import TextCodecs

struct Resource: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resource",
        abstract: "Compare resource identifiers.",
        subcommands: [ResourceMatch.self]
    )
}

struct ResourceMatch: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Compare two MRSS resources by structure, and show the first difference.",
        discussion: """
            Examples:
              tve resource match asked.xml granted.xml
              tve resource match "$ASKED" granted.xml

            Compared are the channel title and, for each item, the title, the guid and the ratings with their schemes. \
            Not compared: whether text is in CDATA or escaped, the order of attributes, prefixes, and white space \
            between elements.

            Exit codes: 0 the same; 1 different; 2 one of them is not MRSS; 64 usage; 66 no such file; 74 input or \
            output failed.
            """
    )

    @Argument(help: "MRSS text (starts with <), or a file that holds it.", completion: .file())
    var one: String

    @Argument(help: "MRSS text (starts with <), or a file that holds it.", completion: .file())
    var other: String

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    func run() throws {
        let (first, second) = (try resource(one, "the first"), try resource(other, "the second"))
        let difference = first.firstDifference(from: second)
        try Console.show(difference.map { "\($0)\n" } ?? "the same\n", in: output) { object in
            object.member("same", difference == nil)
            if let difference {
                object.member("path", difference.path)
                object.member("detail", "\(difference)")
            }
        }
        if difference != nil { throw ExitCode(1) }
    }

    private func resource(_ argument: String, _ name: String) throws -> MediaRSSResource {
        let text = argument.utf8.first == UInt8(ascii: "<") ? argument : try contents(of: argument)
        return try concerning("\(name) resource") { try MediaRSSResource(text) }
    }

    /// The text of a file, without the byte order mark and the line end that editors and shells add.
    private func contents(of path: String) throws -> String {
        let bytes = try concerning(file: path) {
            try Files.read(path, maximumSize: MediaRSSResource.maximumBytes + 5)
        }
        var text = bytes.withSpan { Array(copying: $0.extracting($0.afterByteOrderMark)) }
        while text.last == UInt8(ascii: "\n") || text.last == UInt8(ascii: "\r") { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }
}
#endif
