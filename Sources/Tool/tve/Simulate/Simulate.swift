#if CLI
import ArgumentParser
import EntitlementValues
#if Service
import BrokerSimulation
import HostSystem
import Logging
import OpenSSLBridge
import TVEService
import TextCodecs
#endif

struct Simulate: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a simulated broker on this machine: its API, login pages, and failures on demand.",
        discussion: """
            Examples:
              tve simulate
              tve simulate --port 0 --login auto --seed 7 --output json
              tve simulate --world world.json --state run1 --throttle documented
              tve simulate --port 0 --report acceptance.xml

            It signs for real, with keys of its own that are kept for the next start, and issues tokens of \
            simulator.invalid. With --output json the first line of standard output has url, requestor, \
            softwareStatement, mediaKey (a file for tve verify --keys), metadataKey (a file for tve decrypt --keys, \
            unless --world is given) and control. Everything is in memory; with --state DIR what it remembers is kept, \
            too, and --state - keeps nothing: mediaKey is then the key's text, and there is no metadataKey. \
            It serves until SIGTERM or SIGINT, and finishes the requests that are running. With --report FILE it then \
            writes what the operator's checklist says of the calls since the start: JSON if the name ends with .json, \
            JUnit with .xml, text otherwise. GET /sim/report shows it at any time.

            Exit codes: 0 stopped by a signal; 64 usage, or tve was built without the trait Service; 66 no such \
            file, or no folder for the report; 69 the listener could not be opened; 74 input or output failed; 78 bad \
            world, key, certificate or state.
            """
    )

    @Option(name: .long, help: ArgumentHelp("The port, 0 to 65535; 0 takes a free one.", valueName: "n"))
    var port = 8090

    @Option(
        name: .long,
        help: ArgumentHelp("The host name or address to listen at (default: 127.0.0.1).", valueName: "address"))
    var host: String?

    @Option(
        name: .long,
        help: ArgumentHelp("A file with requestors, providers, users and rules, in JSON.", valueName: "file"),
        completion: .file())
    var world: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A folder for keys and state; - keeps nothing (default: keys under XDG_STATE_HOME or ~/.local/state).",
            valueName: "folder"),
        completion: .directory)
    var state: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A number, 0 or more, that makes ids and codes the same in each run (default: a random one).",
            valueName: "n"))
    var seed: UInt64?

    @Option(name: .long, help: "form shows a login page, auto signs the user ok in at once.")
    var login = SimulatedLogin.form

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How requests are limited: off, documented, or RATE:BURST (default: off).", valueName: "rate"))
    var throttle: String?

    @Flag(name: .long, help: "Note missing and malformed header fields instead of refusing them.")
    var lenient = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file to write the acceptance report to at the end: .json, .xml (JUnit) or text.", valueName: "file"),
        completion: .file())
    var report: String?

    @Option(
        name: .long,
        help: ArgumentHelp("A PEM file with a certificate and its private key, for HTTPS.", valueName: "file"),
        completion: .file())
    var certificate: String?

    @Option(
        name: .long, help: ArgumentHelp("The time at the start: RFC 3339 or epoch milliseconds.", valueName: "time"),
        transform: Timestamp.argument)
    var clock: Timestamp?

    @Flag(name: .long, help: "Let other machines in; --host is 0.0.0.0 then, unless it is given.")
    var listenAnywhere = false

    @Flag(name: .long, help: "Let a request choose what goes wrong, with the header field X-Sim-Scenario.")
    var requestScenarios = false

    @Option(name: .long, help: ArgumentHelp("How to show where it is: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        let texts = [
            ("host", host), ("world", world), ("state", state), ("certificate", certificate), ("report", report),
        ]
        for (name, value) in texts where value == "" {
            throw ValidationError("--\(name) is empty (an unset variable?).")
        }
        if let host, !host.canBeHost {
            throw ValidationError(
                "--host takes a host name or an address, such as 127.0.0.1, without scheme, port and brackets.")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535.") }
        #if Service
        _ = try throttleMode()
        try reportFile?.validate()
        #endif
    }

    #if Service
    private var reportFile: ReportFile? { report.map { ReportFile(option: "--report", path: $0) } }

    func run() throws {
        // Connections have threads of their own, which may be at work when the process ends.
        keepLibcryptoAtExit()
        try awaiting { [self] in try await serve() }
    }

    private func serve() async throws {
        defer { JSONLogHandler.flush() }
        let limit = try throttleMode()
        try reportFile?.refuse(inputs: [world, certificate].compactMap(\.self))
        let described = try describedWorld()
        let place = try SimulationPlace(state)
        if let folder = place.folder { try reportFile?.refuse(folder: folder.path) }
        // The report is written when it stops: then it would be too late for a better name.
        try reportFile?.requireWritable()
        let simulator = try make(at: place, of: described, throttling: limit)
        var logger = Logger(label: "tve") { _ in JSONLogHandler() }
        logger.logLevel = .error
        let service = try listener(for: simulator, at: place, logger)
        let metadataKey = described == nil ? place.metadataKeyFile : nil
        let banner = SimulationBanner(simulator, place, metadataKey: metadataKey, warnsOfOthers: listenAnywhere)
        let announcement = Task {
            if let origin = await service.origin { try banner.write(origin, as: output) }
        }
        do {
            try await service.runUntilSignalled(logger: logger)
        } catch {
            throw CommandFailure(
                "io", "the listener could not be opened (--host, --port, --certificate): \(error)", exitCode: .undecided
            )
        }
        try await announcement.value
        if let reportFile { try reportFile.write(simulator.acceptanceReport.bytes(forFile: reportFile.path)) }
    }

    private func make(
        at place: SimulationPlace,
        of described: SimulatedWorld?,
        throttling limit: ThrottleMode?
    ) throws -> BrokerSimulator {
        var settings = SimulatorSettings()
        settings.seed = seed
        settings.login = login == .auto ? .automatic(user: Self.automaticUser) : .form
        settings.throttle = limit ?? .off
        settings.isLenient = lenient
        settings.allowsRequestScenarios = requestScenarios
        let start = if let described { described } else { try place.sampleWorld() }
        let simulator = try BrokerSimulator(world: start, keys: try place.keys(), settings: settings)
        if let kept = try place.keptState(), let file = place.stateFolder?.stateFile {
            try concerning("--state: \(file.printable)", file: file) { try simulator.restore(kept) }
            // What the command line says is newer than what was kept.
            if let described { try simulator.replaceWorld(by: described) }
            if let limit { simulator.setThrottle(limit) }
        }
        if login == .auto { try requireAutomaticUser(in: simulator.world, at: place) }
        if let clock { simulator.setClock(to: clock) }
        return simulator
    }

    /// The user whom `--login auto` signs in.
    private static let automaticUser = "ok"

    /// Refuses a world in which every sign-in would fail.
    private func requireAutomaticUser(in described: SimulatedWorld, at place: SimulationPlace) throws(CommandFailure) {
        // The sample has the user: so it is a world of the user's own, or one that an earlier run left.
        guard described.user(Self.automaticUser) == nil, let file = world ?? place.stateFolder?.stateFile else {
            return
        }
        let error = SimulationError.unknownUser(Self.automaticUser)
        let name = CommandFailure.naming(file, of: world == nil ? "--state" : "--world")
        throw CommandFailure(
            error.code,
            "\(name): the world has no user named \(Self.automaticUser), whom --login auto signs in; "
                + "add one to the world, or take --login form",
            file: file, exitCode: error.ending)
    }

    private func listener(
        for simulator: BrokerSimulator,
        at place: SimulationPlace,
        _ logger: Logger
    ) throws -> SimulationService {
        var settings = SimulationSettings(
            host: host ?? (listenAnywhere ? "0.0.0.0" : "127.0.0.1"), port: port, certificate: certificate,
            listensAnywhere: listenAnywhere)
        settings.keeping = place.line
        if let certificate { try CommandFailure.refuseMissing(certificate, of: "--certificate") }
        return try concerning(file: certificate) {
            do {
                return try SimulationService(
                    simulator, settings: settings, keepingStateIn: place.stateFolder, logger: logger)
            } catch SimulationServiceError.notLoopback {
                throw CommandFailure.usage(
                    "--host is not the loopback interface, such as 127.0.0.1; --listen-anywhere lets other machines in")
            }
        }
    }

    private func throttleMode() throws -> ThrottleMode? {
        guard let throttle else { return nil }
        guard let mode = ThrottleMode(named: throttle), mode.rule != .always else {
            throw ValidationError("--throttle takes off, documented, or RATE:BURST such as 5:20.")
        }
        return mode
    }

    private func describedWorld() throws -> SimulatedWorld? {
        guard let world else { return nil }
        return try concerning("--world", file: world) {
            try SimulatedWorld(json: Files.read(world, maximumSize: 16_777_216).withSpan { [UInt8](copying: $0) })
        }
    }
    #else
    func run() throws {
        throw CommandFailure.noService
    }
    #endif
}

/// What a browser meets that comes to sign in.
enum SimulatedLogin: String, ExpressibleByArgument, CaseIterable {
    case form, auto
}

#if Service
/// What a started simulator says on standard output: what to copy.
struct SimulationBanner: Sendable {
    private let requestor: RequestorID?
    private let statement: String?
    private let mediaKey: String
    private let metadataKey: String?
    private let line: String
    private let warnsOfOthers: Bool

    init(_ simulator: BrokerSimulator, _ place: SimulationPlace, metadataKey: String?, warnsOfOthers: Bool) {
        requestor = simulator.world.requestors.first { !$0.statements.isEmpty }?.id
        statement = requestor.flatMap { try? simulator.softwareStatement(of: $0) }
        mediaKey = place.mediaKeyFile ?? simulator.keys.mediaPEM
        self.metadataKey = metadataKey
        line = place.line
        self.warnsOfOthers = warnsOfOthers
    }

    /// Writes the banner, in JSON as one line for programs.
    ///
    /// `origin` is where the simulator listens. Throws `CommandFailure` or `ExitCode` if it cannot be written.
    func write(_ origin: String, as form: OutputForm) throws {
        if warnsOfOthers {
            Console.note(
                "warning: other machines can reach this simulator, which protects nothing", code: "listens_anywhere",
                as: form)
        }
        let lines = [
            ("broker", origin), ("requestor", requestor?.rawValue ?? "none"), ("statement", statement ?? "none"),
            ("media key", mediaKey.hasPrefix("-----") ? "\(origin)/sim/keys/media.pem" : mediaKey),
            ("metadata key", metadataKey ?? "none"), ("overview", "\(origin)/"),
            ("activation", "\(origin)/sim/activate"),
            ("control", "\(origin)/sim"),
        ]
        let warning = warnsOfOthers ? "WARNING: other machines can reach it, and it protects nothing.\n" : ""
        let text = "A simulated broker: nothing in it is real.\n\(warning)\(aligned(lines))\(line)\nCtrl-C stops it.\n"
        try Console.show(text, in: form) { object in
            object.member("url", origin)
            object.member("requestor", requestor?.rawValue ?? "")
            object.member("softwareStatement", statement ?? "")
            object.member("mediaKey", mediaKey)
            if let metadataKey { object.member("metadataKey", metadataKey) }
            object.member("control", "\(origin)/sim")
        }
    }
}
#endif
#endif
