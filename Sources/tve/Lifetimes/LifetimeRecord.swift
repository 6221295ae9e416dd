#if CLI
import TextCodecs
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import SQLiteStores
import ServiceResponses
import TokenLifetimes

struct LifetimeRecord: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record what the service granted, or what else happened.",
        discussion: """
            Examples:
              tve ttl record --state ttl.sqlite --requestor REF30 --mvpd TestMVPD \\
                  --expires 2026-12-20T06:00:00Z
              tve ttl record --state ttl.sqlite --from profiles --requestor REF30 < profiles.json
              tve ttl record --state ttl.sqlite --from token --keys issuer.pem < authz.txt
              tve ttl record --state ttl.sqlite --event logout
              tve ttl record --state ttl.sqlite --event answered --status 410 \\
                  --requestor REF30 --mvpd TestMVPD --resource TestChannel

            Without --event, a grant: from options, or with --from out of a body on standard input: profiles \
            (with --requestor) and decisions of REST v2, authn and authz of REST v1, or token, a signed AuthN or \
            AuthZ token. Nothing of a media token is kept.

            Events: logout (of everything, or of one --mvpd); cancel (--requestor); select (--requestor, --mvpd); \
            device (--device); issuers (--requestor, --issuer once for each that is allowed; none allows all); \
            answered (--status, the HTTP status of an answer about the requestor, provider and resource).

            Exit codes: 0 done; 10 not such a body or token; 11 bad signature; 18 not taken: another device's, or \
            of an issuer that is not allowed; 64 usage; 66 no such key file; 69 the file does not answer, or no \
            decision; 74 input or output failed; 78 bad key, or the file is something \
            else or cannot be used.
            """
    )

    @OptionGroup var options: LedgerOptions

    @Option(name: .long, help: "Whose ledger: a device or subscriber.")
    var ledger = "default"

    @OptionGroup var subject: EntitlementOptions

    @Option(
        name: .long, help: "When it ends: RFC 3339 or epoch milliseconds.", transform: Timestamp.argument)
    var expires: Timestamp?

    @Option(
        name: .long, help: "When it begins: RFC 3339 or epoch milliseconds.", transform: Timestamp.argument)
    var notBefore: Timestamp?

    @Option(name: .long, help: "Who vouches for it, where it is not the provider; or an issuer that is allowed.")
    var issuer: [String] = []

    @Option(name: .long, help: "The device that it is bound to, as tokens name it.")
    var device: String?

    @Option(name: .long, help: "Read standard input: profiles, decisions, authn, authz or token.")
    var from: LifetimeSource?

    @Option(
        name: .long, parsing: .upToNextOption, help: "With --from token: certificates or public keys.",
        completion: .file())
    var keys: [String] = []

    @OptionGroup var password: PasswordOptions

    @Option(name: .long, help: "logout, cancel, select, device, issuers or answered.")
    var event: LifetimeEvent?

    @Option(name: .long, help: "With --event answered: the HTTP status.")
    var status: Int?

    func validate() throws {
        guard !ledger.isEmpty else { throw ValidationError("--ledger is empty (an unset variable?).") }
        guard device != "", !issuer.contains("") else {
            throw ValidationError("--device or --issuer is empty (an unset variable?).")
        }
        guard event == nil || (from == nil && expires == nil && notBefore == nil) else {
            throw ValidationError("--event goes without --from, --expires and --not-before.")
        }
        guard from == .token || keys.isEmpty else { throw ValidationError("--keys goes with --from token.") }
        guard event == .answered || status == nil else {
            throw ValidationError("--status goes with --event answered.")
        }
        guard password.descriptor != 0 || from == nil else {
            throw ValidationError("--password-fd 0 is standard input, where the body comes from.")
        }
        if let event {
            try event.validate(self)
        } else if let from {
            try from.validate(self)
        } else {
            _ = try subject.entitlement()
            guard expires != nil else { throw ValidationError("Give --expires TIME, or --from.") }
            guard issuer.count < 2 else { throw ValidationError("A grant has one --issuer at most.") }
        }
    }

    func run() throws {
        if let event { return try tell(event) }
        let record: Recording
        if let from {
            record = try from.recording(self)
        } else {
            let period = EntitlementPeriod(notBefore: notBefore, notAfter: expires)
            record = .grant(
                try subject.entitlement(), period, issuer: issuer.first.map { MVPDID($0) },
                device: device.map { DeviceID($0) })
        }
        let store = try options.open(mayMake: true)
        let result = try options.reporting { () throws(SQLiteStoreError) in
            try store.withLedger(named: ledger) { ledger throws(LedgerError) in try record.record(in: ledger) }
        }
        switch result {
        case .success(let outcomes): try show(outcomes)
        case .failure(let error):
            throw Console.fail(error.code, file: "-", error.description, options.output, LifetimeSource.malformed)
        }
    }

    /// Shows what became of it, and how many were taken.
    ///
    /// Where a body grants several things: that one was recorded, else that one was refused.
    private func show(_ outcomes: [RecordOutcome]) throws {
        let outcome =
            [.recorded, .otherDevice, .issuerNotAllowed].first(where: outcomes.contains) ?? outcomes.first
        let code = outcome?.rawValue ?? "nothing"
        var object = JSONWriter()
        object.member("outcome", code)
        object.member("recorded", outcomes.count { $0 == .recorded })
        let shown = options.output == .json ? object.finished : Array(code.utf8)
        let isTaken = outcome != .otherDevice && outcome != .issuerNotAllowed
        let exitCode = isTaken ? ExitCode.success : .notTaken
        throw Console.write(shown + [UInt8(ascii: "\n")], options.output, exitCode: exitCode.rawValue)
    }

    private func tell(_ event: LifetimeEvent) throws {
        let store = try options.open(mayMake: true)
        let change = try event.change(self)
        let erased = try options.reporting { () throws(SQLiteStoreError) in
            try store.withLedger(named: ledger) { ledger throws(LedgerError) in try change(ledger) }
        }
        var object = JSONWriter()
        object.member("erased", erased)
        let shown = options.output == .json ? object.finished : Array("erased \(erased)".utf8)
        try Console.write(shown + [UInt8(ascii: "\n")], options.output)
    }
}

/// What happens to a ledger beside grants.
enum LifetimeEvent: String, ExpressibleByArgument, CaseIterable {
    case logout, cancel, select, device, issuers, answered

    func validate(_ command: LifetimeRecord) throws {
        _ = try change(command)
        // An option that narrows nothing would erase more than was meant.
        let subject = command.subject
        let isUnused =
            switch self {
            case .logout: subject.requestor == nil && subject.resource == nil
            case .cancel, .issuers: subject.mvpd == nil && subject.resource == nil
            case .select: subject.resource == nil
            case .device: subject.requestor == nil && subject.mvpd == nil && subject.resource == nil
            case .answered: true
            }
        guard isUnused else {
            throw ValidationError(
                "--event \(rawValue) does not go with all of --requestor, --mvpd and --resource; see --help.")
        }
        guard self == .device || command.device == nil else {
            throw ValidationError("--device goes with grants and --event device.")
        }
        guard self == .issuers || command.issuer.isEmpty else {
            throw ValidationError("--issuer goes with grants and --event issuers.")
        }
    }

    /// What to do with the ledger; it returns how many entries were erased.
    func change(
        _ command: LifetimeRecord
    ) throws -> @Sendable (EntitlementLedger) throws(LedgerError) -> Int {
        let subject = command.subject
        switch self {
        case .logout:
            let scope = subject.mvpd.map { LogoutScope.mvpd(MVPDID($0)) } ?? .everything
            return { ledger throws(LedgerError) in ledger.logOut(scope) }
        case .cancel:
            let requestor = RequestorID(try subject.requestorOrFail())
            return { ledger throws(LedgerError) in ledger.cancelSelection(for: requestor) }
        case .select:
            let (requestor, mvpd) = (RequestorID(try subject.requestorOrFail()), MVPDID(try subject.mvpdOrFail()))
            return { ledger throws(LedgerError) in try ledger.select(mvpd, for: requestor) }
        case .device:
            guard let device = command.device else { throw ValidationError("Give --device ID.") }
            return { ledger throws(LedgerError) in try ledger.bind(to: DeviceID(device)) }
        case .issuers:
            let requestor = RequestorID(try subject.requestorOrFail())
            let issuers = command.issuer.isEmpty ? nil : Set(command.issuer.map { MVPDID($0) })
            return { ledger throws(LedgerError) in ledger.allow(issuers: issuers, for: requestor) }
        case .answered:
            let entitlement = try subject.entitlement()
            guard let status = command.status, (100...599).contains(status) else {
                throw ValidationError("Give --status CODE, an HTTP status.")
            }
            return { ledger throws(LedgerError) in ledger.invalidate(entitlement, serverStatus: status) }
        }
    }
}
#endif
