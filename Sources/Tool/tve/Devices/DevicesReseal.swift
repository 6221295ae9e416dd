#if CLI
import ArgumentParser
import DeviceRecords
import HostSystem
import SealedRecords
import TextCodecs

struct DevicesReseal: ParsableCommand, OutputChoosing, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "reseal",
        abstract: "Seal every record with the newest key of the ring.",
        discussion: """
            Examples:
              tve devices reseal --store sqlite:devices.sqlite --dry-run
              tve devices reseal --store redis://store.example:6379/0 \\
                  --sealing-keys devices.keys

            The newest key is the last one in the file, which all servers need first. Where several share the store, give \
            all of them the new key above the last line, and only then at the end. They go on meanwhile. What is done is \
            skipped, so a run that was stopped is made good by another one. Once a run ends with exit code 0, no record \
            needs the older keys.

            resealed: written with the newest key (with --dry-run: would be, and it opens); current: was so already; \
            gone: removed since it was listed; unsealed: left alone, since it is not a device's; failed: does not open.

            Exit codes: 0 done; 64 usage; 66 no such file; 69 the store does not answer, or a record was changed by \
            others all the time; 74 output failed; 78 the store or its keys cannot be used, or a record does not open; \
            130, 143 stopped by Ctrl-C or SIGTERM.
            """
    )

    @OptionGroup var options: DeviceStoreOptions
    var output: OutputForm { options.output }

    @Flag(name: .long, help: "Write nothing; count, and check that every record opens.")
    var dryRun = false

    func run() throws {
        StopSignals.catchOnce()
        let run = ResealRun(isTrial: dryRun, form: output)
        let counts = try awaiting { [options] in try await run.run(try await options.directory()) }
        try Console.show(counts.line, or: counts.object(isTrial: dryRun), in: output)
        if counts.isStopped, let signal = StopSignals.received { throw ExitCode(128 + signal) }
        if let exitCode = counts.exitCode { throw exitCode }
    }
}

/// Seals all records of a store with the newest key, several at once.
struct ResealRun: Sendable {
    /// Records that are under way share a write of the disk.
    private static let width = 16
    private static let pageLength = 500
    /// How many failures are reported one by one.
    private static let maximumReports = 20

    /// Whether nothing is written.
    let isTrial: Bool
    /// How failures of single records are reported.
    let form: OutputForm

    /// Goes through the store, until it is through or a signal comes.
    ///
    /// Throws `DeviceRecordsError` if the store does not answer.
    func run(_ directory: DeviceDirectory) async throws -> ResealCounts {
        var counts = ResealCounts()
        var progress = ResealProgress()
        defer { progress.finish() }
        var cursor: RecordCursor?
        repeat {
            let page = try await directory.summaries(after: cursor, limit: Self.pageLength)
            for start in stride(from: 0, to: page.summaries.count, by: Self.width) {
                guard StopSignals.received == nil else {
                    counts.isStopped = true
                    return counts
                }
                let keys = page.summaries[start..<min(start + Self.width, page.summaries.count)].map(\.key)
                for looked in await reseal(keys, in: directory) {
                    try note(looked.outcome, of: looked.key, in: &counts, &progress)
                }
                progress.show(counts)
            }
            cursor = page.next
        } while cursor != nil
        // The mark comes last: if the run is cut short, the ring still needs the older keys, and the mark says so.
        _ = try await directory.resealMark(isTrial: isTrial)
        return counts
    }

    private typealias Outcome = Result<Resealing, DeviceRecordsError>

    /// What became of one record.
    ///
    /// A type of its own: with a tuple in its place, the optimised tool lost results of the group and crashed (Swift 6.3.1).
    private struct Looked: Sendable {
        let key: RecordKey
        let outcome: Outcome
    }

    private func reseal(_ keys: [RecordKey], in directory: DeviceDirectory) async -> [Looked] {
        await withTaskGroup(of: Looked.self) { group in
            for key in keys {
                group.addTask { Looked(key: key, outcome: await outcome(of: key, in: directory)) }
            }
            var found: [Looked] = []
            for await one in group { found.append(one) }
            return found
        }
    }

    private func outcome(of key: RecordKey, in directory: DeviceDirectory) async -> Outcome {
        do throws(DeviceRecordsError) {
            return .success(try await directory.reseal(at: key, isTrial: isTrial))
        } catch {
            return .failure(error)
        }
    }

    /// Counts an outcome; a store that does not answer ends the run.
    private func note(
        _ outcome: Outcome,
        of key: RecordKey,
        in counts: inout ResealCounts,
        _ progress: inout ResealProgress
    ) throws(DeviceRecordsError) {
        switch outcome {
        case .success(let resealing): counts.add(resealing)
        case .failure(.store(let error)): throw .store(error)
        case .failure(let error):
            counts.add(error)
            guard counts.failed <= Self.maximumReports else { return }
            progress.finish()
            Console.note("record \(key): \(error)", code: error.code, as: form)
        }
    }
}

/// How many records became what.
struct ResealCounts: Sendable {
    private(set) var resealed = 0
    private(set) var current = 0
    private(set) var gone = 0
    private(set) var unsealed = 0
    private(set) var failed = 0
    private var contended = 0
    /// Whether a signal ended the run before its end.
    var isStopped = false

    mutating func add(_ outcome: Resealing) {
        switch outcome {
        case .resealed: resealed += 1
        case .current: current += 1
        case .gone: gone += 1
        case .unsealed: unsealed += 1
        }
    }

    mutating func add(_ error: DeviceRecordsError) {
        failed += 1
        if case .contended = error { contended += 1 }
    }

    /// How many records were looked at.
    var total: Int { resealed + current + gone + unsealed + failed }

    /// The exit code of a run that came to its end; `nil` if all is well.
    var exitCode: ExitCode? {
        guard failed > 0 else { return nil }
        return failed == contended ? .undecided : .badConfiguration
    }

    var line: String {
        "resealed \(resealed), current \(current), gone \(gone), unsealed \(unsealed), failed \(failed)"
            + (isStopped ? ", stopped before the end\n" : "\n")
    }

    func object(isTrial: Bool) -> JSONWriter {
        var object = JSONWriter()
        for (name, count) in [
            ("resealed", resealed), ("current", current), ("gone", gone), ("unsealed", unsealed), ("failed", failed),
        ] {
            object.member(name, count)
        }
        object.member("dryRun", isTrial)
        object.member("complete", !isStopped)
        return object
    }
}

/// Shows on a terminal how far a run has come; a pipe gets nothing.
struct ResealProgress {
    private let isShown = StandardStreams.errorIsTerminal
    private let start = ContinuousClock.now
    private var lastShown = ContinuousClock.now
    private var hasShown = false

    /// Shows the counts, at most four times a second.
    mutating func show(_ counts: ResealCounts) {
        let now = ContinuousClock.now
        guard isShown, lastShown.duration(to: now) > .milliseconds(250) else { return }
        (lastShown, hasShown) = (now, true)
        let rate = Int(Double(counts.total) / (start.duration(to: now) / .seconds(1)))
        let text = "\(counts.total) records, \(rate)/s, \(counts.resealed) resealed, \(counts.failed) failed"
        StandardStreams.reportProgress("\r\u{1B}[K\(text)")
    }

    /// Clears the line.
    mutating func finish() {
        if hasShown { StandardStreams.reportProgress("\r\u{1B}[K") }
        hasShown = false
    }
}
#endif
