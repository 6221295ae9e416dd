#if CLI && Client
import ArgumentParser
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementKeys
import EntitlementValues
import HostSystem
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
        let application = Broker.Application(try SoftwareStatement(file: statementFile))
        let address = try options.clientAddress.map { text in
            try argument(of: "--client-address") { try ClientAddress(text) }
        }
        let info = try options.deviceInfo.map { try DeviceInfo(file: $0) } ?? DeviceInfo.ofThisMachine()
        let api = try Self.origin(try options.origin(), of: "--at")
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
            at: environment, application: application, records: state.directory, over: transport,
            observation: observation)
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
#endif
