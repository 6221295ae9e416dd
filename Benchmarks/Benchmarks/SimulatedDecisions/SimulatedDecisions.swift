// What one decision of the simulated broker costs, compared with one signature in C with the same RSA key of 2048 bits, which is
// the most of it. Rounds take turns; the median of their ratios counts, of processor time. The aim is 1.45 at most.
//
//     SimulatedDecisions [--rounds N] [--count N]

import BrokerMessages
import BrokerSimulation
import Floor
import Foundation
import HTTPTypes
import TVETokens

@main
enum SimulatedDecisions {
    static func main() throws {
        let (rounds, count) = (option("--rounds") ?? 15, option("--count") ?? 400)
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Vectors/keys/test-only-issuer-2048.pkcs8.pem").standardizedFileURL.path
        let device = try Device(SimulatorKeys(media: SigningKey(contentsOfFile: path), access: SimulatorKeys().access))
        guard let key = floor_key_read(path) else { throw Failure(what: "the key") }
        defer { floor_key_free(key) }
        // As long as what is signed of a media token.
        let text = [UInt8](repeating: 0x78, count: 700)
        var (decisions, signatures): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            decisions.append(try microseconds(count) { try device.decide() })
            signatures.append(
                try microseconds(count) {
                    guard floor_sign(key, text, text.count) == 1 else { throw Failure(what: "a signature") }
                })
        }
        print("a decision: \(rounded(median(decisions))) µs of processor time")
        print("a signature: \(rounded(median(signatures))) µs of processor time")
        print("ratio \(rounded(median(zip(decisions, signatures).map { $0 / $1 })))")
    }

    private static func option(_ name: String) -> Int? {
        let arguments = CommandLine.arguments
        guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
        return Int(arguments[place + 1])
    }

    /// The processor time of one of some calls; all of them run on this thread.
    private static func microseconds(_ count: Int, _ call: () throws -> Void) throws -> Double {
        let start = clock()
        for _ in 0..<count { try call() }
        return Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e6 / Double(count)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// An application on a device that is signed in.
struct Device {
    private let simulator: BrokerSimulator
    private var fields: [String: String]

    init(_ keys: SimulatorKeys) throws {
        var settings = SimulatorSettings()
        settings.login = .automatic(user: "ok")
        simulator = try BrokerSimulator(keys: keys, settings: settings)
        let info = try DeviceInfo([.model: "TV", .osName: "tvOS", .osVersion: "18"])
        fields = [DeviceInfo.name: info.headerValue, DeviceIdentifier.name: try DeviceIdentifier("tv").headerValue]
        let statement = try simulator.softwareStatement(of: "REF30")
        let client = try ask(.post, "/o/client/register", #"{"software_statement":"\#(statement)"}"#)
        let form = try "client_id=\(text("client_id", of: client))&client_secret=\(text("client_secret", of: client))"
        let token = try ask(.post, "/o/client/token", "grant_type=client_credentials&\(form)")
        fields["Authorization"] = "Bearer \(try text("access_token", of: token))"
        let session = try ask(
            .post, "/api/v2/REF30/sessions",
            "mvpd=SampleCable&domainName=example.com&redirectUrl=https%3A%2F%2Fexample.com%2F")
        _ = try ask(.get, "/api/v2/authenticate/REF30/\(text("code", of: session))", "")
        let decision = try ask(.post, Self.decisions, Self.question)
        guard String(decoding: decision, as: UTF8.self).contains("serializedToken") else {
            throw Failure(what: "a decision")
        }
    }

    private static let decisions = "/api/v2/REF30/decisions/authorize/SampleCable"
    private static let question = #"{"resources":["live"]}"#

    func decide() throws { _ = try ask(.post, Self.decisions, Self.question) }

    private func ask(_ method: HTTPRequest.Method, _ path: String, _ body: String) throws -> [UInt8] {
        var request = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1", path: path)
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let answer = simulator.answer(to: request, body: Array(body.utf8))
        guard answer.head.status.code < 400 else { throw Failure(what: "\(path): \(answer.head.status)") }
        return answer.body
    }

    private func text(_ name: String, of body: [UInt8]) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        guard let text = object?[name] as? String else { throw Failure(what: name) }
        return text
    }
}

/// What could not be done.
struct Failure: Error {
    let what: String
}
