import EntitlementKeys
import EntitlementValues
import MediaTokens
import Synchronization
import TestVectors
import Testing

/// Verifies every media-token vector; the expected verdicts come from another implementation.
@Suite struct MediaTokenVectorTests {
    static let file = Result { try VectorFile<MediaTokenGroup>.named("media_tokens/media_token_verify_test.json") }

    @Test func `File holds as many tests as it says`() throws {
        let file = try Self.file.get()
        let count = file.testGroups.map(\.tests.count).reduce(0, +)
        #expect(count == file.numberOfTests)
        #expect(count >= 300)
    }

    /// Keys by file, cached because reading one takes longer than verifying with it.
    static let keys = Mutex<[[String]: VerificationKeys]>([:])

    /// Empty if the file cannot be read, which the test above reports.
    static let cases = (try? file.get())?.testGroups.flatMap(\.cases) ?? []

    @Test(arguments: cases)
    func `Verdict is the stated one`(_ vector: MediaTokenCase) throws {
        let test = vector.test
        let keys = try Self.keys.withLock { cache in
            if let keys = cache[vector.keys] { return keys }
            let keys = try VerificationKeys(contentsOf: vector.keys.map(Vectors.key))
            cache[vector.keys] = keys
            return keys
        }
        let policy = try VerificationPolicy(
            leeway: TimeToLive(milliseconds: test.leeway ?? 0),
            acceptsLegacySHA1: test.allowSHA1 ?? false
        )
        let verifier = MediaTokenVerifier(keys: keys, policy: policy)
        let expectations = TokenExpectations(
            requestor: test.requestor.map { .exactly(RequestorID($0)) } ?? .unchecked,
            resource: test.resource.map { .exactly(ResourceID($0)) } ?? .unchecked
        )
        let bytes = test.bytes
        let verdict = verifier.verdict(on: bytes.span, expecting: expectations, at: Timestamp(milliseconds: test.at))
        #expect(verdict.code == test.expectedCode, "\(verdict.detail)")
        #expect(verdict.status.rawValue == test.expectedStatus)
        #expect((verdict.status == .validToken) == (test.result == "valid"))
        #expect(verdict.authenticClaims.map(StatedClaims.init) == test.expectedClaims)
    }
}

struct MediaTokenGroup: Decodable, Sendable {
    let keys: [String]
    let tests: [MediaTokenTest]

    var cases: [MediaTokenCase] { tests.map { MediaTokenCase(keys: keys, test: $0) } }
}

struct MediaTokenCase: Sendable, CustomTestStringConvertible {
    let keys: [String]
    let test: MediaTokenTest

    var testDescription: String { "tcId \(test.tcId): \(test.comment)" }
}

struct MediaTokenTest: Decodable, Sendable {
    let tcId: Int
    let comment: String
    let token: String?
    let tokenHex: String?
    let tokenParts: [Part]?
    let at: Int64
    let requestor: String?
    let resource: String?
    let allowSHA1: Bool?
    let leeway: Int64?
    let result: String
    let expectedStatus: String
    let expectedCode: String
    let expectedClaims: StatedClaims?

    struct Part: Decodable, Sendable {
        let text: String
        let `repeat`: Int
    }

    var bytes: [UInt8] {
        if let token { return Array(token.utf8) }
        if let tokenHex { return Vectors.bytes(hexadecimal: tokenHex) }
        return Array((tokenParts ?? []).map { String(repeating: $0.text, count: $0.repeat) }.joined().utf8)
    }
}

/// The claims in the form of the vectors.
struct StatedClaims: Decodable, Sendable, Equatable {
    let sessionGUID: String
    let requestorID: String
    let resourceID: String
    let ttl: Int64
    let issued: Int64
    let expires: Int64
    let mvpdId: String
    let proxyMvpdId: String?

    init(_ claims: MediaTokenClaims) {
        sessionGUID = claims.sessionGUID.rawValue
        requestorID = claims.requestor.rawValue
        resourceID = claims.resource.rawValue
        ttl = claims.ttl.milliseconds
        issued = claims.issued.milliseconds
        expires = claims.expires.milliseconds
        mvpdId = claims.mvpd.rawValue
        proxyMvpdId = claims.proxyMVPD?.rawValue
    }

    /// Compares byte by byte: Swift's own comparison would accept another normal form.
    static func == (one: StatedClaims, other: StatedClaims) -> Bool {
        one.texts.map { Array($0.utf8) } == other.texts.map { Array($0.utf8) }
            && one.times == other.times && (one.proxyMvpdId == nil) == (other.proxyMvpdId == nil)
    }

    private var texts: [String] { [sessionGUID, requestorID, resourceID, mvpdId, proxyMvpdId ?? ""] }
    private var times: [Int64] { [ttl, issued, expires] }
}
