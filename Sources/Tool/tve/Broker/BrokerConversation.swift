#if CLI && Client
import ArgumentParser
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementKeys
import EntitlementValues
import HostSystem
import ServiceResponses
import TextCodecs

/// What a command needs to call the broker: this machine as a caller, and the file that keeps what it has.
struct BrokerConversation: Sendable {
    let requestor: RequestorID
    let caller: Caller
    let state: BrokerState
    private let transport: AsyncHTTPTransport

    /// Reads the files that the options name; nothing is sent.
    ///
    /// `management` is the origin where resets are made; `nil` for that of the broker's environment. Throws
    /// `CommandFailure` or `ValidationError`.
    init(_ options: BrokerOptions, management: String?) async throws {
        guard let requestor = options.requestor else { throw ValidationError("Give --requestor ID.") }
        guard let statementFile = options.statement else { throw ValidationError("Give --statement FILE.") }
        self.requestor = RequestorID(requestor)
        let statement = try SoftwareStatement(file: statementFile)
        var settings = BrokerSettings()
        // The credentials for resets are kept beside those of the app, which has another statement.
        settings.management = statement
        let address = try options.clientAddress.map { text in
            try argument(of: "--client-address") { try ClientAddress(text) }
        }
        let info = try options.deviceInfo.map { try DeviceInfo(file: $0) } ?? DeviceInfo.ofThisMachine()
        let origin = try options.origin()
        let api = try Self.origin(origin.text, of: origin.source)
        let environment =
            if let management {
                BrokerEnvironment(api: api, management: try Self.origin(management, of: "--management"))
            } else {
                BrokerEnvironment(of: api)
            }
        state = try await BrokerState(path: try options.statePath())
        transport = try Self.transport(trusting: options.ca)
        let device = Device(key: BrokerState.device, identifier: try await state.identifier(), info: info)
        var observation = BrokerObservation()
        if options.trace { observation.trace = { event in StandardStreams.report("\(event)") } }
        let broker = Broker(
            at: environment, application: Broker.Application(statement), records: state.directory, over: transport,
            settings: settings, observation: observation)
        caller = broker.caller(device, from: address)
    }

    /// Closes the connections.
    func end() async {
        await transport.shutdown()
    }

    private static func origin(_ text: String, of option: String) throws -> BrokerOrigin {
        try concerning(option, exitCode: .usage) { try BrokerOrigin(parsing: text) }
    }

    private static func transport(trusting file: String?) throws -> AsyncHTTPTransport {
        var settings = AsyncHTTPTransport.Settings()
        settings.proxy = try HTTPProxy.ofEnvironment()
        guard let file else { return try AsyncHTTPTransport(settings) }
        try CommandFailure.refuseMissing(file, of: "--ca")
        settings.authorities = .file(file)
        return try concerning("--ca", file: file) { try AsyncHTTPTransport(settings) }
    }
}

extension SoftwareStatement {
    /// Reads a file that holds a statement, with or without a line end.
    fileprivate init(file: String) throws {
        self = try concerning("--statement", file: file) {
            let content = try Files.read(file, maximumSize: SoftwareStatement.maximumFileSize)
            return try SoftwareStatement(fileContent: content.withSpan { [UInt8](copying: $0) })
        }
    }
}

extension DeviceInfo {
    /// Reads a file that holds the JSON of the header.
    fileprivate init(file: String) throws {
        self = try concerning("--device-info", file: file) {
            // One in UTF-16 is read as well, so that the error can name it.
            let content = try Files.read(file, maximumSize: 2 * DeviceInfo.maximumLength + 6).withSpan {
                [UInt8](copying: $0)
            }
            if content.withSpan({ $0.looksLikeUTF16 }) {
                throw BrokerHeaderError.notJSON(header: Self.name, reason: "\(ForeignEncoding.utf16)")
            }
            return try DeviceInfo(json: String(decoding: content, as: UTF8.self).trimmingLineEnd)
        }
    }

    /// What this machine says of itself.
    fileprivate static func ofThisMachine() throws -> DeviceInfo {
        let system = OperatingSystem.current
        return try DeviceInfo([
            .primaryHardwareType: .text(HardwareType.desktop.rawValue), .model: "tve", .version: .text(releaseVersion),
            .osName: .text(system.name == "macOS" ? "Mac OS" : system.name), .osVersion: .text(system.version),
            .connectionType: "Ethernet",
        ])
    }
}

extension String {
    /// The text without one LF or CR LF at its end.
    fileprivate var trimmingLineEnd: String {
        hasSuffix("\r\n") || hasSuffix("\n") ? String(dropLast()) : self
    }
}

extension BrokerConversation {
    /// Begins a session of this device with the flows, and with its requestor; usually nothing is sent.
    ///
    /// `place` is what sign-ins and logouts name; `nil` for a command that begins neither. If a logout is still to be
    /// made up for, which any command may do, the broker is asked for it.
    ///
    /// `hasUserAgent` says whether addresses are opened on this machine. Otherwise a sign-in is a code, and the session
    /// asks from the start whether it was used. `configure` sets what else the command needs. Throws
    /// `EntitlementFlowError` or `DeviceRecordsError`.
    func session(
        returningTo place: ReturnPlace? = nil,
        hasUserAgent: Bool = false,
        _ configure: (inout EntitlementApplication) -> Void = { _ in }
    ) async throws -> EntitlementSession {
        var place = place
        if place == nil, let record = try await state.directory.record(of: BrokerState.device),
            !record[requestor].logouts.isEmpty
        {
            place = await placeOfLogout()
        }
        var application = EntitlementApplication(
            at: caller.broker, domain: place?.domain ?? "", redirect: place?.redirect ?? "")
        configure(&application)
        var options = SessionOptions()
        options.clientAddress = caller.clientAddress
        options.hasUserAgent = hasUserAgent
        // A terminal has no sign-on partner to ask.
        options.partnerSignIn = .onDemand
        // The state file is the user's own.
        options.revealsDeviceIdentifier = true
        let session = EntitlementSession(of: caller.device, for: application, options: options)
        try await session.setRequestor(requestor)
        return session
    }

    /// Keeps who the subscriber is, for promotional temporary access; throws `DeviceRecordsError`.
    func keep(_ identity: TemporaryIdentity) async throws {
        try await state.directory.change(BrokerState.device) { record throws(Never) in
            record[requestor].identity = identity
        }
    }

    /// The provider that was chosen last, `nil` if there is none; throws `DeviceRecordsError`.
    var provider: ChosenProvider? {
        get async throws { try await state.directory.record(of: BrokerState.device)?[requestor].provider }
    }

    /// The place that a logout returns to: the first domain of the requestor.
    ///
    /// Without an answer of the broker it does not matter: the logout gets none, either.
    func placeOfLogout() async -> ReturnPlace {
        let answer = try? await caller.configuration(requestor: requestor)
        return ReturnPlace(domain: answer?.requestor.domains.first?.name ?? "localhost")
    }
}

/// What sign-ins and logouts name: the requestor's domain, and where a browser goes in the end.
struct ReturnPlace: Sendable, Hashable {
    let domain: String
    let redirect: String

    /// Takes one of the requestor's domains, and where a browser goes: `nil` for the start page of the domain.
    init(domain: String, redirect: String? = nil) {
        (self.domain, self.redirect) = (domain, redirect ?? "https://\(domain)/")
    }
}
#endif
