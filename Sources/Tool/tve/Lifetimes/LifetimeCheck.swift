#if CLI
import ArgumentParser
import EntitlementValues
import SQLiteStores
import TextCodecs
import TokenLifetimes

struct LifetimeCheck: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether an authentication or authorization is valid now.",
        discussion: """
            Examples:
              tve ttl check --state ttl.sqlite --requestor REF30 --mvpd TestMVPD
              tve ttl check --state ttl.sqlite --requestor REF30 --mvpd TestMVPD \\
                  --resource TestChannel --output json

            With --resource it checks the authorization of that resource, compared byte by byte; without it the \
            authentication. What was seen expired, also at a time given with --at, stays expired until it is recorded \
            again, even if the clock is set back, which is reported on standard error.

            Exit codes: 0 valid, even if it expires soon; 12 expired; 13 not yet valid; 17 unknown: never recorded, or \
            invalidated; 64 usage; 66 no such file; 69 the file does not answer; 74 output failed; 78 the file cannot be \
            used.
            """
    )

    @OptionGroup var options: LedgerOptions
    var output: OutputForm { options.output }

    @Option(name: .long, help: ArgumentHelp("Whose ledger: a device or subscriber.", valueName: "name"))
    var ledger = "default"

    @OptionGroup var subject: EntitlementOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Seconds before the end at which it starts to count as expiring, 0 or more (default: 300).",
            valueName: "seconds"))
    var margin: Int64?

    func validate() throws {
        _ = try subject.entitlement()
        guard margin.map({ $0 >= 0 }) ?? true else { throw ValidationError("--margin takes 0 or more seconds.") }
        guard !ledger.isEmpty else { throw ValidationError("--ledger is empty (an unset variable?).") }
    }

    func run() throws {
        let entitlement = try subject.entitlement()
        let store = try options.open(mayMake: false, margin: margin.map { .seconds($0) })
        let entry = try options.reporting { try store.ledger(named: ledger)?.entry(of: entitlement) }
        let status = entry?.status ?? .unknown
        let line = entry?.line ?? "\(entitlement): \(status)"
        try Console.show("\(line)\n", in: output, endingWith: status.exitCode) { object in
            object.member("status", status.code)
            object.member("good", status.isGood)
            if let end = entry?.period.notAfter { object.member("expires", end.milliseconds) }
            if let length = status.milliseconds { object.member("ms", length) }
        }
    }
}

extension EntitlementStatus {
    /// How long the status lasts, in milliseconds, if that is known.
    fileprivate var milliseconds: Int64? {
        switch self {
        case .valid(let time), .expiring(let time), .notYetValid(let time): time.milliseconds
        case .expired, .unknown: nil
        }
    }

    fileprivate var exitCode: ExitCode {
        switch self {
        case .valid, .expiring: .success
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .unknown: .unknownEntitlement
        }
    }
}
#endif
