// Times calls of the broker's client against bare calls of async-http-client that are configured the same way.
//
//     ClientCalls [--rounds N] [--calls N]
//
// The server is another process of this program, so that its processor time does not count. The workloads take turns, and
// each is compared with the bare calls of its own round.

import AsyncHTTPClient
import BrokerClient
import BrokerMessages
import DeviceRecords
import Foundation
import HTTPTypes
import NIOCore
import SealedRecords
import Synchronization
import TVETokens

@main
enum ClientCalls {
    static func main() async throws {
        if CommandLine.arguments.contains("--serve") { return try await AnswerServer.run() }
        let server = try AnswerServer.started()
        defer { server.process.terminate() }
        let rounds = number(after: "--rounds") ?? 15
        let calls = number(after: "--calls") ?? 2000
        let bare = HTTPClient(eventLoopGroupProvider: .singleton, configuration: sameConfiguration())
        let workloads = [
            Workload.bare(bare, server.port), .transport(server.port), try await .client(server.port),
            try await .client(server.port, over: ReadyTransport(), named: "Broker.authorize, answered at once"),
        ]
        var microseconds = workloads.map { _ in [Double]() }
        for workload in workloads { try await workload.run(calls) }
        for _ in 0..<rounds {
            for (index, workload) in workloads.enumerated() {
                let start = processorTime()
                try await workload.run(calls)
                microseconds[index].append((processorTime() - start) / Double(calls) * 1e6)
            }
        }
        for (index, workload) in workloads.enumerated() {
            let ratio = zip(microseconds[index], microseconds[0]).map { $0 / $1 }.median
            print(
                "\(workload.name): \(microseconds[index].median.formatted(.number.precision(.fractionLength(1)))) µs,",
                "÷ bare \(ratio.formatted(.number.precision(.fractionLength(3))))")
        }
        try await bare.shutdown()
    }

    private static func number(after option: String) -> Int? {
        let arguments = CommandLine.arguments
        return arguments.firstIndex(of: option).flatMap { Int(arguments[min($0 + 1, arguments.count - 1)]) }
    }

    /// What the transport sets, without its handlers.
    private static func sameConfiguration() -> HTTPClient.Configuration {
        var result = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(3)),
            decompression: .enabled(limit: .size(1 << 20)))
        result.httpVersion = .http1Only
        result.tracing.tracer = nil
        return result
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// A kind of call.
struct Workload {
    let name: String
    /// Makes some calls, one after the other.
    let run: (Int) async throws -> Void

    /// What `Broker.authorize` asks, and where.
    private static let path = "/api/v2/REF30/decisions/authorize/TestMVPD"
    private static let question = Array(#"{"resources":["REF30"]}"#.utf8)

    static func bare(_ client: HTTPClient, _ port: Int) -> Self {
        Self(name: "bare async-http-client call") { count in
            for _ in 0..<count {
                var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
                request.method = .POST
                request.headers = ["Accept": "application/json", "Content-Type": "application/json"]
                request.body = .bytes(ByteBuffer(bytes: question))
                let answer = try await client.execute(request, timeout: .seconds(10))
                let body = try await answer.body.collect(upTo: 1 << 20)
                precondition(body.readableBytes == AnswerServer.bodyLength)
            }
        }
    }

    static func transport(_ port: Int) -> Self {
        let request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:\(port)", path: path,
            headerFields: [.accept: "application/json", .contentType: "application/json"])
        return Self(name: "AsyncHTTPTransport.send") { count in
            for _ in 0..<count {
                let answer = try await AsyncHTTPTransport.shared.send(request, body: question, within: .seconds(10))
                precondition(answer.body.count == AnswerServer.bodyLength)
            }
        }
    }
}

extension Workload {
    /// `Broker.authorize` with an access token that is good: each call for another client address, so that none waits.
    static func client(
        _ port: Int,
        over transport: any HTTPTransport = AsyncHTTPTransport.shared,
        named name: String = "Broker.authorize"
    ) async throws -> Self {
        let origin = "http://127.0.0.1:\(port)"
        let broker = Broker(at: BrokerEnvironment(of: try BrokerOrigin(parsing: origin)), over: transport)
        let directory = DeviceDirectory(in: InMemoryRecordStore(), sealer: .unsealed)
        let credentials = try ClientCredentials(parsing: #"{"client_id":"client","client_secret":"secret"}"#)
        let now = Timestamp.now.milliseconds
        let token = try AccessToken(
            parsing: #"{"access_token":"token","token_type":"bearer","expires_in":86400,"created_at":\#(now)}"#)
        try await directory.change("device") { record in
            let scope = RegistrationScope(origin: origin, application: "default")
            record.adopt(credentials, for: scope)
            record.adopt(token, madeWith: credentials, for: scope)
        }
        let device = Device(
            key: "device", identifier: try DeviceIdentifier("device"), info: try DeviceInfo(["model": "TV"]))
        let registration = ClientRegistration(
            with: broker, statement: try SoftwareStatement("e30.e30.e30"), device: device, store: directory)
        let number = Atomic(0)
        return Self(name: name) { count in
            for _ in 0..<count {
                let next = number.add(1, ordering: .relaxed).newValue
                let caller = Caller(
                    registration: registration, device: device,
                    clientAddress: try ClientAddress("10.\(next >> 16 & 255).\(next >> 8 & 255).\(next & 255)"))
                let answer = try await broker.authorize(["REF30"], by: "TestMVPD", for: "REF30", as: caller)
                precondition(answer["REF30"]?.isAuthorized == true)
            }
        }
    }
}

/// Answers without a network: what is left is the client's own part.
struct ReadyTransport: HTTPTransport {
    private let answer = HTTPAnswer(
        HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), body: Array(AnswerServer.body.utf8)
    )

    func send(
        _ request: HTTPRequest,
        body: [UInt8],
        within timeLimit: Duration
    ) async throws(TransportFailure) -> HTTPAnswer { answer }
}

extension [Double] {
    fileprivate var median: Double { sorted()[count / 2] }
}
