import EntitlementValues
import PlaybackSessions
import TestVectors
import Testing

/// Compares grants with those of openssl, akamai-edgeauth and botocore, byte by byte, and verdicts with the stated ones.
@Suite struct `The vectors of other makers of grants` {
    static let file = Result { try VectorFile<Group>.named("playback_sessions/edge_grant_test.json") }
    static let groups = (try? file.get())?.testGroups ?? []
    static let issued = groups.flatMap { group in group.issue.map { Case(group: group, test: $0) } }
    static let verified = groups.flatMap { group in group.verify.map { Case(group: group, test: $0) } }

    @Test func `Are as many as the file says`() throws {
        #expect(Self.issued.count + Self.verified.count == (try Self.file.get()).numberOfTests)
        #expect(Self.groups.map(\.form) == ["link", "token", "legacy-policy", "policy", "policy"])
        #expect(Self.issued.count >= 22 && Self.verified.count >= 600)
    }

    @Test(arguments: issued)
    func `Are what this module writes`(_ vector: Case<Issued>) throws {
        let test = vector.test
        let path = test.path.hasSuffix("/") ? try EdgePath(folder: test.path) : try EdgePath(file: test.path)
        let grant = try EdgeGrant(
            path: path, expires: Timestamp(milliseconds: test.expires), client: SessionClient(stated: test.client),
            session: test.session.map { try #require(PlaybackSessionID(text: $0)) })
        let issued =
            switch vector.group.form {
            case "link": try EdgeSamples.links().issue(grant)
            case "token": try EdgeSamples.tokens(salt: vector.group.salt).issue(grant)
            default: try vector.group.policies().issue(grant)
            }
        // ECDSA signs the same policy each time with another number: the verifier says whether it did.
        let isRandom = vector.group.pairs?.first?.last == EdgeSamples.pairsP256[0][1]
        let written = { (text: String, separator: String) in
            text.split(separator: separator).filter { !isRandom || !$0.contains("Signature=") }
        }
        #expect(written(issued.parameters.query, "&") == written(test.query, "&"))
        let cookies = issued.cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        #expect(written(cookies, "; ") == written(test.cookies, "; "))
        #expect(issued.pathPrefix == test.pathPrefix)
        guard isRandom else { return }
        let file = path.isFolder ? path.text + "1.ts" : path.text
        let request = try EdgeRequest(target: "\(file)?\(issued.parameters.query)", client: grant.client)
        #expect(try vector.group.policies().verify(request, at: Samples.now).grant == grant)
    }

    @Test(arguments: verified)
    func `Get the stated verdict`(_ vector: Case<Verified>) throws {
        let code = try vector.test.code(in: vector.group)
        #expect(code == vector.test.expectedCode)
        #expect((code == "valid") == (vector.test.result == "valid"))
    }

    // MARK: The file

    struct Case<Test: Sendable & CommentedVector>: Sendable, CustomTestStringConvertible {
        let group: Group
        let test: Test

        var testDescription: String { "\(group.form), tcId \(test.tcId): \(test.comment)" }
    }

    struct Group: Decodable, Sendable {
        let form: String
        let salt: String?
        let origin: String?
        let pairs: [[String]]?
        let issue: [Issued]
        let verify: [Verified]

        func policies(_ others: [[String]]? = nil) throws -> SignedPolicies {
            try EdgeSamples.policies(
                #require(others ?? pairs), at: #require(origin), usingLegacySHA1: form == "legacy-policy")
        }
    }

    struct Issued: Decodable, Sendable, CommentedVector {
        let tcId: Int
        let comment, path: String
        let expires: Int64
        let client, session, pathPrefix: String?
        let query, cookies: String
    }

    struct Verified: Decodable, Sendable, CommentedVector {
        let tcId: Int
        let comment, result, target, cookies: String
        let at: Int64
        let client, path: String?
        let secrets: [String]?
        let pairs: [[String]]?
        let expectedCode: String

        func code(in group: Group) throws -> String {
            let now = Timestamp(milliseconds: at)
            return try EdgeSamples.code { () throws in
                let request = try EdgeRequest(target: target, cookies: cookies, client: SessionClient(stated: client))
                switch group.form {
                case "link":
                    let text = try #require(path)
                    let path = text.hasSuffix("/") ? try EdgePath(folder: text) : try EdgePath(file: text)
                    return try EdgeSamples.links(#require(secrets)).verify(request, opening: path, at: now)
                case "token":
                    return try EdgeSamples.tokens(#require(secrets), salt: group.salt).verify(request, at: now)
                default: return try group.policies(pairs).verify(request, at: now)
                }
            }
        }
    }
}

/// What a vector is called by.
protocol CommentedVector {
    var tcId: Int { get }
    var comment: String { get }
}
