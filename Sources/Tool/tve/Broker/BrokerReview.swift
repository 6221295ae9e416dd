#if CLI
import ArgumentParser
#if Client
import BrokerSimulation
import HostSystem
import TextCodecs
#endif

struct BrokerReview: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Judge recordings of an application's calls by the operator's checklist of REST API V2.",
        discussion: """
            Examples:
              tve broker review app.har
              tve broker review tv.har phone.har --junit acceptance.xml
              tve broker review --at broker.example.net --output json < app.har -
              tve broker review --requests app.har

            The recordings are HAR files, as browsers, Charles, mitmproxy and Proxyman write them. Export them with \
            sensitive data and the bodies of answers: what is not recorded cannot be judged. No token, code, identifier \
            or body is shown. Several files are one story, and an entry that two of them have counts once. Calls to the \
            operator's hosts, to this machine and to those of --at are judged.

            Each item: pass, fail, not seen, or cannot be seen; with the numbers of the calls that show it, which \
            --requests lists, one a line.

            Exit codes: 0 no mandatory item fails, or --requests; 1 one does; 64 usage, or tve was built without the \
            trait Client; 65 no recording, or no call of this API in it; 66 no such file; 69 undecided; 74 input or \
            output failed.
            """
    )

    @Argument(
        help: ArgumentHelp("Recordings; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["har"]))
    var files: [String]

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp("A further host of the API, such as a proxy's. May be repeated.", valueName: "host"))
    var hosts: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("A file to write the report to as JUnit.", valueName: "file"),
        completion: .file())
    var junit: String?

    @Flag(name: .long, help: "List the calls instead: time, endpoint, status, error, what it means, and its action.")
    var requests = false

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        for text in files + hosts + [junit].compactMap(\.self) where text.isEmpty {
            throw ValidationError("A file or host is empty (an unset variable?).")
        }
        for text in hosts {
            let address = WrittenAddress(text.contains("://") ? text : "https://\(text)")
            guard address?.host.canBeHost == true else {
                throw ValidationError("--at takes a host, such as broker.example.net, or an https:// address at it.")
            }
        }
        guard files.count(where: { $0 == "-" }) < 2 else { throw ValidationError("- can be given once.") }
        guard !requests || junit == nil else { throw ValidationError("--requests makes no report for --junit.") }
        #if Client
        try junitFile?.validate()
        #endif
    }

    #if Client
    private var junitFile: ReportFile? { junit.map { ReportFile(option: "--junit", path: $0) } }

    func run() throws {
        try junitFile?.refuse(inputs: files)
        // Recordings may be long: what cannot be written is told before they are read.
        try junitFile?.requireWritable()
        var review = try ArchiveReview(hosts: hosts)
        for file in files { try read(file, into: &review) }
        guard review.count > 0 else {
            let reasons = ["--at HOST names another host than the operator's"] + review.report.remarks
            throw CommandFailure(
                "no_calls", "the recordings have no call of REST API V2; \(reasons.joined(separator: "; "))",
                exitCode: .badInput)
        }
        guard !requests else {
            for remark in review.report.remarks { Console.note("warning: \(remark)", code: "incomplete", as: output) }
            let lines = review.lines
            try Console.show(Self.table(lines), in: output) { object in
                object.member("requests", objects: lines) { line, object in line.write(to: &object) }
            }
            return
        }
        let report = review.report
        try junitFile?.write(Array(report.junit.utf8))
        try Console.show(
            report.text, or: report.object, in: output, endingWith: report.failed.isEmpty ? .success : .failure)
    }

    private func read(_ file: String, into review: inout ArchiveReview) throws {
        do {
            if file == "-" {
                try read(StandardStreams.inputSize, into: &review) {
                    try using("standard input", file: "-", StandardStreams.read(upTo: Self.piece))
                }
            } else {
                try concerning(file: file) {
                    try CommandFailure.refuseMissing(file)
                    var pieces = try FilePieces(of: file)
                    try read(pieces.length, into: &review) { try pieces.next(upTo: Self.piece) }
                }
            }
            try review.endFile()
        } catch let error as NotAnArchive {
            throw CommandFailure(
                "no_recording", "\(Files.shown(file)): no recording (HAR): \(error.what)", file: file,
                exitCode: .badInput)
        }
    }

    /// Reads pieces until there are no more; the length of them all is `nil` if it is not known.
    private func read(_ length: Int?, into review: inout ArchiveReview, next: () throws -> [UInt8]) throws {
        var progress = ReadingProgress(length: length)
        while case let bytes = try next(), !bytes.isEmpty {
            try review.read(bytes)
            progress.show(bytes.count)
        }
        progress.finish()
    }

    private static let piece = 1 << 18

    /// A line for each call, its columns side by side.
    private static func table(_ lines: [RequestLine]) -> String {
        let rows = lines.map(\.columns)
        let widths = rows.first.map { first in
            first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        }
        return rows.map { row in
            let cells = zip(row, widths ?? []).map { $0.padded(to: $1) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }
        .joined()
    }
    #else
    func run() throws { throw CommandFailure.noClient }
    #endif
}

#if Client
/// Shows on a terminal how much of a file was read.
private struct ReadingProgress {
    private let length: Int?
    private let isShown = StandardStreams.errorIsTerminal
    private var count = 0
    private var lastShown = ContinuousClock.now
    private var hasShown = false

    init(length: Int?) { self.length = length }

    /// Shows the progress, at most four times a second.
    mutating func show(_ more: Int) {
        count += more
        let now = ContinuousClock.now
        guard isShown, lastShown.duration(to: now) > .milliseconds(250) else { return }
        (lastShown, hasShown) = (now, true)
        let share = length.flatMap { $0 > 0 ? ", \(min(100, 100 * count / $0)) %" : nil } ?? ""
        StandardStreams.reportProgress("\r\u{1B}[K\(count >> 20) MB\(share)")
    }

    /// Clears the line with the progress.
    func finish() {
        if hasShown { StandardStreams.reportProgress("\r\u{1B}[K") }
    }
}
#endif
#endif
