import BrokerMessages
import DeviceRecords
import EntitlementValues
import ServiceResponses
import Testing

/// The rules by which records that several processes change are merged.
@Suite struct MergingTests {
    let now = Samples.now

    // MARK: Registrations

    @Test func `The first credentials win`() throws {
        var record = DeviceRecord(of: "d")
        let (first, second) = (Samples.credentials("1"), Samples.credentials("2"))
        holds(record.adopt(first, for: Samples.scope) == first)
        holds(record.adopt(second, for: Samples.scope) == first)
        #expect(record.registrations[Samples.scope]?.credentials == first)
        let other = RegistrationScope(origin: Samples.scope.origin, application: "other")
        holds(record.adopt(second, for: other) == second)
        // A token of credentials that lost is of no use.
        holds(record.adopt(try Samples.token("x"), madeWith: second, for: Samples.scope) == nil)
        #expect(record.registrations[Samples.scope]?.token == nil)
        record.forget(second, for: Samples.scope)
        #expect(record.registrations[Samples.scope] != nil)
        record.forget(first, for: Samples.scope)
        #expect(record.registrations[Samples.scope] == nil)
        holds(record.adopt(second, for: Samples.scope) == second)
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]])
    func `The token that was created later wins`(_ order: [Int]) throws {
        var record = DeviceRecord(of: "d")
        let credentials = Samples.credentials("1")
        record.adopt(credentials, for: Samples.scope)
        let tokens = try (0..<3).map { try Samples.token("\($0)", created: now + .seconds(Int64($0))) }
        var kept: AccessToken?
        for place in order { kept = record.adopt(tokens[place], madeWith: credentials, for: Samples.scope) }
        #expect(kept == tokens[2])
        #expect(record.registrations[Samples.scope]?.token == tokens[2])
        record.drop(tokens[1], for: Samples.scope)
        #expect(record.registrations[Samples.scope]?.token == tokens[2])
        record.drop(tokens[2], for: Samples.scope)
        #expect(record.registrations[Samples.scope]?.token == nil)
        #expect(record.registrations[Samples.scope]?.credentials == credentials)
    }

    @Test func `The first identifier stays`() throws {
        var record = DeviceRecord(of: "d")
        let first = try DeviceIdentifier("1")
        record.adopt(first)
        holds(record.adopt(try DeviceIdentifier("2")) == first)
        #expect(record.identifier == first)
    }

    // MARK: Codes and leases

    @Test func `The later code wins`() {
        var part = RequestorRecord()
        let old = Samples.code("a", epoch: part.raiseEpoch())
        holds(part.adopt(old))
        let new = Samples.code("b", epoch: part.raiseEpoch())
        #expect(part.pendingCode == nil)
        holds(part.adopt(new))
        holds(!part.adopt(old))
        #expect(part.pendingCode == new)
        // In one epoch the one that ends later wins.
        let longer = Samples.code("c", epoch: new.epoch, until: new.until + .minutes(1))
        holds(part.adopt(longer))
        holds(!part.adopt(new))
        part.drop(new)
        #expect(part.pendingCode == longer)
        part.drop(longer)
        #expect(part.pendingCode == nil)
        // A code from a host that has gone further brings its epoch.
        let further = Samples.code("d", epoch: 90)
        holds(part.adopt(further))
        holds(part.raiseEpoch() == 91)
        holds(!part.adopt(further))
    }

    @Test func `One at a time polls for fifteen seconds`() {
        var part = RequestorRecord()
        holds(part.takeLease(as: "a", at: now))
        holds(!part.takeLease(as: "b", at: now + .seconds(14)))
        holds(part.takeLease(as: "a", at: now + .seconds(14)))
        holds(!part.takeLease(as: "b", at: now + .seconds(28)))
        holds(part.takeLease(as: "b", at: now + .seconds(29)))
        part.releaseLease(of: "a")
        #expect(part.lease?.poller == "b")
        part.releaseLease(of: "b")
        #expect(part.lease == nil)
        // A new code is polled for anew.
        holds(part.takeLease(as: "b", at: now))
        part.adopt(Samples.code("x", epoch: 1))
        holds(part.takeLease(as: "a", at: now))
    }

    // MARK: Profiles

    @Test func `The broker's last answer wins`() throws {
        var part = RequestorRecord()
        let (one, other) = (try Samples.profile(zip: "1"), try Samples.profile(zip: "2"))
        #expect(part.asked == nil)
        holds(part.adopt(one, askedAt: now))
        holds(part.adopt(other, askedAt: now + .seconds(2)))
        holds(!part.adopt(one, askedAt: now + .seconds(1)))
        #expect(part.profile == other)
        holds(part.adopt(nil, askedAt: now + .seconds(3)))
        #expect(part.profile == nil)
        #expect(part.asked == now + .seconds(3))
    }

    @Test func `A clock that leapt ahead and back locks nothing out`() throws {
        var part = RequestorRecord()
        holds(part.adopt(nil, askedAt: now + .hours(1)))
        holds(part.adopt(try Samples.profile(), askedAt: now))
        #expect(part.asked == now)
        holds(part.takeLease(as: "a", at: now + .hours(1)))
        holds(part.takeLease(as: "b", at: now))
        // The clocks of two hosts may differ by a minute.
        holds(part.adopt(nil, askedAt: now + .minutes(1)))
        holds(!part.adopt(try Samples.profile(), askedAt: now))
        holds(part.takeLease(as: "a", at: now + .minutes(1)))
        holds(!part.takeLease(as: "b", at: now))
    }

    @Test func `A logout that was not confirmed does not undo itself`() throws {
        var part = RequestorRecord()
        part.adopt(try Samples.profile(from: now - .hours(1)), askedAt: now)
        let epoch = part.epoch
        part.logOut(mvpd: "MVPD", at: now + .seconds(1))
        #expect(part.profile == nil)
        #expect(part.epoch == epoch + 1)
        holds(!part.adopt(try Samples.profile(from: now - .hours(1)), askedAt: now + .seconds(5)))
        holds(!part.adopt(try Samples.profile(from: now + .seconds(1)), askedAt: now + .seconds(5)))
        #expect(part.profile == nil)
        // A newer sign-in counts, and so does another provider's.
        holds(part.adopt(try Samples.profile(from: now + .seconds(2)), askedAt: now + .seconds(5)))
        holds(part.adopt(try Samples.profile("OTHER", from: now - .hours(1)), askedAt: now + .seconds(6)))
        part.confirmLogout(mvpd: "MVPD", markedAt: now)
        #expect(part.logouts["MVPD"] == now + .seconds(1))
        part.confirmLogout(mvpd: "MVPD", markedAt: now + .seconds(1))
        #expect(part.logouts.isEmpty)
        holds(part.adopt(try Samples.profile(from: now - .hours(1)), askedAt: now + .seconds(7)))
    }

    @Test func `A profile of unknown end is judged by when it was seen`() {
        var part = RequestorRecord()
        part.logOut(mvpd: "MVPD", at: now)
        holds(!part.adopt(ProfileHint(ofUnknownEnd: "MVPD"), askedAt: now))
        holds(part.adopt(ProfileHint(ofUnknownEnd: "MVPD"), askedAt: now + .seconds(1)))
        #expect(part.profile?.notAfter == nil)
    }

    @Test func `A logout leaves the profile of another provider`() throws {
        var part = RequestorRecord()
        part.adopt(try Samples.profile("OTHER"), askedAt: now)
        part.adopt(DecisionTime(on: "A", mvpd: "MVPD", decided: now, notAfter: nil))
        part.adopt(DecisionTime(on: "A", mvpd: "OTHER", decided: now, notAfter: nil))
        part.logOut(mvpd: "MVPD", at: now)
        #expect(part.profile?.mvpd == "OTHER")
        #expect(part.decisions.map(\.mvpd) == ["OTHER"])
    }

    @Test func `A profile that another takes the place of is remembered until a logout`() throws {
        var part = RequestorRecord()
        part.adopt(try Samples.profile("A"), askedAt: now)
        part.leaveProfile(at: now + .seconds(1))
        #expect(part.profile == nil)
        #expect(part.otherProfiles == ["A": now + .seconds(1)])
        part.adopt(try Samples.profile("B"), askedAt: now + .seconds(2))
        part.adopt(try Samples.profile("C"), askedAt: now + .seconds(3))
        #expect(part.otherProfiles.keys.sorted { $0.rawValue < $1.rawValue } == ["A", "B"])
        // It counts again.
        part.adopt(try Samples.profile("A"), askedAt: now + .seconds(4))
        #expect(part.otherProfiles.keys.sorted { $0.rawValue < $1.rawValue } == ["B", "C"])
        part.logOut(mvpd: "B", at: now + .seconds(5))
        // The broker is asked for that logout in any case.
        part.rememberProfile(mvpd: "B", at: now + .seconds(6))
        #expect(part.otherProfiles == ["C": now + .seconds(4)])
        // One that has ended is not at the broker anymore; the broker's word takes the profile away, too.
        part.leaveProfile(at: now + .hours(9))
        part.adopt(try Samples.profile("D"), askedAt: now + .hours(9))
        part.adopt(nil, askedAt: now + .hours(9))
        #expect(part.otherProfiles == ["C": now + .seconds(4)])
    }

    @Test func `The last sign-in outlives its profile`() throws {
        var part = RequestorRecord()
        part.adopt(try Samples.profile("A"), askedAt: now)
        part.adopt(nil, askedAt: now)
        #expect(part.lastSignIn == "A")
        part.logOut(mvpd: "B", at: now)
        #expect(part.lastSignIn == "A")
        part.logOut(mvpd: "A", at: now)
        #expect(part.lastSignIn == nil)
        part.adopt(try Samples.profile("A", from: now + .seconds(1)), askedAt: now + .seconds(1))
        part.noteFailedSignIn()
        #expect(part.lastSignIn == nil && part.profile != nil)
    }

    // MARK: Bounds

    @Test func `The latest other profiles are kept`() {
        var part = RequestorRecord()
        for number in 0..<100 {
            part.rememberProfile(mvpd: MVPDID("M\(number)"), at: now + .seconds(Int64(number)))
        }
        #expect(part.otherProfiles.count == RequestorRecord.maximumOtherProfiles)
        #expect(part.otherProfiles["M99"] != nil && part.otherProfiles["M0"] == nil)
    }

    @Test func `The latest decisions are kept`() {
        var part = RequestorRecord()
        for number in 0..<200 {
            part.adopt(
                DecisionTime(
                    on: ResourceID("R\(number)"), mvpd: "MVPD", decided: now + .seconds(Int64(number)), notAfter: nil))
        }
        #expect(part.decisions.count == RequestorRecord.maximumDecisions)
        #expect(part.decisions.map(\.decided).min() == now + .seconds(136))
        part.adopt(DecisionTime(on: "R199", mvpd: "MVPD", decided: now, notAfter: nil))
        #expect(part.decisions.contains { $0.resource == "R199" && $0.decided == now + .seconds(199) })
        let later = DecisionTime(on: "R199", mvpd: "MVPD", decided: now + .hours(1), notAfter: now + .hours(2))
        part.adopt(later)
        #expect(part.decisions.contains(later))
        #expect(part.decisions.count == RequestorRecord.maximumDecisions)
    }

    @Test func `The latest logouts are kept`() {
        var part = RequestorRecord()
        for number in 0..<100 { part.logOut(mvpd: MVPDID("M\(number)"), at: now + .seconds(Int64(number))) }
        #expect(part.logouts.count == RequestorRecord.maximumLogouts)
        #expect(part.logouts["M99"] != nil && part.logouts["M0"] == nil)
    }

    @Test func `What the partner said last counts`() throws {
        var part = RequestorRecord()
        let status = try PartnerFrameworkStatus(json: #"{"frameworkPermissionInfo":{"accessStatus":"denied"}}"#)
        let old = PartnerStatusHint(status, said: now, until: now + .hours(1))
        let new = PartnerStatusHint(status, said: now + .seconds(1), until: now + .minutes(1))
        holds(part.adopt(new))
        holds(!part.adopt(old))
        #expect(part.partner == new)
    }

    @Test func `A status from a clock that leapt ahead locks nothing out`() throws {
        var part = RequestorRecord()
        let status = try PartnerFrameworkStatus(json: #"{"frameworkPermissionInfo":{"accessStatus":"denied"}}"#)
        holds(part.adopt(PartnerStatusHint(status, said: now + .hours(24), until: now + .hours(25))))
        let new = PartnerStatusHint(status, said: now, until: now + .hours(1))
        holds(part.adopt(new))
        #expect(part.partner == new)
    }

    @Test func `An empty part is not kept`() {
        var record = DeviceRecord(of: "d")
        record["A"] = RequestorRecord()
        #expect(record == DeviceRecord(of: "d"))
        record["A"].raiseEpoch()
        #expect(record.requestors.count == 1)
    }
}

/// `#expect` for calls that change what they are called on, which it cannot expand.
private func holds(_ isTrue: Bool, at location: SourceLocation = #_sourceLocation) {
    #expect(isTrue, sourceLocation: location)
}
