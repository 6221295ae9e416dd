import EntitlementValues
import PlaybackSessions
import TestVectors
import Testing
import TextCodecs

/// Compares Common Access Tokens with those of pycose, byte by byte, and verdicts with the stated ones.
@Suite struct `The vectors of Common Access Tokens` {
    static let file = Result { try VectorFile<Group>.named("playback_sessions/common_access_test.json") }
    static let groups = (try? file.get())?.testGroups ?? []
    static let issued = groups.flatMap { group in group.issue.map { Case(group: group, test: $0) } }
    static let verified = groups.flatMap { group in group.verify.map { Case(group: group, test: $0) } }

    @Test func `Are as many as the file says`() throws {
        #expect(Self.issued.count + Self.verified.count == (try Self.file.get()).numberOfTests)
        #expect(Self.groups.map(\.form) == ["HS256", "ES256"])
        #expect(Self.issued.count >= 12 && Self.verified.count >= 500)
    }

    @Test(arguments: issued)
    func `Are what this module writes`(_ vector: Case<Issued>) throws {
        let test = vector.test
        let grant = try EdgeGrant(
            path: test.path.hasSuffix("/") ? EdgePath(folder: test.path) : EdgePath(file: test.path),
            expires: Timestamp(milliseconds: test.expires), client: SessionClient(stated: test.client),
            session: test.session.map { try #require(PlaybackSessionID(text: $0)) })
        let tokens = try EdgeSamples.commonAccess(
            [vector.group.key], host: test.host, issuer: test.issuer, audience: test.audience, tagged: test.tagged)
        let issued = try tokens.issue(grant)
        #expect(issued.parameters.map(\.name) == ["CAT"] && issued.cookies.map(\.name) == ["CTA-Common-Access-Token"])
        #expect(issued.pathPrefix == nil)
        let text = try #require(issued.parameters.first?.value)
        #expect(text == issued.cookies.first?.value)
        // ECDSA draws a number for each signature: the tokens are the same up to there, and both are good.
        let random = vector.group.form == "ES256" ? 64 : 0
        let (ours, theirs) = (try #require(bytes(of: text)), try #require(bytes(of: test.token)))
        #expect(ours.dropLast(random) == theirs.dropLast(random))
        #expect(ours.count == theirs.count)
        let file = test.path.hasSuffix("/") ? test.path + "1.ts" : test.path
        for text in [text, test.token] {
            let request = try EdgeRequest(target: "\(file)?CAT=\(text)", client: SessionClient(stated: test.client))
            #expect(try tokens.verify(request, at: Samples.now).grant == grant)
            let read = try UnverifiedEdgeGrant(parsing: request, as: .commonAccess)
            #expect(read.expires == grant.expires && read.opens == test.path && read.session == grant.session)
            #expect(read.address == test.client && read.keyID == tokens.keys.ids[0])
        }
    }

    @Test(arguments: verified)
    func `Get the stated verdict`(_ vector: Case<Verified>) throws {
        let test = vector.test
        let tokens = try EdgeSamples.commonAccess(
            test.keys, host: test.host, issuer: test.issuer, audience: test.audience)
        let code = try EdgeSamples.code { () throws in
            let request = try EdgeRequest(
                target: test.target, cookies: test.cookies, accessToken: test.header,
                client: SessionClient(stated: test.client))
            return try tokens.verify(request, at: Timestamp(milliseconds: test.at))
        }
        #expect(code == test.expectedCode)
        #expect((code == "valid") == (test.result == "valid"))
    }

    /// A token that ends too early at any byte is refused, and so is one with anything after it.
    @Test(arguments: issued)
    func `Are refused if a part of them is missing`(_ vector: Case<Issued>) throws {
        let tokens = try EdgeSamples.commonAccess([vector.group.key], host: vector.test.host)
        let token = try #require(bytes(of: vector.test.token))
        let request = { (bytes: [UInt8]) in
            try EdgeRequest(target: "/live/a/1.ts?CAT=\(Base64.encodeURLSafe(bytes))")
        }
        for count in token.indices {
            let error = #expect(throws: PlaybackSessionError.self) {
                try tokens.verify(request(Array(token.prefix(count))), at: Samples.now)
            }
            #expect(error?.code == "bad_session", "\(count) bytes")
        }
        for byte in [0x00, 0x80, 0xF6, 0xFF] as [UInt8] {
            #expect(throws: PlaybackSessionError.malformed(.fields)) {
                try tokens.verify(request(token + [byte]), at: Samples.now)
            }
        }
    }

    private func bytes(of text: String) -> [UInt8]? {
        Base64.decode(Array(text.utf8), options: [.urlSafe, .unpadded])
    }

    // MARK: The file

    struct Case<Test: Sendable & CommentedVector>: Sendable, CustomTestStringConvertible {
        let group: Group
        let test: Test

        var testDescription: String { "\(group.form), tcId \(test.tcId): \(test.comment)" }
    }

    struct Group: Decodable, Sendable {
        let form, key: String
        let issue: [Issued]
        let verify: [Verified]
    }

    struct Issued: Decodable, Sendable, CommentedVector {
        let tcId: Int
        let comment, path, token: String
        let expires: Int64
        let client, session, host, issuer, audience: String?
        let tagged: Bool
    }

    struct Verified: Decodable, Sendable, CommentedVector {
        let tcId: Int
        let comment, result, target, cookies, expectedCode: String
        let at: Int64
        let header, client, host, issuer, audience: String?
        let keys: [String]
    }
}
