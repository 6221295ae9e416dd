#if CLI
import ArgumentParser
import EntitlementValues
import SQLiteStores
import TextCodecs
import TokenLifetimes

struct LifetimeList: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show what is recorded, and its status now.",
        discussion: """
            Example:
              tve ttl list --state ttl.sqlite --output json

            The output names devices and what they watch. What has expired by a time given with --at stays expired \
            until it is recorded again.

            Exit codes: 0 done; 17 no such ledger; 64 usage; 66 no such file; 69 the file does not answer; 74 \
            output failed; 78 the file cannot be used.
            """
    )

    @OptionGroup var options: LedgerOptions
    var output: OutputForm { options.output }

    @Option(name: .long, help: "Whose ledger (default: all of them).")
    var ledger: String?

    func run() throws {
        let ledgers = try options.ledgers(ledger) {
            ListedLedger(name: $0, device: $1.device, entries: $1.entries)
        }
        switch output {
        case .text: try Console.write(ledgers.map(\.text).joined())
        case .json:
            var object = JSONWriter()
            object.member("ledgers", ledgers.map(\.object))
            try Console.write(object)
        }
    }
}

struct LifetimeSweep: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Remove expired entries, and show them.",
        discussion: """
            Example:
              tve ttl sweep --state ttl.sqlite

            No other command removes entries because of their age. Sweep when the clock can be trusted, or give the \
            time with --at.

            Exit codes: 0 done; 17 no such ledger; 64 usage; 66 no such file; 69 the file does not answer; 74 \
            output failed; 78 the file cannot be used.
            """
    )

    @OptionGroup var options: LedgerOptions
    var output: OutputForm { options.output }

    @Option(name: .long, help: "Whose ledger (default: all of them).")
    var ledger: String?

    func run() throws {
        let ledgers = try options.ledgers(ledger) { ListedLedger(name: $0, device: nil, entries: $1.sweep()) }
        let count = ledgers.map(\.entries.count).reduce(0, +)
        switch output {
        case .text:
            try Console.write(ledgers.filter { !$0.entries.isEmpty }.map(\.text).joined() + "swept \(count)\n")
        case .json:
            var object = JSONWriter()
            object.member("swept", count)
            object.member("ledgers", ledgers.map(\.object))
            try Console.write(object)
        }
    }
}

extension SQLiteLedgerStore {
    /// All names, or the wanted one if there is a ledger of that name.
    fileprivate func names(_ wanted: String?) throws(SQLiteStoreError) -> [String] {
        try names.filter { name in wanted.map { $0.utf8.elementsEqual(name.utf8) } ?? true }
    }
}

extension LedgerOptions {
    /// Lists all ledgers in the order of their names, or the wanted one.
    fileprivate func ledgers(
        _ wanted: String?,
        _ look: (_ name: String, EntitlementLedger) -> ListedLedger
    ) throws -> [ListedLedger] {
        let number = LedgerNumber()
        let store = try open(mayMake: false, number: number)
        let found = try reporting { () throws(SQLiteStoreError) in
            var found: [ListedLedger] = []
            for name in try store.names(wanted) {
                if wanted == nil { number.next() }
                found.append(try store.withLedger(named: name) { look(name, $0) })
            }
            return found
        }
        try expect(wanted, among: found.map(\.name))
        return found
    }

    /// Refuses a name that no ledger has: it is probably mistyped.
    private func expect(_ ledger: String?, among names: [String]) throws {
        guard let ledger, names.isEmpty else { return }
        let detail = "\(state): no ledger \(ledger.printable); leave out --ledger to see all"
        throw CommandFailure("no_such_ledger", detail, file: state, exitCode: .unknownEntitlement)
    }
}

/// One ledger of a file.
private struct ListedLedger: Sendable {
    let name: String
    let device: DeviceID?
    let entries: [LedgerEntry]

    var text: String {
        let device = device.map { ", device \($0.rawValue.printable)" } ?? ""
        return "ledger \(name.printable)\(device)\n" + entries.map { "  \($0.line)\n" }.joined()
    }

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("ledger", name)
        if let device { object.member("device", device.rawValue) }
        object.member("entries", entries.map(\.object))
        return object
    }
}
#endif
