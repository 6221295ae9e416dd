import EntitlementKeys
import EntitlementValues
import TestVectors
import Testing
import TokenLifetimes

/// Every date of an AuthN or AuthZ token, with the instant that another implementation found.
@Suite struct DateVectorTests {
    static let file = Result { try VectorFile<DateGroup>.named("token_lifetimes/dates.json") }
    static let cases = (try? file.get())?.testGroups.flatMap(\.tests) ?? []

    @Test func `File holds as many tests as it says`() throws {
        let file = try Self.file.get()
        #expect(file.testGroups.map(\.tests.count).reduce(0, +) == file.numberOfTests)
        #expect(file.numberOfTests >= 100)
    }

    @Test(arguments: cases)
    func `Instant is the stated one`(_ test: DateTest) {
        #expect(Timestamp(tokenDate: test.text)?.milliseconds == test.instant)
    }
}

struct DateGroup: Decodable, Sendable {
    let tests: [DateTest]
}

struct DateTest: Decodable, Sendable, CustomTestStringConvertible {
    let tcId: Int
    let comment: String
    let text: String
    let instant: Int64?

    var testDescription: String { "tcId \(tcId): \(comment)" }
}

/// Every signed AuthN and AuthZ token, with what another implementation read from it.
@Suite struct SignedTokenVectorTests {
    static let file = Result { try VectorFile<SignedTokenGroup>.named("token_lifetimes/signed_tokens.json") }
    static let cases = (try? file.get())?.testGroups.flatMap(\.tests) ?? []

    @Test func `File holds as many tests as it says`() throws {
        let file = try Self.file.get()
        #expect(file.testGroups.map(\.tests.count).reduce(0, +) == file.numberOfTests)
        #expect(file.numberOfTests >= 100)
    }

    @Test(arguments: cases)
    func `Fields are the stated ones`(_ test: SignedTokenTest) throws {
        let keys = try VerificationKeys(contentsOf: test.keys.map(Vectors.key))
        let verifier = EntitlementTokenVerifier(keys: keys)
        let bytes = test.bytes
        var code: String?
        var fields: StatedFields?
        do throws(EntitlementTokenError) {
            fields = StatedFields(try verifier.verify(bytes))
        } catch {
            code = error.code
        }
        #expect(code == test.expectedError)
        #expect(fields == test.expectedFields)
        #expect((fields != nil) == (test.result == "valid"))
    }
}

struct SignedTokenGroup: Decodable, Sendable {
    let tests: [SignedTokenTest]
}

struct SignedTokenTest: Decodable, Sendable, CustomTestStringConvertible {
    let tcId: Int
    let comment: String
    let token: String?
    let tokenHex: String?
    let keys: [String]
    let result: String
    let expectedError: String?
    let expectedFields: StatedFields?

    var bytes: [UInt8] { token.map { Array($0.utf8) } ?? Vectors.bytes(hexadecimal: tokenHex ?? "") }
    var testDescription: String { "tcId \(tcId): \(comment)" }
}

/// The fields as the vectors state them.
struct StatedFields: Decodable, Sendable, Equatable {
    let kind: String
    let requestor: String
    let mvpd: String
    let resource: String?
    let expires: Int64?
    let device: String?

    init(_ token: VerifiedEntitlementToken) {
        kind = token.entitlement.resource == nil ? "authentication" : "authorization"
        requestor = token.entitlement.requestor.rawValue
        mvpd = token.entitlement.mvpd.rawValue
        resource = token.entitlement.resource?.rawValue
        expires = token.expires?.milliseconds
        device = token.device?.rawValue
    }

    /// Byte by byte: Swift's own comparison would let another normal form pass.
    static func == (one: StatedFields, other: StatedFields) -> Bool {
        one.texts.map { $0.map { Array($0.utf8) } } == other.texts.map { $0.map { Array($0.utf8) } }
            && one.expires == other.expires
    }

    private var texts: [String?] { [kind, requestor, mvpd, resource, device] }
}
