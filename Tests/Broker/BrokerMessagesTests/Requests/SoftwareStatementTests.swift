import BrokerMessages
import EntitlementValues
import Foundation
import TextCodecs
import Testing

/// Software statements with no valid signature, which is enough to be read.
enum StatementTexts {
    static let valid = token(
        claims: #"{"iss":"auth.example.org","sub":"3f1c","iat":1735689600,"scopes":"api:client:v2"}"#)

    static func token(header: String = #"{"alg":"RS256"}"#, claims: String) -> String {
        [header, claims, "signature"].map { Base64.encodeURLSafe(Array($0.utf8)) }.joined(separator: ".")
    }
}

@Suite struct SoftwareStatementTests {
    private func fault(_ text: String) throws -> SoftwareStatementFault {
        do throws(BrokerRequestError) {
            _ = try SoftwareStatement(text)
        } catch {
            guard case .badStatement(let fault) = error else { throw error }
            #expect(!"\(error)".contains(StatementTexts.valid.prefix(10)))
            return fault
        }
        throw Unrefused()
    }

    @Test func `The claims are read`() throws {
        let statement = try SoftwareStatement(StatementTexts.valid)
        #expect(statement.text == StatementTexts.valid)
        let claims = statement.unverifiedClaims
        #expect(claims.issuer == "auth.example.org")
        #expect(claims.subject == "3f1c")
        #expect(claims.issuedAt == Timestamp(milliseconds: 1_735_689_600_000))
        #expect(claims.scopes == [.apiV2])
        #expect(claims.hasV2Scope)
    }

    @Test(arguments: [
        (#"{"scopes":["config:client","api:client:v2"]}"#, true),
        (#"{"scopes":"config:client,decisions:client,api:client:v2"}"#, true),
        (#"{"scopes":"config:client, api:client:v2"}"#, true),
        (#"{"scopes":"config:client,platform:sso"}"#, false), (#"{"scopes":"api:client:v22"}"#, false),
        (#"{"scopes":[]}"#, false), (#"{"scopes":7}"#, false), (#"{"scopes":null}"#, false), ("{}", false),
    ])
    func `The scope of the API is found`(_ claims: String, _ isThere: Bool) throws {
        #expect(try SoftwareStatement(StatementTexts.token(claims: claims)).unverifiedClaims.hasV2Scope == isThere)
    }

    @Test func `White space is refused with a clear error`() throws {
        let valid = StatementTexts.valid
        #expect(try fault(valid + "\n") == .whiteSpaceAround)
        #expect(try fault(" " + valid) == .whiteSpaceAround)
        let dot = valid.utf8.distance(from: valid.startIndex, to: valid.firstIndex(of: ".") ?? valid.startIndex)
        #expect(try fault(valid.replacing(".", with: "\n.")) == .whiteSpaceInside(offset: dot))
        #expect("\(try fault(valid + "\n"))".contains("white space"))
        #expect("\(try fault(valid.replacing(".", with: "\r\n.")))".contains("line break"))
    }

    /// Reads a file that holds some bytes.
    private func statement(inFileOf bytes: [UInt8]) throws -> SoftwareStatement {
        let file = FileManager.default.temporaryDirectory.appending(path: "tve-statement-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(bytes).write(to: file)
        return try SoftwareStatement(contentsOfFile: file.path)
    }

    @Test(arguments: ["", "\n", "\r\n"], ["", "\u{FEFF}"])
    func `A file may have a byte order mark and a line end`(_ end: String, _ mark: String) throws {
        let statement = try statement(inFileOf: Array("\(mark)\(StatementTexts.valid)\(end)".utf8))
        #expect(statement.text == StatementTexts.valid)
    }

    @Test func `More than one line end in a file is refused, and so is a file that is not there`() {
        let twice = Array("\(StatementTexts.valid)\n\n".utf8)
        #expect(throws: BrokerRequestError.badStatement(.whiteSpaceAround)) { try statement(inFileOf: twice) }
        #expect(throws: BrokerRequestError.badStatement(.empty)) { try statement(inFileOf: [0x0A]) }
        let error = #expect(throws: BrokerRequestError.self) {
            try SoftwareStatement(contentsOfFile: "/nowhere/statement.jwt")
        }
        #expect(error?.description.contains("/nowhere/statement.jwt") == true)
    }

    @Test func `UTF-16, escapes and quotation marks are named`() throws {
        let utf16: [UInt8] = [0xFF, 0xFE] + StatementTexts.valid.utf8.flatMap { [$0, 0] }
        #expect(throws: BrokerRequestError.badStatement(.encoded(.utf16))) { try statement(inFileOf: utf16) }
        #expect(try fault("\"\(StatementTexts.valid)\"") == .encoded(.quotationMarks))
        #expect(try fault("b'\(StatementTexts.valid)'") == .encoded(.pythonBytes))
        #expect(try fault("\(StatementTexts.valid)\\n") == .encoded(.escapes))
    }

    @Test(arguments: ["a", "a.b", "a.b.c.d", "..", "e30.e30.", "e30.e30.e30=", "é.b.c", "e30.e3.e30"])
    func `Other texts are not statements`(_ text: String) throws {
        #expect(try fault(text) == .notAToken)
    }

    @Test func `Empty, long and unreadable statements are refused`() throws {
        #expect(try fault("") == .empty)
        #expect(try fault(" \n") == .empty)
        #expect(try fault(String(repeating: "a", count: 16_385)) == .tooLong(limit: 16_384))
        for claims in ["[]", "1", "{", "{\"iss\":1}", "{\"a\":1,\"a\":2}"] {
            guard case .badClaims = try fault(StatementTexts.token(claims: claims)) else {
                Issue.record("another fault: \(claims)")
                continue
            }
        }
        guard case .badClaims = try fault(StatementTexts.token(header: "[]", claims: "{}")) else {
            Issue.record("another fault")
            return
        }
    }

    @Test func `The statement is not shown`() throws {
        let statement = try SoftwareStatement(StatementTexts.valid)
        expectRedacted(statement, hiding: StatementTexts.valid)
        expectRedacted(RegistrationRequest(statement: statement), hiding: StatementTexts.valid)
    }
}
