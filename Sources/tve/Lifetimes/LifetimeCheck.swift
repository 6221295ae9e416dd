#if CLI
import TextCodecs
import ArgumentParser
import EntitlementValues
import SQLiteStores
import TokenLifetimes

struct LifetimeCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether an authentication or authorization is good now.",
        discussion: """
            With --resource the authorization of that resource, to the byte; without it the authentication.

            What has expired once stays so until it is recorded anew, also where the clock is set back; a clock \
            that jumps back is told of on standard error. A time given with --at counts as seen, too.

            Exit codes: 0 good, expiring or not; 12 expired; 13 not yet valid; 17 unknown: never recorded, or \
            invalidated; 64 usage; 66 no such file; 69 the file does not answer; 74 output failed; 78 the file is \
            something else or cannot be used.
            """
    )

    @OptionGroup var options: LedgerOptions

    @Option(name: .long, help: "Whose ledger: a device or subscriber.")
    var ledger = "default"

    @OptionGroup var subject: EntitlementOptions

    @Option(name: .long, help: "Seconds before the end from which it is called expiring.")
    var margin: Int64?

    func validate() throws {
        _ = try subject.entitlement()
        guard margin.map({ $0 >= 0 }) ?? true else { throw ValidationError("--margin takes 0 or more seconds.") }
        guard !ledger.isEmpty else { throw ValidationError("--ledger is empty (an unset variable?).") }
    }

    func run() throws {
        let entitlement = try subject.entitlement()
        let store = try options.open(mayMake: false, margin: margin.map { .seconds($0) })
        let entry = try options.reporting { () throws(SQLiteStoreError) -> LedgerEntry? in
            // A question makes no ledger.
            guard try store.names.contains(where: { $0.utf8.elementsEqual(ledger.utf8) }) else { return nil }
            return try store.withLedger(named: ledger) { $0.entry(of: entitlement) }
        }
        let status = entry?.status ?? .unknown
        var shown: [UInt8]
        switch options.output {
        case .text: shown = Array((entry?.line ?? "\(entitlement): \(status)").utf8)
        case .json:
            var object = JSONWriter()
            object.member("status", status.code)
            object.member("good", status.isGood)
            if let end = entry?.period.notAfter { object.member("expires", end.milliseconds) }
            if let length = status.milliseconds { object.member("ms", length) }
            shown = object.finished
        }
        shown.append(UInt8(ascii: "\n"))
        throw Console.write(shown, options.output, exitCode: status.exitCode.rawValue)
    }
}

extension EntitlementStatus {
    /// How long it stays as it is, where that is known.
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
