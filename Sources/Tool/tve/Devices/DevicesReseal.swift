#if CLI
import ArgumentParser
import DeviceRecords
import HostSystem
import TextCodecs

struct DevicesReseal: ParsableCommand, OutputChoosing, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "reseal",
        abstract: "Seal every record with the newest key of the ring.",
        discussion: """
            Examples:
              tve devices reseal --store sqlite:devices.sqlite --dry-run
              tve devices reseal --store redis://store.example:6379/0 --sealing-keys devices.keys

            The newest key is the last one in the file, which all servers need first. Where several share the store, give \
            all of them the new key above the last line, and only then at the end. They go on meanwhile. What is done is skipped, so a run that was stopped is made good by another one. Once a run ends with exit code 0, \
            no record needs the older keys.

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
        switch output {
        case .text: try Console.write(counts.line)
        case .json: try Console.write(counts.object(isTrial: dryRun))
        }
        if counts.isStopped, let signal = StopSignals.received { throw ExitCode(128 + signal) }
        if let exitCode = counts.exitCode { throw exitCode }
    }
}
#endif
