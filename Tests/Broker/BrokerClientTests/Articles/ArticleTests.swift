#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementValues
import Foundation
import SealedRecords
import ServiceResponses
import Synchronization
import TestVectors
import Testing

/// The code in the articles is that of `ArticleCode.swift`, which the compiler has seen.
@Suite struct ArticleTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let articles = Vectors.repository.appending(path: "Sources/Broker/BrokerClient/BrokerClient.docc")

    private static func lines(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }

    /// The parts between a line and the next line of another text, without the indent of the first of these lines.
    private static func parts(of lines: [String], from start: String, to end: String) -> [String] {
        var parts: [String] = []
        var rest = lines[...]
        while let first = rest.firstIndex(where: { $0.drop { $0 == " " } == start }) {
            let indent = rest[first].prefix { $0 == " " }.count
            let body = rest[(first + 1)...].prefix { $0.drop { $0 == " " } != end }
            parts.append(body.map { String($0.dropFirst(min(indent, $0.count))) }.joined(separator: "\n"))
            rest = rest[body.endIndex...]
        }
        return parts
    }

    /// The Swift blocks of a page, without imports, which can stand only where a file begins, and without parts of a manifest.
    private static func shown(_ page: URL) throws -> [String] {
        parts(of: try lines(page), from: "```swift", to: "```").map { block in
            block.components(separatedBy: "\n").drop { $0.hasPrefix("import ") || $0.isEmpty }.joined(separator: "\n")
        }.filter { !$0.isEmpty && !$0.hasPrefix(".package(") }
    }

    @Test(arguments: [("BrokerClient.md", 1), ("TalkingToTheBroker.md", 11)])
    func `The code of an article is compiled`(article: String, count: Int) throws {
        let code = try Self.lines(Self.here.appending(path: "ArticleCode.swift"))
        let shown = try Self.shown(Self.articles.appending(path: article))
        let compiled = Self.parts(of: code, from: "// \(article)", to: "// end")
        #expect(shown == compiled)
        #expect(shown.count == count)
    }

    @Test func `A sign-in that is awaited outlasts failures of the broker`() async throws {
        let polls = Mutex(0)
        let recorder = BrokerRecorder { _, _ in
            let number = polls.withLock { polls in
                polls += 1
                return polls
            }
            switch number {
            case 1: return .html(503)
            case 2: return .throttled()
            case 3: return HTTPAnswer(Bodies.error("internal_server_error", status: 500), status: 500)
            default: return HTTPAnswer(Bodies.profiles)
            }
        }
        // The article's code asks the system for the time.
        var settings = BrokerSettings()
        (settings.maximumRepeatsWhenThrottled, settings.maximumRepeatsAfterFailures) = (0, 0)
        settings.timeLimit = .seconds(120)
        let test = try TestBroker(recorder)
        let broker = Broker(
            at: test.broker.environment, application: test.broker.application,
            records: DeviceDirectory(in: InMemoryRecordStore(), sealer: .unsealed), over: recorder, settings: settings)
        let session = try SessionResponse(
            parsing: Bodies.session.replacing("1768482000000", with: "4102444800000"))
        let profile = try await Talking().awaitProfile(
            of: session, by: broker.caller(test.device, from: nil), askingEvery: .milliseconds(5))
        #expect(profile?.mvpd == "TestMVPD")
        #expect(recorder.calls.count == 4)
    }

    @Test(arguments: [
        ("invalid_software_statement", ["two"], 2), ("unapproved_software_statement", ["two"], 2),
        ("invalid_redirect_uri", [], 1),
    ])
    func `The next statement is tried only if the broker refuses the statement itself`(
        code: String, accepted: [String], registrations: Int
    ) async throws {
        let attempts = Mutex(0)
        let bench = try Bench { arrival throws(TransportFailure) in
            guard arrival.path == "/o/client/register" else { return nil }
            let isFirst = attempts.withLock { attempts in
                attempts += 1
                return attempts == 1
            }
            return isFirst ? .registrationError(code) : nil
        }
        let statement = bench.broker.application.statement
        let brokers = ["one", "two", "three"].map { name in
            bench.broker.serving(Broker.Application(statement, name: name), records: bench.store)
        }
        let caller = try? await Talking().firstAccepted(of: brokers, for: bench.device, from: Bench.clientAddress)
        #expect([caller?.broker.application.name].compactMap(\.self) == accepted)
        #expect(attempts.withLock { $0 } == registrations)
    }

    @Test func `An application can make the errors that it has to act on`() {
        let reactions = OfAnApplication.errors.map { Talking().reaction(to: $0) }
        #expect(reactions == ["ask the operator of this server: registerAnew", "try again later"])
    }

    @Test func `Each article of the module is checked`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.articles.path).sorted()
        #expect(names == ["BrokerClient.md", "TalkingToTheBroker.md"])
    }
}
#endif
