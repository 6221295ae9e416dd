#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import SQLiteStores
import ServiceResponses
import TextCodecs
import TokenLifetimes

struct LifetimeRecord: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record what a service granted, or an event such as a logout.",
        discussion: """
            Examples:
              tve ttl record --state ttl.sqlite --requestor REF30 --mvpd TestMVPD \\
                  --expires 2026-12-20T06:00:00Z
              tve ttl record --state ttl.sqlite --from profiles \\
                  --requestor REF30 < profiles.json
              tve ttl record --state ttl.sqlite --from token --keys issuer.pem < authz.txt
              tve ttl record --state ttl.sqlite --event logout
              tve ttl record --state ttl.sqlite --event answered --status 410 \\
                  --requestor REF30 --mvpd TestMVPD --resource TestChannel

            A grant comes from options, or with --from from a body on standard input: profiles and decisions are \
            responses of REST v2, authn and authz of REST v1, and token is a signed AuthN or AuthZ token. Media tokens \
            are never recorded. Events and their options: logout (--mvpd, or everything); cancel (--requestor); select \
            (--requestor, --mvpd); device (--device); issuers (--requestor, and --issuer for each that is allowed, or \
            none to allow all); answered (--status, --requestor, --mvpd, --resource).

            Exit codes: 0 done; 10 not such a body or token; 11 bad signature; 18 refused: the ledger is bound to \
            another device, or does not allow the issuer; 64 usage; 66 no such key file; 69 the file does not answer, \
            or no decision; 74 input or output failed; 78 bad key, or the file cannot be used.
            """
    )

    @OptionGroup var options: LedgerOptions
    var output: OutputForm { options.output }

    @Option(name: .long, help: ArgumentHelp("Whose ledger: a device or subscriber.", valueName: "name"))
    var ledger = "default"

    @OptionGroup var subject: EntitlementOptions

    @Option(
        name: .long, help: ArgumentHelp("End of the grant: RFC 3339 or epoch milliseconds.", valueName: "time"),
        transform: Timestamp.argument)
    var expires: Timestamp?

    @Option(
        name: .long, help: ArgumentHelp("Start of the grant: RFC 3339 or epoch milliseconds.", valueName: "time"),
        transform: Timestamp.argument)
    var notBefore: Timestamp?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The issuer of the grant, if not the provider; with --event issuers, an allowed issuer.", valueName: "name")
    )
    var issuer: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("The device that the grant is bound to, as tokens name it.", valueName: "id"))
    var device: String?

    @Option(name: .long, help: "Read standard input: profiles, decisions, authn, authz or token.")
    var from: LifetimeSource?

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp("With --from token: certificates or public keys.", valueName: "path"),
        completion: .file())
    var keys: [String] = []

    @OptionGroup var password: PasswordOptions

    @Option(name: .long, help: "Record an event: logout, cancel, select, device, issuers or answered.")
    var event: LifetimeEvent?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --event answered: the HTTP status of the service's answer, 100 to 599.", valueName: "n"))
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
            throw ValidationError("--password-fd 0 is standard input, which the body comes from.")
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
        if let event { return try apply(event) }
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
        let outcomes = try options.reporting {
            try store.withLedger(named: ledger) { ledger in try record.record(in: ledger) }
        }
        try show(outcomes)
    }

    /// Shows the outcome, and how many grants were recorded.
    ///
    /// For several grants the outcome is `recorded` if one of them was, else why one was refused.
    private func show(_ outcomes: [RecordOutcome]) throws {
        let outcome =
            [.recorded, .otherDevice, .issuerNotAllowed].first(where: outcomes.contains) ?? outcomes.first
        let code = outcome?.rawValue ?? "nothing"
        let isRefused = outcome == .otherDevice || outcome == .issuerNotAllowed
        try Console.show("\(code)\n", in: output, endingWith: isRefused ? .refusedByLedger : .success) { object in
            object.member("outcome", code)
            object.member("recorded", outcomes.count { $0 == .recorded })
        }
    }

    private func apply(_ event: LifetimeEvent) throws {
        let store = try options.open(mayMake: true)
        let change = try event.change(self)
        let erased = try options.reporting { try store.withLedger(named: ledger, change) }
        try Console.show("erased \(erased)\n", in: output) { $0.member("erased", erased) }
    }
}

/// The kind of body or token on standard input.
enum LifetimeSource: String, ExpressibleByArgument, CaseIterable {
    case profiles, decisions, authn, authz, token

    /// Maximum length of a body in bytes; real ones have a few kilobytes.
    private static let maximumLength = 1 << 24

    /// Throws `ValidationError` if an option is missing that the source needs, or one is there that contradicts it.
    func validate(_ command: LifetimeRecord) throws {
        let subject = command.subject
        guard self != .profiles || subject.requestor != nil else {
            throw ValidationError("--from profiles needs --requestor, which the body does not name.")
        }
        guard self == .profiles || subject.requestor == nil, subject.mvpd == nil, subject.resource == nil,
            command.expires == nil, command.notBefore == nil, command.issuer.isEmpty, command.device == nil
        else { throw ValidationError("With --from, the body says what is granted and until when.") }
        guard self != .token || !command.keys.isEmpty else { throw ValidationError("--from token needs --keys.") }
    }

    /// Reads and parses the body or token.
    ///
    /// Throws an error of ``CommandEnding``, or `CommandFailure`, if it cannot be read, parsed or verified.
    func recording(_ command: LifetimeRecord) throws -> Recording {
        if self == .token { return try .token(verifiedToken(command)) }
        let body = try TokenInput.standardInput("the body", upTo: Self.maximumLength)
        switch self {
        case .profiles:
            let requestor = RequestorID(command.subject.requestor ?? "")
            return .profiles(try ProfilesResponse(parsing: body), requestor)
        case .decisions: return .decisions(try DecisionsResponse(parsing: body))
        case .authn, .token: return .authentication(try AuthenticationResponse(parsing: body))
        case .authz: return .authorization(try AuthorizationResponse(parsing: body))
        }
    }

    private func verifiedToken(_ command: LifetimeRecord) throws -> VerifiedEntitlementToken {
        let keys = try KeyPaths(paths: command.keys).read(try command.password.read())
        let bytes = try TokenInput.bytes(nil)
        return try EntitlementTokenVerifier(keys: keys).verify(bytes, at: command.options.now)
    }
}

/// What is recorded in a ledger.
enum Recording: Sendable {
    case grant(Entitlement, EntitlementPeriod, issuer: MVPDID?, device: DeviceID?)
    case token(VerifiedEntitlementToken)
    case profiles(ProfilesResponse, RequestorID)
    case decisions(DecisionsResponse)
    case authentication(AuthenticationResponse)
    case authorization(AuthorizationResponse)

    /// Records it; returns the outcome of each grant.
    ///
    /// Throws `LedgerError`, or what is wrong with the body as `ResponseRecordingError`.
    func record(in ledger: EntitlementLedger) throws -> [RecordOutcome] {
        switch self {
        case .grant(let entitlement, let period, let issuer, let device):
            [try ledger.record(entitlement, period, issuer: issuer, device: device)]
        case .token(let token): [try ledger.record(token)]
        case .profiles(let response, let requestor): try ledger.record(response, for: requestor)
        case .decisions(let response): try ledger.record(response)
        case .authentication(let response): [try ledger.record(response)]
        case .authorization(let response): [try ledger.record(response)]
        }
    }
}
#endif
