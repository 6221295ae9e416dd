import EntitlementValues
import PlaybackSessions
import Testing

/// Ends, renewals and clocks that are set.
@Suite struct `The time of a session` {
    let key: SessionKey
    let issuer: PlaybackSessionIssuer
    let verifier: PlaybackSessionVerifier

    init() throws {
        key = try Samples.secret(7)
        issuer = try Samples.issuer(key)
        verifier = try Samples.verifier(key)
    }

    @Test(arguments: [
        (Int64(-60_001), "session_not_yet_valid"), (-60_000, "valid"), (0, "valid"), (299_999, "valid"),
        (300_000, "session_expired"), (Int64.max - 1_768_498_200_000, "session_expired"),
    ])
    func `Is kept to the millisecond`(_ offset: Int64, _ expected: String) throws {
        let text = try issuer.issue(Samples.session()).text
        let now = Timestamp(milliseconds: Samples.now.milliseconds + offset)
        #expect(verifier.code(text, at: now) == expected)
    }

    @Test func `Has a leeway only if one is given`() throws {
        let text = try issuer.issue(Samples.session()).text
        let lenient = try PlaybackSessionVerifier(
            keys: SessionKeys([key]), issuer: .exactly(Samples.issuerName), leeway: .seconds(30), futureTolerance: .zero
        )
        #expect(lenient.code(text, at: Samples.now + .seconds(329)) == "valid")
        #expect(lenient.code(text, at: Samples.now + .seconds(330)) == "session_expired")
        #expect(lenient.code(text, at: Samples.now - .seconds(1)) == "session_not_yet_valid")
    }

    /// A clock that leaps forward and back neither keeps a session alive nor ends a good one for good.
    @Test func `Follows a clock that is set`() throws {
        let text = try issuer.issue(Samples.session()).text
        #expect(verifier.code(text, at: Samples.now + .hours(24)) == "session_expired")
        #expect(verifier.code(text, at: Samples.now + .minutes(1)) == "valid")
        // Issued while the clock was a day early: refused once the clock is right, until that day.
        let early = try issuer.issue(Samples.session(at: Samples.now + .hours(24))).text
        #expect(verifier.code(early, at: Samples.now) == "session_not_yet_valid")
    }

    @Test func `Is cut to whole seconds`() throws {
        let session = try Samples.session(at: Samples.now + TimeToLive(milliseconds: 999))
        #expect(session.issued == Samples.now && session.expires == Samples.now + .minutes(5))
        #expect(try Samples.session(at: Timestamp(milliseconds: -1)).issued.milliseconds == -1000)
        #expect(try Samples.session(at: Timestamp(milliseconds: .min)).issued.milliseconds == .min)
    }

    @Test func `Slides with renewals, and ends at the ceiling`() throws {
        let text = try issuer.issue(Samples.session()).text
        var session = try verifier.verify(text, expecting: Samples.expectations(), at: Samples.now)
        let first = session.session
        var now = Samples.now
        var renewals = 0
        while session.session.expires < session.session.ceiling {
            now = session.session.expires - .seconds(1)
            let renewed = try issuer.renew(session, at: now)
            #expect(renewed.session.expires == min(now + .minutes(5), first.ceiling))
            #expect(renewed.session.id == first.id && renewed.session.ceiling == first.ceiling)
            session = try verifier.verify(renewed.text, expecting: Samples.expectations(), at: now)
            renewals += 1
        }
        #expect(renewals == 96)
        #expect(session.session.expires == first.ceiling)
        #expect(try issuer.renew(session, at: now).session.expires == first.ceiling)
        #expect(throws: PlaybackSessionError.self) {
            try verifier.verify(text, expecting: Samples.expectations(), at: first.ceiling)
        }
    }

    @Test func `Does not shrink if the clock was set back`() throws {
        let text = try issuer.issue(Samples.session()).text
        let session = try verifier.verify(text, expecting: Samples.expectations(), at: Samples.now)
        let renewed = try issuer.renew(session, at: Samples.now - .seconds(50))
        #expect(renewed.session.expires == session.session.expires)
    }

    @Test(arguments: [(Int64(0), Int64(10)), (-1, 10), (10, 9), (1500, 2000), (10, 604_801)])
    func `Must make sense`(_ session: Int64, _ ceiling: Int64) {
        let length = session == 1500 ? TimeToLive(milliseconds: 1500) : .seconds(session)
        #expect(throws: PlaybackSessionError.self) {
            try SessionLifetimes(session: length, ceiling: .seconds(ceiling))
        }
    }

    @Test func `Cannot be written before 1970 or beyond the ceiling`() throws {
        for start in [Timestamp(milliseconds: -1000), Timestamp(milliseconds: .max), Timestamp(milliseconds: .min)] {
            #expect(throws: PlaybackSessionError.unsuitable(.instants)) {
                try issuer.issue(Samples.session(at: start))
            }
        }
    }

    /// Temporary access has an end that no renewal may pass.
    @Test(arguments: [(100, 100, 100), (301, 300, 301), (28_801, 300, 28_800), (1, 1, 1)] as [(Int64, Int64, Int64)])
    func `Does not pass an end of its own`(_ seconds: Int64, _ expires: Int64, _ ceiling: Int64) throws {
        let now = Samples.now
        let end = now + .seconds(seconds) + TimeToLive(milliseconds: 999)
        let token = try Samples.token(issued: now)
        let issued = try issuer.issue(for: token, client: .unbound, at: now, notAfter: end)
        #expect(issued.session.expires == now + .seconds(expires))
        #expect(issued.session.ceiling == now + .seconds(ceiling))
        let verified = try verifier.verify(issued.text, expecting: Samples.expectations(), at: now)
        let renewed = try issuer.renew(verified, at: now)
        #expect(renewed.session.expires <= end)
        #expect(verifier.code(issued.text, expecting: Samples.expectations(), at: end) == "session_expired")
    }

    @Test(arguments: [Int64(0), 999, -5000])
    func `Is none if its end comes within the second`(_ milliseconds: Int64) throws {
        let token = try Samples.token(issued: Samples.now)
        #expect(throws: PlaybackSessionError.unsuitable(.instants)) {
            try issuer.issue(
                for: token, client: .unbound, at: Samples.now,
                notAfter: Samples.now + TimeToLive(milliseconds: milliseconds))
        }
    }
}
