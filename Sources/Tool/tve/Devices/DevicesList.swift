#if CLI
import ArgumentParser
import DeviceRecords
import EntitlementValues
import SealedRecords
import TextCodecs

struct DevicesList: ParsableCommand, OutputChoosing, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the records of a store, without the keys.",
        discussion: """
            Examples:
              tve devices list --store sqlite:devices.sqlite
              tve devices list --store sqlite:devices.sqlite --output json | wc -l

            A line for each record: its place, its version, which grows by one with each change, and its end. A place \
            does not tell which device it is; show --record opens it with the keys. A server may list a record twice. \
            As JSON it is one object a line.

            Exit codes: 0 done; 64 usage; 66 no such file; 69 the store does not answer; 74 output failed; 78 the store \
            cannot be used.
            """
    )

    @OptionGroup var options: DeviceStoreOptions
    var output: OutputForm { options.output }

    @Option(name: .long, help: ArgumentHelp("Show so many records at most, 1 or more (default: all).", valueName: "n"))
    var limit: Int?

    private static let pageLength = 500

    func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit takes a number above 0.") }
    }

    func run() throws {
        let directory = try options.listing()
        var (cursor, left) = (RecordCursor?.none, limit ?? .max)
        repeat {
            let (place, length) = (cursor, min(left, Self.pageLength))
            let page = try awaiting { try await directory.summaries(after: place, limit: length) }
            let shown = page.summaries.prefix(left)
            try Console.write(shown.flatMap(line))
            (cursor, left) = (page.next, left - shown.count)
        } while cursor != nil && left > 0
    }

    private func line(_ summary: RecordSummary) -> [UInt8] {
        switch output {
        case .text: return Array("\(summary.key)  version \(summary.version)  until \(summary.expires)\n".utf8)
        case .json:
            var object = JSONWriter()
            object.member("record", summary.key.description)
            object.member("version", summary.version)
            object.member("expires", summary.expires.milliseconds)
            return object.line()
        }
    }
}
#endif
