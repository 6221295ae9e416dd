import EntitlementValues
import PlaybackSessions
import Testing

@Suite struct `A session that is bound to a client` {
    static let address = "192.0.2.77"

    @Test(arguments: SessionAlgorithm.allCases)
    func `Is good for this client alone`(_ algorithm: SessionAlgorithm) throws {
        let key = try Samples.key(algorithm)
        let text = try Samples.issuer(key).issue(Samples.session(client: .address(Self.address))).text
        let verifier = try Samples.verifier(key)
        let code = { (client: SessionClient) in
            verifier.code(text, expecting: Samples.expectations(client: client))
        }
        #expect(code(.address(Self.address)) == "valid")
        for spelling in ["192.0.2.77:51008", "::ffff:192.0.2.77", "[::FFFF:c000:24d]:443"] {
            #expect(code(.address(spelling)) == "valid", "\(spelling)")
        }
        for other in ["192.0.2.7", "192.0.2.770", "192.0.2.77 ", "192.0.2.77:", "::192.0.2.77", "192.0.2.76", ""] {
            #expect(code(.address(other)) == "session_client_mismatch", "\(other)")
        }
        #expect(code(.unbound) == "session_client_mismatch")
        let unbound = try Samples.issuer(key).issue(Samples.session()).text
        #expect(
            verifier.code(unbound, expecting: Samples.expectations(client: .address(Self.address)))
                == "session_client_mismatch")
    }

    @Test func `Does not reveal the address, nor that two sessions are of one client`() throws {
        let issuer = try Samples.issuer(Samples.secret(7))
        var hashes: Set<Substring> = []
        for _ in 0..<10 {
            let issued = try issuer.issue(Samples.session(client: .address(Self.address)))
            let claims = try `A session is refused`.claims(of: issued.text)
            #expect(!claims.contains(Self.address))
            let hash = try #require(claims.firstRange(of: #""client":""#)).upperBound
            hashes.insert(claims[hash...].prefix { $0 != "\"" })
            #expect(try UnverifiedPlaybackSession(parsing: issued.text).isBound)
            #expect(!"\(issued) \(issued.session.client)".contains(Self.address))
            #expect(!String(reflecting: issued.session).contains(Self.address))
        }
        #expect(hashes.count == 10)
    }

    @Test func `Cannot be checked with the public key, and an unbound one can`() throws {
        let signing = try Samples.file(Samples.privateRSA)
        let verifier = try Samples.verifier(Samples.file(Samples.publicRSA))
        let bound = try Samples.issuer(signing).issue(Samples.session(client: .address(Self.address))).text
        #expect(throws: PlaybackSessionError.clientNotCheckable) {
            try verifier.verify(
                bound, expecting: Samples.expectations(client: .address(Self.address)), at: Samples.now)
        }
        #expect(verifier.code(try Samples.issuer(signing).issue(Samples.session()).text) == "valid")
    }

    @Test func `Stays bound when it is renewed`() throws {
        let key = try Samples.secret(7)
        let (issuer, verifier) = try (Samples.issuer(key), Samples.verifier(key))
        let client = SessionClient.address(Self.address)
        let text = try issuer.issue(Samples.session(client: client)).text
        let expectations = Samples.expectations(client: client)
        let renewed = try issuer.renew(
            verifier.verify(text, expecting: expectations, at: Samples.now), at: Samples.now + .minutes(4))
        let later = Samples.now + .minutes(6)
        #expect(verifier.code(renewed.text, expecting: expectations, at: later) == "valid")
        #expect(verifier.code(renewed.text, at: later) == "session_client_mismatch")
    }

    @Test func `Needs an address`() throws {
        #expect(throws: PlaybackSessionError.unsuitable(.empty(field: "address of the client"))) {
            try Samples.issuer(Samples.secret(7)).issue(Samples.session(client: .address("")))
        }
        for text in ["unknown", "192.0.2.77, 192.0.2.78", "host.example:80", "fe80::1%eth0"] {
            #expect(throws: PlaybackSessionError.unsuitable(.clientAddress), "\(text)") {
                try Samples.issuer(Samples.secret(7)).issue(Samples.session(client: .address(text)))
            }
        }
    }

    @Test func `Is the same one in each spelling of its address`() throws {
        let client = SessionClient.address("2001:db8::77")
        for spelling in ["2001:DB8::77", "2001:0db8:0::0077", "[2001:db8::77]", "[2001:db8::77]:51008"] {
            let other = SessionClient.address(spelling)
            #expect(other == client && other.hashValue == client.hashValue, "\(spelling)")
            let key = try Samples.secret(7)
            // It is the address that is bound, whatever its spelling was.
            let text = try Samples.issuer(key).issue(Samples.session(client: other)).text
            #expect(try Samples.verifier(key).code(text, expecting: Samples.expectations(client: client)) == "valid")
        }
        #expect(SessionClient.address("unknown") == .address("unknown"))
        #expect(SessionClient.address("unknown") != .address("Unknown"))
        #expect(SessionClient.address("unknown") != .unbound && client != .unbound)
    }
}
