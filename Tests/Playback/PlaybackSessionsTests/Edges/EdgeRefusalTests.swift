import EntitlementValues
import PlaybackSessions
import Testing

/// Bad input, the same for each form: what the vectors have for one secret, here with grants of our own.
@Suite struct `A grant for an edge` {
    @Test(arguments: EdgeCarrier.allCases)
    func `Opens its folder and nothing beside it`(_ form: EdgeCarrier) throws {
        let issued = try form.issue(EdgeSamples.grant())
        #expect(try form.code(form.request("/live/a/1.ts", with: issued)) == "valid")
        #expect(try form.code(form.request("/live/a/x/y.m3u8", with: issued)) == "valid")
        for path in ["/live/a/x;v=1/1.ts", "/live/a/..x/1.ts", "/live/a/.hidden", "/live/a/b%20c"] {
            #expect(try form.code(form.request(path, with: issued)) == "valid", "\(path)")
        }
        for path in ["/live/ab/1.ts", "/live/a", "/live/b/1.ts", "/LIVE/a/1.ts", "/x/live/a/1.ts", "/"] {
            #expect(try form.code(form.request(path, with: issued)) == "session_path_mismatch", "\(path)")
        }
        for path in [
            "/live/a/../b", "/live/a/%2e%2e/b", "/live/%61/1.ts", "/live//a/1.ts", "/live/a/%2F", "/live/a/..;/b",
            "/live/a/..;x=1/..;/b", "/live/a/.;/b", "/live/a/;x/b", "/live/a/..%3B/b", "/live/a/..%20/b",
            "/live/a/%20../b", "/live/a/..;", "/live/a/%252e%252e/b", "/live/a/x#/../../b",
            "/live/a/..%C2%A0/b", "/live/a/..+/b", "/live/a/%E2%80%A5/b", "/live/a/..%3Fx/b", "/live/a/x%EF%BC%8F../b",
        ] {
            let error = #expect(throws: PlaybackSessionError.self) { try form.request(path, with: issued) }
            #expect(error == .otherPath, "\(path)")
        }
    }

    @Test(arguments: EdgeCarrier.allCases)
    func `Opens one file if it is for one`(_ form: EdgeCarrier) throws {
        let issued = try form.issue(EdgeSamples.grant("/vod/film.mp4"))
        #expect(try form.code(form.request("/vod/film.mp4", with: issued), opening: "/vod/film.mp4") == "valid")
        for path in ["/vod/film.mp4x", "/vod/film.mp4/1", "/vod/Film.mp4", "/vod/"] {
            #expect(try form.code(form.request(path, with: issued), opening: "/vod/film.mp4") != "valid", "\(path)")
        }
    }

    @Test(arguments: EdgeCarrier.allCases)
    func `Ends, and does not come back if the clock is set back too far`(_ form: EdgeCarrier) throws {
        let request = try form.request("/live/a/1.ts", with: form.issue(EdgeSamples.grant()))
        let end = Samples.now + .minutes(5)
        #expect(try form.code(request, at: Timestamp(milliseconds: end.milliseconds - 1)) == "valid")
        #expect(try form.code(request, at: end) == "session_expired")
        #expect(try form.code(request, at: end + .hours(24 * 365)) == "session_expired")
        #expect(try form.code(request, at: Samples.now - TimeToLive.hours(24)) == "valid")
        #expect(try form.code(request, at: end - EdgeGrant.maximumLifetime - TimeToLive.seconds(60)) == "valid")
        #expect(
            try form.code(request, at: end - EdgeGrant.maximumLifetime - TimeToLive.seconds(61))
                == "session_not_yet_valid")
    }

    @Test(arguments: EdgeCarrier.allCases)
    func `Is good for its client alone`(_ form: EdgeCarrier) throws {
        let client = SessionClient.address("192.0.2.7")
        let bound = try form.issue(EdgeSamples.grant(client: client))
        let free = try form.issue(EdgeSamples.grant())
        #expect(try form.code(form.request("/live/a/1.ts", with: bound, from: client)) == "valid")
        for other in [SessionClient.unbound, .address("192.0.2.70"), .address("192.0.2.8"), .address("")] {
            let code = try form.code(form.request("/live/a/1.ts", with: bound, from: other))
            #expect(["session_client_mismatch", "bad_session_signature"].contains(code), "\(other): \(code)")
        }
        let code = try form.code(form.request("/live/a/1.ts", with: free, from: client))
        #expect(["session_client_mismatch", "bad_session_signature"].contains(code))
    }

    @Test(arguments: EdgeCarrier.allCases)
    func `Lives as long as its key is in the ring`(_ form: EdgeCarrier) throws {
        let old = try form.request("/live/a/1.ts", with: form.issue(EdgeSamples.grant(), by: .first))
        let new = try form.request("/live/a/1.ts", with: form.issue(EdgeSamples.grant(), by: .both))
        #expect(try form.code(old, by: .both) == "valid")
        #expect(try form.code(new, by: .both) == "valid")
        #expect(try form.code(new, by: .second) == "valid", "the first key of the ring signs")
        let code = try form.code(old, by: .second)
        #expect(["retired_session_key", "bad_session_signature"].contains(code))
        #expect(try form.code(new, by: .first) == code)
    }

    @Test(arguments: EdgeCarrier.allCases)
    func `Does not lend its signature to another`(_ form: EdgeCarrier) throws {
        let one = try form.issue(EdgeSamples.grant())
        let other = try form.issue(EdgeSamples.grant("/live/b/"))
        let longer = try form.issue(EdgeSamples.grant(lasting: .minutes(6)))
        // Two sessions at a time both play, each its own channel.
        #expect(try form.code(form.request("/live/b/1.ts", with: other), opening: "/live/b/") == "valid")
        #expect(try form.code(form.request("/live/b/1.ts", with: one), opening: "/live/b/") != "valid")
        #expect(try form.code(form.request("/live/a/1.ts", with: other)) != "valid")
        for (index, field) in one.parameters.enumerated() where field != longer.parameters[index] {
            var mixed = longer.parameters
            mixed[index] = field
            guard mixed != one.parameters else { continue }
            let request = try EdgeRequest(target: "/live/a/1.ts?\(mixed.query)")
            #expect(try form.code(request) == "bad_session_signature", "\(field.name)")
        }
    }

    /// Every byte counts: no text that differs in one place passes.
    @Test(arguments: [EdgeCarrier.linkInQuery, .token, .policy, .policyP256, .legacyPolicy, .access])
    func `Has one spelling`(_ form: EdgeCarrier) throws {
        let query = Array(try form.issue(EdgeSamples.grant()).parameters.query.utf8)
        for index in query.indices {
            for byte in [query[index] ^ 1, query[index] ^ 0x20] where byte != query[index] {
                var changed = query
                changed[index] = byte
                let target = "/live/a/1.ts?\(String(decoding: changed, as: UTF8.self))"
                guard let request = try? EdgeRequest(target: target) else { continue }
                #expect(try form.code(request) != "valid", "byte \(index)")
            }
            let shorter = query[..<index] + query[(index + 1)...]
            let request = try EdgeRequest(target: "/live/a/1.ts?\(String(decoding: shorter, as: UTF8.self))")
            #expect(try form.code(request) != "valid", "without byte \(index)")
        }
        let twice = "/live/a/1.ts?" + String(decoding: query + [UInt8(ascii: "&")] + query, as: UTF8.self)
        #expect(try form.code(EdgeRequest(target: twice)) == "bad_session")
    }

    @Test(arguments: EdgeCarrier.allCases)
    func `Shows nothing of itself in texts and mirrors`(_ form: EdgeCarrier) throws {
        let issued = try form.issue(EdgeSamples.grant())
        var dumped = "\(issued) \(issued.parameters) \(issued.cookies)"
        dump(issued, to: &dumped)
        for field in issued.parameters where field.name != "key" && field.name != "Key-Pair-Id" {
            #expect(!dumped.contains(field.value))
        }
    }
}
