#if Client && CLI
import BrokerSimulation
import DeviceRecords
import EntitlementValues
import Foundation
import QRCodes
import Testing

@Suite("tve broker login at a terminal") struct TerminalLoginTests {
    private static let utf8 = ["TERM": "xterm", "LC_ALL": "C.UTF-8"]

    /// The address that a login shows.
    private static func url(in text: String) throws -> String {
        String(try #require(text.split(separator: "\r\n").first { $0.hasPrefix("  http") }).dropFirst(2))
    }

    @Test func `The address is a QR code, too, and a line shows the progress`() async throws {
        let tool = try await BrokerTool()
        let terminal = try PseudoTerminal(columns: 100, rows: 60)
        let login = try tool.start("login", ["--mvpd", "SampleCable"], at: terminal, environment: Self.utf8)
        let shown = try await login.output { $0.contains("Ctrl-C") }
        let url = try Self.url(in: shown)
        let picture = try #require(QRCode(Array(url.utf8))).text
        #expect(shown.replacing("\r\n", with: "\n").contains("\n\(picture)\nIts code "))
        #expect(shown.contains("\r\u{1B}[Kwaiting for the sign-in, "))
        try tool.simulator.logIn(code: String(try #require(url.split(separator: "/").last)), as: "ok")
        #expect(try await login.outcome().exitCode == 0)
        let end = try await login.output { $0.hasSuffix("Z\r\n") }
        // The progress line is gone when the result is written.
        #expect(end.contains("\r\u{1B}[Ksigned in with Sample Cable (SampleCable), until "))
    }

    @Test(
        arguments: [
            (40, 60, utf8), (100, 24, utf8), (100, 60, ["TERM": "dumb", "LC_ALL": "C.UTF-8"]),
            (100, 60, ["TERM": "xterm", "LC_ALL": "C"]), (100, 60, ["TERM": "", "LC_ALL": "C.UTF-8"]),
        ] as [(UInt16, UInt16, [String: String])])
    func `A terminal that cannot show a QR code gets the address alone`(
        _ columns: UInt16, _ rows: UInt16, _ environment: [String: String]
    ) async throws {
        let tool = try await BrokerTool()
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let login = try tool.start(
            "login", ["--mvpd", "SampleCable", "--no-wait"], at: terminal, environment: environment)
        #expect(try await login.outcome().exitCode == 0)
        let shown = try await login.output { $0.contains(" is good until ") }
        #expect(try Self.url(in: shown).hasPrefix("http"))
        #expect(!shown.contains("▀") && !shown.contains("█"))
    }

    @Test func `The providers are listed to choose from, and the question is put again`() async throws {
        let tool = try await BrokerTool()
        let terminal = try PseudoTerminal(columns: 100, rows: 60)
        let login = try tool.start("login", ["--no-wait"], at: terminal, environment: Self.utf8)
        let list = try await login.output { $0.hasSuffix("(number or id) ") }
        #expect(list.contains("  1  SampleCable  Sample Cable\r\n"))
        terminal.type("99\n")
        _ = try await login.output { $0.components(separatedBy: "(number or id) ").count == 3 }
        terminal.type("2\n")
        #expect(try await login.outcome().exitCode == 0)
        #expect(try await tool.record()?["REF30"].provider?.id == "SampleFiber")
    }

    @Test func `Three answers that name no provider are enough`() async throws {
        let tool = try await BrokerTool()
        let terminal = try PseudoTerminal(columns: 100, rows: 60)
        let login = try tool.start("login", [], at: terminal, environment: Self.utf8)
        for count in 2...4 {
            _ = try await login.output { $0.components(separatedBy: "(number or id) ").count == count }
            terminal.type("nothing\n")
        }
        #expect(try await login.outcome().exitCode == 64)
        #expect(tool.count(.startSession) == 0)
    }

    @Test func `Ctrl-C leaves no progress line`() async throws {
        let tool = try await BrokerTool()
        let terminal = try PseudoTerminal(columns: 100, rows: 60)
        let login = try tool.start("login", ["--mvpd", "SampleCable"], at: terminal, environment: Self.utf8)
        _ = try await login.output { $0.contains("Ctrl-C") }
        login.send(SIGINT)
        #expect(try await login.outcome().exitCode == 130)
        let shown = try await login.output { $0.contains("[interrupted]") }
        #expect(shown.contains("\r\u{1B}[Ktve: the sign-in was given up"))
    }
}
#endif
