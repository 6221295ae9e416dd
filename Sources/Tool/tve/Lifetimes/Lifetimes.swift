#if CLI
import ArgumentParser
import EntitlementValues
import HostSystem
import SQLiteStores
import StoreAddresses
import Synchronization
import TextCodecs
import TokenLifetimes

struct Lifetimes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ttl",
        abstract: "Keep track of what is authorized until when.",
        discussion: """
            Examples:
              tve ttl record --state ttl.sqlite --requestor REF30 --mvpd TestMVPD \\
                  --resource TestChannel --expires 2026-11-21T06:00:00Z
              tve ttl record --state ttl.sqlite --from decisions < decisions.json
              tve ttl check --state ttl.sqlite --requestor REF30 --mvpd TestMVPD \\
                  --resource TestChannel
              tve ttl list --state ttl.sqlite --output json
              tve ttl sweep --state ttl.sqlite

            The file is a SQLite database that several processes of one host may use at once. It holds one ledger \
            for each device or subscriber, named with --ledger. Media tokens are never kept.
            """,
        subcommands: [LifetimeRecord.self, LifetimeList.self, LifetimeCheck.self, LifetimeSweep.self]
    )
}

/// The file, the time, and the form of the output.
struct LedgerOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The file that keeps the ledgers.", valueName: "file"), completion: .file())
    var state: String

    @Option(
        name: .long,
        help: ArgumentHelp("Use this time instead of the clock: RFC 3339 or epoch milliseconds.", valueName: "time"),
        transform: Timestamp.argument)
    var at: Timestamp?

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    /// The time of this command.
    var now: Timestamp { at ?? .now }

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - isNew: Whether it is made if it does not exist; otherwise a missing file is an error.
    ///   - margin: The refresh margin; `nil` for the standard one.
    ///   - number: Numbers the ledgers in reports if there are several.
    /// - Returns: The store.
    /// - Throws: `CommandFailure` if it cannot be opened; `ValidationError` for a bad margin.
    func open(
        mayMake isNew: Bool,
        margin: TimeToLive? = nil,
        number: LedgerNumber = LedgerNumber()
    ) throws -> SQLiteLedgerStore {
        if !isNew { try CommandFailure.refuseMissing(state) }
        let policy = try argument(of: "--margin") {
            try LedgerPolicy(refreshMargin: margin ?? LedgerPolicy.standard.refreshMargin)
        }
        return try reporting {
            try SQLiteLedgerStore(
                path: state, policy: policy, time: .fixed(at: now),
                report: { _, report in
                    StandardStreams.report("tve: \(number.prefix)\(report) [\(report.code)]")
                })
        }
    }

    /// Uses the file; errors of the store and of recording name it.
    func reporting<Answer>(_ body: () throws -> Answer) throws -> Answer {
        try concerning(file: state) {
            do {
                return try body()
            } catch let error as SQLiteStoreError where error.path != nil {
                // It may be the path of a folder above the file.
                throw CommandFailure(any: error) ?? error
            }
        }
    }
}

/// Numbers ledgers in reports, in place of their names: those of devices or subscribers must not get into logs.
final class LedgerNumber: Sendable {
    private let number = Atomic(0)

    func next() { number.add(1, ordering: .relaxed) }

    /// Empty if there is only one ledger.
    var prefix: String {
        let number = number.load(ordering: .relaxed)
        return number == 0 ? "" : "ledger \(number): "
    }
}

/// The requestor, provider and resource that a command is about.
struct EntitlementOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The requestor.", valueName: "id"))
    var requestor: String?

    @Option(name: .long, help: ArgumentHelp("The provider.", valueName: "id"))
    var mvpd: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The resource of an authorization; leave it out for an authentication.", valueName: "id"))
    var resource: String?

    func validate() throws {
        for (name, value) in [("requestor", requestor), ("mvpd", mvpd), ("resource", resource)] where value == "" {
            throw ValidationError("--\(name) is empty (an unset variable?).")
        }
    }

    /// The authentication or authorization; throws `ValidationError` if requestor or provider is missing.
    func entitlement() throws -> Entitlement {
        let (requestor, mvpd) = (RequestorID(try self.requestorOrFail()), MVPDID(try mvpdOrFail()))
        guard let resource else { return .authentication(requestor: requestor, mvpd: mvpd) }
        return .authorization(requestor: requestor, mvpd: mvpd, resource: ResourceID(resource))
    }

    func requestorOrFail() throws -> String {
        guard let requestor else { throw ValidationError("Give --requestor ID.") }
        return requestor
    }

    func mvpdOrFail() throws -> String {
        guard let mvpd else { throw ValidationError("Give --mvpd ID.") }
        return mvpd
    }
}

extension LedgerEntry {
    /// The entry as JSON; instants are epoch milliseconds.
    var object: JSONWriter {
        var object = JSONWriter()
        object.member("requestor", entitlement.requestor.rawValue)
        object.member("mvpd", entitlement.mvpd.rawValue)
        if let resource = entitlement.resource { object.member("resource", resource.rawValue) }
        object.member("status", status.code)
        if let notBefore = period.notBefore { object.member("notBefore", notBefore.milliseconds) }
        if let notAfter = period.notAfter { object.member("expires", notAfter.milliseconds) }
        object.member("issuer", issuer.rawValue)
        object.member("recorded", recorded.milliseconds)
        return object
    }

    /// The entry as a line of text.
    var line: String {
        let end = status.isGood ? period.notAfter.map { ", until \($0)" } : nil
        return "\(entitlement): \(status)\(end ?? "")"
    }
}
#endif
