import EntitlementValues
import Foundation
import PlaybackSessions
import TestVectors
import Testing

/// What cannot become a grant, and keys that cannot sign one.
@Suite struct `No grant is made` {
    @Test(arguments: [
        "", "/", "live/", "/live", "/live//a/", "/live/./", "/../", "/live/a b/", "/live/%61/", "/live/*/", "/live/~a/",
        "/live/ä/", "/live/?/", "/live/a\n/", "/live/!a/",
    ])
    func `Of a folder that has no one spelling`(_ text: String) {
        #expect(throws: PlaybackSessionError.unsuitable(.edgePath)) { try EdgePath(folder: text) }
    }

    @Test(arguments: ["", "/", "/live/", "live", "/..", "/a/.", "//a", "/a%20b", "/a*", "/a;b"])
    func `Of a file that has no one spelling`(_ text: String) {
        #expect(throws: PlaybackSessionError.unsuitable(.edgePath)) { try EdgePath(file: text) }
    }

    @Test func `Of a path that is too long`() throws {
        let longest = "/" + String(repeating: "a", count: EdgePath.maximumLength - 2) + "/"
        #expect(try EdgePath(folder: longest).text == longest)
        #expect(throws: PlaybackSessionError.unsuitable(.edgePath)) { try EdgePath(folder: "/a\(longest)") }
    }

    @Test(arguments: [
        "", "1", "192.0.2.1 ", "192.0.2.1~exp=1", "host.example", "::g", "*", "192.0.2", "192.0.2.256", "192.0.2.01",
        "192.0.2.1.1", ".0.0.1",
    ])
    func `For an address that is not one`(_ address: String) {
        #expect(throws: PlaybackSessionError.unsuitable(.edgeAddress)) {
            try EdgeSamples.grant(client: .address(address))
        }
    }

    @Test(arguments: ["2001:db8::1", "::192.0.2.1", "[2001:db8::1]:443"])
    func `With a policy for an address that is not of IPv4`(_ address: String) throws {
        let grant = try EdgeSamples.grant(client: .address(address))
        #expect(throws: PlaybackSessionError.unsuitable(.edgeAddress)) { try EdgeSamples.policies().issue(grant) }
    }

    @Test func `But for an address in any spelling, which the edge is told in one`() throws {
        for (spelling, address) in [
            ("192.0.2.1:51008", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("[2001:DB8::1]:443", "2001:db8::1"),
        ] {
            let grant = try EdgeSamples.grant(client: .address(spelling))
            guard case .address(let text) = grant.client else {
                Issue.record("\(spelling) is not bound")
                continue
            }
            #expect(text == address)
            let plain = try EdgeSamples.grant(client: .address(address))
            #expect(try EdgeSamples.links().issue(grant).parameters == EdgeSamples.links().issue(plain).parameters)
            #expect(try EdgeSamples.tokens().issue(grant).parameters == EdgeSamples.tokens().issue(plain).parameters)
        }
    }

    @Test(arguments: [0, -1, 10_000_000_000])
    func `That ends at an instant which cannot be written`(_ seconds: Int64) throws {
        #expect(throws: PlaybackSessionError.unsuitable(.instants)) {
            try EdgeGrant(path: EdgePath(folder: "/a/"), expires: Timestamp(milliseconds: seconds * 1000))
        }
    }

    @Test(arguments: [
        "", EdgeSamples.secret.uppercased() + "A", String(EdgeSamples.secret.dropLast(2)), EdgeSamples.secret + "0",
        EdgeSamples.secret + "\n\n", "z" + EdgeSamples.secret.dropFirst(), String(repeating: "a", count: 130),
    ])
    func `With a secret that is not 64 to 128 digits`(_ text: String) {
        let error = #expect(throws: PlaybackSessionError.self) { try EdgeSecret(Array(text.utf8), named: "a/b.hex") }
        #expect(error?.code == "unreadable_key")
        #expect(text.isEmpty || error?.description.contains(text) == false)
    }

    @Test func `With a ring that is empty, too large or has a secret twice`() throws {
        #expect(throws: PlaybackSessionError.noKeys) { try EdgeSecrets([]) }
        #expect(throws: PlaybackSessionError.noKeys) { try PolicyKeyPairs([]) }
        #expect(throws: PlaybackSessionError.self) {
            try EdgeSamples.secrets([EdgeSamples.secret, EdgeSamples.secret])
        }
        let nine = (1...9).map { EdgeSamples.digits($0) }
        #expect(throws: PlaybackSessionError.self) { try EdgeSamples.secrets(nine) }
        #expect(try EdgeSamples.secrets(Array(nine.dropLast())).secrets.count == 8)
        #expect(throws: PlaybackSessionError.self) { try EdgeSamples.policies(EdgeSamples.pairs + EdgeSamples.pairs) }
    }

    @Test func `With SHA-1 and a key that is not RSA`() throws {
        for pairs in [EdgeSamples.pairsP256, [["K3OTHER", "test-only-other-2048"]] + EdgeSamples.pairsP256] {
            #expect(try EdgeSamples.policies(pairs).form == .signedPolicy)
            let error = #expect(throws: PlaybackSessionError.self) {
                try EdgeSamples.policies(pairs, usingLegacySHA1: true)
            }
            #expect(error?.code == "unsupported_key" && error?.description.contains("SHA-1") == true)
        }
        #expect(try EdgeSamples.policies(usingLegacySHA1: true).form == .legacySignedPolicy)
    }

    @Test func `With a key pair that is a secret or too small, has another name, or is public`() throws {
        let key = try Samples.file(Samples.privateRSA)
        for id in ["", "a-b", "a b", "é", String(repeating: "K", count: 65)] {
            #expect(throws: PlaybackSessionError.self) { try PolicyKeyPair(id: id, key: key) }
        }
        #expect(throws: PlaybackSessionError.self) { try PolicyKeyPair(id: "K", key: Samples.secret(1)) }
        #expect(throws: PlaybackSessionError.self) { try EdgeSamples.policies([["K", "test-only-issuer-1024"]]) }
        let pair = try PolicyKeyPair(id: "K", key: Samples.file(Samples.publicRSA))
        let policies = try SignedPolicies(keys: PolicyKeyPairs([pair]), origin: EdgeSamples.origin)
        #expect(throws: PlaybackSessionError.cannotSign) { try policies.issue(EdgeSamples.grant()) }
    }

    @Test(arguments: [
        "", "https://", "d1.example", "https://d1.example/", "https://D1.example", "https://d1.example:443", "ftp://a",
        "https://a*", "https://a\"b", "https://" + String(repeating: "a", count: 254),
    ])
    func `For an origin that is not one`(_ origin: String) {
        #expect(throws: PlaybackSessionError.unsuitable(.edgeOrigin)) { try EdgeSamples.policies(at: origin) }
    }

    @Test func `But for each host that Common Access Tokens can be for`() throws {
        for host in ["a", "d1.example", String(repeating: "a", count: 253)] {
            #expect(try EdgeSamples.policies(at: "https://\(host)").origin == "https://\(host)")
            #expect(try EdgeSamples.commonAccess(host: host).host == host)
        }
    }

    @Test(arguments: ["", "a~b", "a\nb", "ä"])
    func `With a salt that cannot be one`(_ salt: String) {
        #expect(throws: PlaybackSessionError.self) { try EdgeSamples.tokens(salt: salt) }
    }

    @Test func `And a request that is too long is not read`() throws {
        let long = String(repeating: "a", count: EdgeRequest.maximumLength)
        #expect(throws: PlaybackSessionError.tooLarge(limit: EdgeRequest.maximumLength)) {
            try EdgeRequest(target: "/\(long)")
        }
        #expect(throws: PlaybackSessionError.tooLarge(limit: EdgeRequest.maximumLength)) {
            try EdgeRequest(target: "/a", cookies: long + "=")
        }
    }

    @Test func `But from a file, with and without a line end`() throws {
        for end in ["", "\n", "\r\n"] {
            let path = FileManager.default.temporaryDirectory.appending(path: "edge-\(UUID()).hex").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            try Data((EdgeSamples.secret + end).utf8).write(to: URL(filePath: path))
            let secret = try EdgeSecret(contentsOfFile: path)
            #expect(try secret.id == EdgeSamples.secrets([EdgeSamples.secret]).secrets[0].id)
            #expect(!"\(secret)".contains(EdgeSamples.secret) && secret.id.utf8.count == 8)
        }
        let error = #expect(throws: PlaybackSessionError.self) { try EdgeSecret(contentsOfFile: "/nowhere/a.hex") }
        #expect(error?.code == "no_such_file")
    }
}
