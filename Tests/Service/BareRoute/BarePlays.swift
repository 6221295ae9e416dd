#if Service
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import Hummingbird
import MediaTokens
import SealedRecords
import ServiceResponses
import SystemPackage

/// What a play needs in any case: the broker's decision and a verified token.
///
/// The difference to `POST /v1/plays` is what the gateway costs: device, client address, session, events, metrics.
struct BarePlays: HTTPResponder {
    private static let requestor: RequestorID = "REF30"
    private static let mvpd: MVPDID = "SampleCable"

    let caller: Caller
    let verifier: MediaTokenVerifier

    /// Registers one device, and prints the code with which its user has to sign in.
    ///
    /// The software statement is read from standard input.
    ///
    /// - Parameters:
    ///   - origin: The address of the simulated broker.
    ///   - key: The file of the key that verifies media tokens.
    /// - Throws: What the broker or the files refuse.
    init(at origin: String, key: String) async throws {
        let broker = Broker(
            at: BrokerEnvironment(of: try BrokerOrigin(parsing: origin)),
            application: Broker.Application(try SoftwareStatement(readLine() ?? "")),
            records: DeviceDirectory(in: InMemoryRecordStore(), sealer: .unsealed))
        let device = Device(
            key: "bare", identifier: try DeviceIdentifier("bare"),
            info: try DeviceInfo([.model: "phone", .osName: "OS", .osVersion: "1", .primaryHardwareType: "Phone"]))
        caller = broker.caller(device, from: nil)
        verifier = MediaTokenVerifier(keys: try VerificationKeys(contentsOfFile: key))
        let session = try await caller.startSession(
            .init(mvpd: Self.mvpd, domain: "example.com", redirect: "https://example.com/done"),
            requestor: Self.requestor)
        try FileDescriptor.standardOutput.writeAll(Array("\(session.code?.text ?? "")\n".utf8))
    }

    func respond(to request: Request, context: EmptyContext) async throws -> Response {
        var caller = caller
        // The broker counts requests by client address.
        if let field = HTTPField.Name("X-Forwarded-For"), let address = request.headers[field] {
            caller = try caller.broker.caller(caller.device, from: address)
        }
        let body = try await request.body.collect(upTo: 4096)
        let resource = ResourceID(String(buffer: body))
        let answer = try await caller.authorize([resource], mvpd: Self.mvpd, requestor: Self.requestor)
        guard let token = answer[resource]?.token else { return Response(status: .forbidden) }
        _ = try verifier.verify(
            token.serializedToken,
            expecting: TokenExpectations(requestor: .exactly(Self.requestor), resource: .exactly(resource)))
        return Response(status: .ok)
    }
}
#endif
