// Times calls of the broker's client against bare calls of async-http-client that are configured the same way.
//
//     ClientCalls [--rounds N] [--calls N]
//
// The server is another process of this program, so that its processor time does not count. The workloads take turns, and
// each is compared with the bare calls of its own round.

import AsyncHTTPClient
import BrokerClient
import Foundation
import HTTPTypes
import NIOCore

@main
enum ClientCalls {
    static func main() async throws {
        if CommandLine.arguments.contains("--serve") { return try await AnswerServer.run() }
        let server = try AnswerServer.started()
        defer { server.process.terminate() }
        let rounds = number(after: "--rounds") ?? 15
        let calls = number(after: "--calls") ?? 2000
        let bare = HTTPClient(eventLoopGroupProvider: .singleton, configuration: sameConfiguration())
        let workloads = [Workload.bare(bare, server.port), .transport(server.port)]
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

    static func bare(_ client: HTTPClient, _ port: Int) -> Self {
        Self(name: "bare async-http-client call") { count in
            for _ in 0..<count {
                let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/decision")
                let answer = try await client.execute(request, timeout: .seconds(10))
                let body = try await answer.body.collect(upTo: 1 << 20)
                precondition(body.readableBytes == AnswerServer.bodyLength)
            }
        }
    }

    static func transport(_ port: Int) -> Self {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: "/decision")
        return Self(name: "AsyncHTTPTransport.send") { count in
            for _ in 0..<count {
                let answer = try await AsyncHTTPTransport.shared.send(request, body: [], within: .seconds(10))
                precondition(answer.body.count == AnswerServer.bodyLength)
            }
        }
    }
}

extension [Double] {
    fileprivate var median: Double { sorted()[count / 2] }
}
