import AppEntitlements
import Foundation
import Testing

/// The calls of the session library's tests, made here over a gateway: the same callbacks with the same arguments, in the
/// same order, and no other.
///
/// The callbacks are in `RowsOfTheLibrary.txt`, which the session library's own tests hold to their table.
@MainActor @Suite(.serialized)
struct RowsTests {
    /// What is called, and the callbacks.
    struct Row: Sendable {
        let name: String
        let callbacks: [String]
    }

    private static func rows() throws -> [Row] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("RowsOfTheLibrary.txt")
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.trimmingCharacters(in: .newlines).components(separatedBy: "\n\n").map { row in
            let lines = row.components(separatedBy: "\n")
            return Row(name: lines[0], callbacks: lines.dropFirst().map { String($0.dropFirst(4)) })
        }
    }

    /// The rows that cannot be called here, and why.
    private static let refused = [
        "setRequestor, two service providers": "a gateway asks one broker: the compiler refuses the call",
        "setRequestor, two service providers, one fails": "the same",
    ]

    @Test func `Each row is called here, or it is said why not`() throws {
        let names = Set(try Self.rows().map(\.name))
        #expect(Set(RowCalls.all.keys).isDisjoint(with: Self.refused.keys))
        #expect(Set(RowCalls.all.keys).union(Self.refused.keys) == names)
    }

    @Test(.enabled(if: RealGateway.tool != nil, "TVE has the path of the tool"))
    func `A call has the callbacks of the library, and no other`() async throws {
        try await RealGateway.with(passing: ["R1", "R2", "A3", "H1", "H2", "H3", "L1"]) { gateway in
            for row in try Self.rows() {
                guard let calls = RowCalls.all[row.name] else { continue }
                let app = try RowApp(gateway, calls.kind)
                try await calls.first(app)
                try await app.settle()
                app.recorder.forget()
                try await calls.steps(app)
                try await app.recorder.wait(for: row.callbacks.count, of: row.name)
                try await app.settle()
                #expect(app.recorder.lines == row.callbacks, "\(row.name)")
                try await app.stop()
            }
        }
    }
}

/// An app of a row: what the test does not answer itself goes to the gateway.
@MainActor
final class RowApp {
    enum Kind: Sendable {
        case tablet
        /// It shows codes.
        case television
        /// It has a sign-on partner, which says this at the start; `nil` if it says nothing then.
        case partnered(PartnerStatus?)
    }

    let gateway: RealGateway
    let recorder = RowRecorder()
    let transport = ScriptedTransport(over: URLSessionTransport())
    let client: EntitlementClient
    let partner: RowPartner?
    /// Where the viewer's browser has ended.
    private(set) var end = ""

    init(_ gateway: RealGateway, _ kind: Kind) throws {
        self.gateway = gateway
        let device = DeviceDescription(
            model: "Model", version: "1", osName: "tvOS", osVersion: "18", connectionType: "WiFi",
            primaryHardwareType: kind.isTelevision ? "TV" : "Tablet")
        partner = if case .partnered(let status) = kind { RowPartner(recorder, saying: status) } else { nil }
        let time = GatewayTime(
            now: GatewayTime.device.now, sleep: { _ in try await Task.sleep(for: .milliseconds(20)) })
        client = EntitlementClient(
            at: gateway.address, device: device,
            signingIn: kind.isTelevision ? .otherScreen : .browser(returnTo: RealGateway.returnTo),
            partner: partner, store: InMemoryDeviceStateStore(), transport: transport, time: time)
        client.delegate = recorder
    }

    /// Waits until the calls before are done, and those that they have caused.
    func settle() async throws {
        // A picker that is open holds calls up.
        if partner?.isAsked == true { return }
        for _ in 0..<3 { _ = await client.preauthorize([]) }
    }

    /// Names the app.
    func start() async throws {
        client.setRequestor("tv")
        try await recorder.wait(for: "setRequestorComplete")
    }

    /// Lets the viewer choose a provider, and opens its page.
    func choose() async throws {
        try await start()
        client.setSelectedProvider("SampleCable")
        try await recorder.wait(for: "navigateToUrl")
    }

    /// Lets the viewer sign in at the provider's page.
    func logIn() async throws {
        try await choose()
        end = try await Browser().open(try #require(recorder.address)).address
    }

    /// Signs the viewer in.
    func signIn() async throws {
        try await logIn()
        client.handleExternalURL(end)
        try await recorder.wait(for: "sendTrackingData [[\"true\"")
    }

    /// Ends what waits, and opens the broker's logout page if the row has left that to its viewer.
    func stop() async throws {
        if let address = recorder.address, address.hasPrefix("\(gateway.broker.absoluteString)/sim/logout/") {
            try await Browser().open(address)
        }
        partner?.answer(.cancelled)
        if partner != nil || recorder.lines.contains(where: { $0.contains("REGCODE") }) {
            client.setSelectedProvider(nil)
        }
    }
}

/// A sign-on partner that answers its questions once the test says so.
@MainActor
final class RowPartner: PartnerFramework {
    /// The question that waits; `nil` if none does.
    private var gate: Gate?
    private var reply = PartnerReply.cancelled
    private let says: PartnerStatus?
    private let recorder: RowRecorder

    init(_ recorder: RowRecorder, saying status: PartnerStatus?) { (self.recorder, says) = (recorder, status) }

    /// Whether a question waits.
    var isAsked: Bool { gate != nil }

    /// Answers the question that waits.
    func answer(_ reply: PartnerReply) {
        self.reply = reply
        gate?.open()
        gate = nil
    }

    /// Who says nothing at the start permits it once asked.
    func status(mayInterrupt: Bool) async -> PartnerStatus? { says ?? (mayInterrupt ? PartnerStatus(.granted) : nil) }

    func ask(_ question: PartnerQuestion) async -> PartnerReply {
        let gate = Gate()
        self.gate = gate
        switch question {
        case .pick(_, let supported, let featured):
            let providers: [String: JSONValue] = [
                "TV_PROVIDERS": .list(supported.map(JSONValue.text)),
                "FEATURED_TV_PROVIDERS": .list(featured.map(JSONValue.text)),
            ]
            recorder.tell("presentTvProviderDialog", .object(providers))
        case .confirm(_, _, let names, let mayInterrupt):
            recorder.tell("confirmTvProvider", .list(names.map(JSONValue.text)), .boolean(mayInterrupt))
        }
        _ = await gate.opened()
        return reply
    }
}

extension RowApp.Kind {
    fileprivate var isTelevision: Bool { if case .television = self { true } else { false } }
}
