import EntitlementValues
import Foundation
import MediaTokens
import RowBatches
import TVETesting
import Testing
import TokenRedemption

@Suite struct VerdictRowsTests {
    private static let issued = Timestamp(milliseconds: 1_768_498_200_000)
    private let issuer: TestMediaTokenIssuer
    private let verifier: MediaTokenVerifier

    init() throws {
        issuer = try TestMediaTokenIssuer()
        verifier = MediaTokenVerifier(keys: try issuer.verificationKeys)
    }

    private func token(_ session: String = "1", fault: TestTokenFault? = nil) throws -> String {
        var claims = TestTokenClaims(requestor: "REF30", resource: "DemoChannel", issued: Self.issued)
        claims.sessionGUID = SessionGUID(session)
        return try issuer.issueText(claims, fault: fault)
    }

    private func row(_ id: String, _ token: String, _ more: String = "") -> String {
        "{\"id\":\(id),\"token\":\"\(token)\",\"requestor\":\"REF30\",\"resource\":null\(more)}\n"
    }

    private func codes(_ text: String, redemption: RowRedemption? = nil) async -> [String] {
        let rows = VerdictRows(verifier: verifier, at: Self.issued, redemption: redemption)
        return await rows.lines(for: text).map { line in
            guard let start = line.range(of: "\"code\":\"")?.upperBound else { return "?" }
            return String(line[start...].prefix { $0 != "\"" })
        }
    }

    @Test func `Every row is answered in order`() async throws {
        let (good, late) = (try token(), try token(fault: .expired))
        let text = (0..<3000).map { row("\($0)", $0 % 3 == 0 ? late : good) }.joined()
        let lines = await VerdictRows(verifier: verifier, at: Self.issued, redemption: nil).lines(for: text)
        #expect(lines.count == 3000)
        for (number, line) in lines.enumerated() {
            #expect(line.hasPrefix("{\"id\":\(number),\"valid\":\(number % 3 != 0),"))
        }
    }

    @Test(arguments: [
        "", "x", "[]", "{}", "{\"id\":7}", "{\"token\":\"x\",\"requestor\":null}",
        "{\"token\":1,\"requestor\":null,\"resource\":null}", "{\"token\":\"x\",\"requestor\":\"\",\"resource\":null}",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":null,\"at\":\"1\"}",
        "{\"token\":\"x\",\"requestor\":null,\"resource\":null,\"leeway\":600001}",
        "{\"token\":\"\\ud800\",\"requestor\":null,\"resource\":null}",
    ])
    func `A bad row is answered and the next one is read`(_ bad: String) async throws {
        #expect(await codes("\(bad)\n" + row("1", try token())) == ["bad_row", "valid"])
    }

    /// Otherwise a long good part of a batch would pay for a long bad one.
    @Test func `Rows count against bad rows and not in advance`() {
        var faults = 0
        var counts: [Int] = []
        for code in ["valid", "expired", "valid", "bad_row", "bad_row", "bad_row", "valid", "bad_row"] {
            VerdictRows.count(code: code, in: &faults)
            counts.append(faults)
        }
        #expect(counts == [0, 0, 0, 1, 2, 3, 2, 3])
    }

    @Test func `A bad row keeps its ID`() async {
        let rows = VerdictRows(verifier: verifier, redemption: nil)
        let lines = await rows.lines(for: "{\"id\":\"a\",\"token\":1}\n\n")
        #expect(lines.first?.hasPrefix("{\"id\":\"a\",\"valid\":false,\"status\":\"ERROR_UNKNOWN\",") == true)
        #expect(lines.last?.hasPrefix("{\"id\":null,") == true && lines.last?.contains("line 2: ") == true)
    }

    /// Half a surrogate pair is a fault of a token whose escapes are resolved, and of no other.
    @Test func `Escapes of a token that is too large are not resolved`() async throws {
        let longest = String(repeating: "\\u0041", count: VerificationPolicy.standard.maximumLength)
        let tokens = [longest, longest + "A", longest + "\\ud800", longest.dropLast(6) + "\\ud800"]
        let text = tokens.map { row("1", $0) }.joined()
        #expect(await codes(text) == ["malformed", "too_large", "too_large", "bad_row"])
    }

    @Test func `A row has its own time and leeway`() async throws {
        let token = try token()
        let end = Self.issued.milliseconds + 420_000
        let rows = ["", ",\"at\":\(end + 1)", ",\"at\":\(end + 1),\"leeway\":1"].map { row("1", token, $0) }
        #expect(await codes(rows.joined()) == ["valid", "expired", "valid"])
    }

    // MARK: One-time use

    @Test(arguments: [true, false])
    func `Of two rows with one token the first is valid`(_ inOrder: Bool) async throws {
        let redemption = RowRedemption(store: store(capacity: 100), inOrder: inOrder)
        let (one, other) = (try token(), try token("2"))
        let text = row("1", one) + row("2", other) + "x\n" + row("3", one) + row("4", one) + row("5", other)
        let expected = ["valid", "valid", "bad_row", "replayed", "replayed", "replayed"]
        #expect(await codes(text, redemption: redemption) == expected)
    }

    @Test func `The first rows get the places that are left`() async throws {
        let redemption = RowRedemption(store: store(capacity: 2), inOrder: true)
        let text = try (1...4).map { row("\($0)", try token("\($0)")) }.joined()
        let expected = ["valid", "valid", "store_unavailable", "store_unavailable"]
        #expect(await codes(text, redemption: redemption) == expected)
    }

    @Test func `A refused token is not redeemed`() async throws {
        let redemption = RowRedemption(store: store(capacity: 100), inOrder: true)
        let token = try token()
        let refused = row("1", token, ",\"at\":\(Self.issued.milliseconds + 500_000)")
        #expect(await codes(refused + row("2", token), redemption: redemption) == ["expired", "valid"])
    }

    private func store(capacity: Int) -> InMemoryReplayStore {
        InMemoryReplayStore(capacity: capacity, time: .fixed(at: Self.issued))
    }

    /// Pieces are verified at the same time, but redeemed in the order of the input.
    @Test func `Later pieces wait for their turn`() async throws {
        let redemption = RowRedemption(store: store(capacity: 10_000), inOrder: false)
        let rows = VerdictRows(verifier: verifier, at: Self.issued, redemption: redemption)
        let token = try token()
        var pieces: [LineCutter.Piece] = []
        var cutter = LineCutter(limits: LineCutter.Limits(maximumLineLength: 1 << 20, maximumLines: 1))
        cutter.add(Array(String(repeating: row("1", token), count: 50).utf8))
        while let piece = cutter.next() { pieces.append(piece) }
        // The last piece starts first.
        let valid = await withTaskGroup(of: Int?.self) { group in
            for piece in pieces.reversed() {
                group.addTask { await rows.verdicts(on: piece).first?.code == "valid" ? piece.firstLine : nil }
            }
            return await group.reduce(into: [Int]()) { if let line = $1 { $0.append(line) } }
        }
        #expect(valid == [1])
    }
}
