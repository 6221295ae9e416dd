import EntitlementValues
import PlaybackSessions
import TestVectors
import Testing
import TextCodecs

/// Compares sessions with those of PyJWT, byte by byte, and verdicts with the stated ones.
@Suite struct `The vectors of PyJWT` {
    static let file = Result { try VectorFile<Group>.named("playback_sessions/playback_session_test.json") }
    static let group = (try? file.get())?.testGroups.first
    static let issued = group?.issue ?? []
    static let verified = group?.verify ?? []

    @Test func `Are as many as the file says`() throws {
        #expect(Self.issued.count + Self.verified.count == (try Self.file.get()).numberOfTests)
        #expect(Self.issued.count >= 12 && Self.verified.count >= 100)
    }

    @Test(arguments: issued)
    func `Are what this issuer writes`(_ vector: Issued) throws {
        let stated = vector.claims
        let key = try vector.key.key
        let session = PlaybackSession(
            id: try #require(PlaybackSessionID(text: stated.jti)), requestor: RequestorID(stated.aud),
            resource: ResourceID(stated.resource), mvpd: MVPDID(stated.mvpd), subscriber: SessionGUID(stated.sub),
            issued: Timestamp(milliseconds: stated.iat * 1000), expires: Timestamp(milliseconds: stated.exp * 1000),
            ceiling: Timestamp(milliseconds: stated.ceiling * 1000), client: SessionClient(stated: vector.client))
        let issuer = try PlaybackSessionIssuer(keys: SessionKeys([key]), name: stated.iss, lifetimes: .standard)
        let text = try issuer.issue(session).text
        guard key.algorithm == .es256 else {
            #expect(text == vector.expectedText)
            return
        }
        // ECDSA signs differently each time.
        #expect(text.split(separator: ".")[..<2] == vector.expectedText.split(separator: ".")[..<2])
        let verifier = try PlaybackSessionVerifier(keys: SessionKeys([key]), issuer: .exactly(stated.iss))
        let expectations = PlaybackExpectations(
            requestor: .exactly(session.requestor), resource: .exactly(session.resource), client: session.client)
        for text in [text, vector.expectedText] {
            #expect(verifier.code(text, expecting: expectations, at: session.issued) == "valid")
        }
    }

    @Test(arguments: verified)
    func `Get the stated verdict`(_ vector: Verified) throws {
        let verifier = try PlaybackSessionVerifier(
            keys: SessionKeys([vector.key.key]), issuer: .exactly(#require(Self.group).issuer))
        let expectations = PlaybackExpectations(
            requestor: .exactly(RequestorID(vector.requestor)), resource: .exactly(ResourceID(vector.resource)),
            client: SessionClient(stated: vector.client))
        let code = verifier.code(vector.text, expecting: expectations, at: Timestamp(milliseconds: vector.at))
        #expect(code == vector.expectedCode)
        #expect((code == "valid") == (vector.result == "valid"))
        let bytes = Array(vector.text.utf8)
        let asBytes = try? bytes.withSpan { bytes throws(PlaybackSessionError) in
            try verifier.verify(bytes, expecting: expectations, at: Timestamp(milliseconds: vector.at))
        }
        #expect((asBytes != nil) == (code == "valid"))
    }

    // MARK: The file

    struct Group: Decodable, Sendable {
        let issuer: String
        let issue: [Issued]
        let verify: [Verified]
    }

    struct StatedKey: Decodable, Sendable {
        let secret: String?
        let file: String?

        var key: SessionKey {
            get throws {
                if let file { return try Samples.file(file) }
                return try SessionKey(Vectors.bytes(hexadecimal: #require(secret)), named: "secret")
            }
        }
    }

    struct Claims: Decodable, Sendable {
        let iss, sub, aud, jti, resource, mvpd: String
        let iat, exp, ceiling: Int64
    }

    struct Issued: Decodable, Sendable, CustomTestStringConvertible {
        let tcId: Int
        let comment: String
        let key: StatedKey
        let claims: Claims
        let client: String?
        let expectedText: String

        var testDescription: String { "tcId \(tcId): \(comment)" }
    }

    struct Verified: Decodable, Sendable, CustomTestStringConvertible {
        let tcId: Int
        let comment: String
        let result: String
        let key: StatedKey
        let text: String
        let at: Int64
        let requestor: String
        let resource: String
        let client: String?
        let expectedCode: String

        var testDescription: String { "tcId \(tcId): \(comment)" }
    }
}

extension SessionClient {
    /// `null` in a vector means that there is no address.
    init(stated: String?) { self = stated.map { .address($0) } ?? .unbound }
}
