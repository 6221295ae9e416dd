// Times calls of the broker's client against bare calls of async-http-client that are configured the same way.
//
//     ClientCalls [--rounds N] [--calls N] [--at-once N] [--only N] [--port N]
//
// All of them use one event loop, so that the ratio is that of the code alone. The server is another process of this
// program, so that its processor time does not count. The workloads take turns, and each is compared with the bare calls of
// its own round. The last two are controls: the client's own part, in a loop and right after a bare call, when what it needs
// has left the processor's caches. `--only` runs one workload, counted from 0, and `--port` asks a server that runs already
// (`ClientCalls --serve` starts one): for profilers.

import AsyncHTTPClient
import BrokerClient
import BrokerMessages
import DeviceRecords
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import SealedRecords
import Synchronization
import TVETokens

@main
enum ClientCalls {
    static func main() async throws {
        if CommandLine.arguments.contains("--serve") { return try await AnswerServer.run() }
        let server = try number(after: "--port").map { (process: Process?.none, port: $0) } ?? AnswerServer.started()
        defer { server.process?.terminate() }
        let rounds = number(after: "--rounds") ?? 15
        let calls = number(after: "--calls") ?? 2000
        let tasks = number(after: "--at-once") ?? 1
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let bare = HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: sameConfiguration())
        let transport = try AsyncHTTPTransport(AsyncHTTPTransport.Settings(), on: loop)
        var workloads = [
            try Workload.bare(bare, server.port), try .transport(transport, server.port),
            try await .client(server.port, over: transport),
            try await .client(server.port, over: ReadyTransport(), named: "Caller.authorize, answered at once"),
        ]
        workloads.append(workloads[0].followed(by: workloads[3]))
        if let only = number(after: "--only") { workloads = [workloads[only]] }
        var microseconds = workloads.map { _ in [Double]() }
        for workload in workloads { try await workload.run(calls, atOnce: tasks) }
        for _ in 0..<rounds {
            for (index, workload) in workloads.enumerated() {
                let start = processorTime()
                try await workload.run(calls, atOnce: tasks)
                microseconds[index].append((processorTime() - start) / Double(calls) * 1e6)
            }
        }
        for (index, workload) in workloads.enumerated() {
            let ratio = zip(microseconds[index], microseconds[0]).map { $0 / $1 }.median
            print(
                "\(workload.name): \(microseconds[index].median.formatted(.number.precision(.fractionLength(1)))) µs,",
                "÷ bare \(ratio.formatted(.number.precision(.fractionLength(3))))")
        }
        await transport.shutdown()
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
struct Workload: Sendable {
    let name: String
    private let call: @Sendable () async throws -> Void

    /// Makes some calls: each of the tasks makes its share, one after the other.
    func run(_ count: Int, atOnce tasks: Int) async throws {
        guard tasks > 1 else {
            for _ in 0..<count { try await call() }
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for _ in stride(from: task, to: count, by: tasks) { try await call() }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Both calls, one after the other.
    func followed(by other: Workload) -> Workload {
        Workload(name: "\(name), then \(other.name)") {
            try await call()
            try await other.call()
        }
    }

    // What `Caller.authorize` sends. The others send the same: with fewer header fields it would be another call.
    private static let path = "/api/v2/REF30/decisions/authorize/TestMVPD"
    private static let question = Array(#"{"resources":["REF30"]}"#.utf8)
    private static let identifier = "2f0e1d3c-4b5a-4697-8807-1a2b3c4d5e6f"
    private static let information: KeyValuePairs<DeviceInfo.Key, DeviceInfo.Value> = [
        .model: "TV-1000", .version: "2", .osName: "Linux", .osVersion: "4.4", .connectionType: "LAN",
        .primaryHardwareType: "TV", .displayWidth: 1920,
    ]
    private static let token = String(repeating: "t", count: 700)
    private static func address(_ number: Int) -> String {
        "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
    }
    private static func fields() throws -> [(String, String)] {
        [
            (DeviceIdentifier.name, try DeviceIdentifier(identifier).headerValue),
            (DeviceInfo.name, try DeviceInfo(information).headerValue), ("Accept", "application/json"),
            ("User-Agent", "swift-tve-tokens/0.0.0"), ("Content-Type", "application/json"),
            (BearerToken.name, try BearerToken(token).headerValue),
        ]
    }

    static func bare(_ client: HTTPClient, _ port: Int) throws -> Self {
        let fields = HTTPHeaders(try fields())
        let number = Atomic(0)
        return Self(name: "bare async-http-client call") {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
            request.method = .POST
            request.headers = fields
            request.headers.add(name: ClientAddress.name, value: address(number.next()))
            request.body = .bytes(ByteBuffer(bytes: question))
            let answer = try await client.execute(request, timeout: .seconds(10))
            let body = try await answer.body.collect(upTo: 1 << 20)
            precondition(body.readableBytes == AnswerServer.bodyLength)
        }
    }

    static func transport(_ transport: AsyncHTTPTransport, _ port: Int) throws -> Self {
        var fields = HTTPFields()
        for (name, value) in try Self.fields() {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        guard let addressName = HTTPField.Name(ClientAddress.name) else { throw POSIXError(.EINVAL) }
        let common = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:\(port)", path: path, headerFields: fields)
        let number = Atomic(0)
        return Self(name: "AsyncHTTPTransport.send") {
            var request = common
            request.headerFields[addressName] = address(number.next())
            let answer = try await transport.send(request, body: question, within: .seconds(10))
            precondition(answer.body.count == AnswerServer.bodyLength)
        }
    }

    /// `Caller.authorize` with an access token that is good: each call for another client address, so that none waits.
    static func client(
        _ port: Int,
        over transport: any HTTPTransport,
        named name: String = "Caller.authorize"
    ) async throws -> Self {
        let origin = "http://127.0.0.1:\(port)"
        let directory = DeviceDirectory(in: InMemoryRecordStore(), sealer: .unsealed)
        let broker = Broker(
            at: BrokerEnvironment(of: try BrokerOrigin(parsing: origin)),
            application: Broker.Application(try SoftwareStatement("e30.e30.e30")), records: directory, over: transport)
        let credentials = try ClientCredentials(parsing: #"{"client_id":"client","client_secret":"secret"}"#)
        let now = Timestamp.now.milliseconds
        let token = try AccessToken(
            parsing: #"{"access_token":"\#(token)","token_type":"bearer","expires_in":86400,"created_at":\#(now)}"#)
        try await directory.change("device") { record in
            let scope = RegistrationScope(origin: origin, application: "default")
            record.adopt(credentials, for: scope)
            record.adopt(token, madeWith: credentials, for: scope)
        }
        let device = Device(
            key: "device", identifier: try DeviceIdentifier(identifier), info: try DeviceInfo(information))
        let number = Atomic(0)
        return Self(name: name) {
            let caller = try broker.caller(device, from: address(number.next()))
            let answer = try await caller.authorize(["REF30"], mvpd: "TestMVPD", requestor: "REF30")
            precondition(answer["REF30"]?.isAuthorized == true)
        }
    }
}

extension Atomic<Int> {
    fileprivate borrowing func next() -> Int { add(1, ordering: .relaxed).newValue }
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
