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

    @Option(name: .long, help: ArgumentHelp("Whose ledger (default: all of them).", valueName: "name"))
    var ledger: String?

    func run() throws {
        let ledgers = try options.ledgers(named: ledger) { store, name in
            try store.ledger(named: name).map {
                ListedLedger(name: name, device: $0.device, entries: $0.entries)
            }
        }
        try Console.show(ledgers.map(\.text).joined(), in: output) { $0.member("ledgers", ledgers.map(\.object)) }
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

    @Option(name: .long, help: ArgumentHelp("Whose ledger (default: all of them).", valueName: "name"))
    var ledger: String?

    func run() throws {
        let ledgers = try options.ledgers(named: ledger) { store, name in
            guard try store.ledger(named: name) != nil else { return nil }
            return ListedLedger(name: name, device: nil, entries: try store.withLedger(named: name) { $0.sweep() })
        }
        let count = ledgers.map(\.entries.count).reduce(0, +)
        let lines = ledgers.filter { !$0.entries.isEmpty }.map(\.text).joined()
        try Console.show("\(lines)swept \(count)\n", in: output) { object in
            object.member("swept", count)
            object.member("ledgers", ledgers.map(\.object))
        }
    }
}

extension LedgerOptions {
    /// Lists all ledgers in the order of their names, or the wanted one.
    fileprivate func ledgers(
        named wanted: String?,
        _ look: (SQLiteLedgerStore, _ name: String) throws -> ListedLedger?
    ) throws -> [ListedLedger] {
        let number = LedgerNumber()
        let store = try open(mayMake: false, number: number)
        let found = try reporting {
            var found: [ListedLedger] = []
            for name in try wanted.map({ [$0] }) ?? store.names {
                if wanted == nil { number.next() }
                if let ledger = try look(store, name) { found.append(ledger) }
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
