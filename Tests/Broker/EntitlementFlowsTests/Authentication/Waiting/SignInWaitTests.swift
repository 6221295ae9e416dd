#if Client
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing

/// When a wait looks, asks and yields, and what it makes of a record: without a clock, a store or a broker.
@Suite("The rules of a wait for a sign-in")
struct SignInWaitTests {
    private static let start = Timestamp(milliseconds: 1_780_000_000_000)
    private static let code = PendingCode(AuthenticationCode("CODE"), until: start + .minutes(30), epoch: 1)

    /// So long after the start.
    private static func moment(_ seconds: Int64) -> Moment {
        Moment(now: start + .seconds(seconds), uptime: .seconds(100 + seconds))
    }

    private static func wait(asking asks: Bool = true, every interval: Duration = .seconds(5)) -> SignInWait {
        SignInWait(number: 1, for: code, of: "REF30", asking: asks, every: interval, at: moment(0))
    }

    /// A record with the code of the wait.
    private static func record(leasedTo session: String? = nil, at seconds: Int64 = 0) -> RequestorRecord {
        var record = RequestorRecord()
        record.raiseEpoch()
        record.adopt(code)
        if let session { _ = record.takeLease(as: session, at: moment(seconds).now) }
        return record
    }

    // MARK: Looking

    @Test func `Until the browser comes back, only the record is looked at`() {
        let wait = Self.wait(asking: false)
        #expect([0, 5, 1_799].map { wait.look(at: Self.moment($0)) } == [.record, .record, .record])
    }

    @Test func `A code that is shown is asked for at once`() {
        #expect(Self.wait().look(at: Self.moment(0)) == .question)
    }

    @Test(arguments: [true, false])
    func `At the code's end nothing else is done`(asks: Bool) {
        #expect(Self.wait(asking: asks).look(at: Self.moment(1_800)) == .codeEnded)
        #expect(Self.wait(asking: asks).look(at: Self.moment(1_799)) != .codeEnded)
    }

    @Test func `The record is looked at each second, and at the code's end`() {
        let last = Moment(now: Self.start + TimeToLive(milliseconds: 1_799_900), uptime: .zero)
        #expect(Self.wait().pause(at: Self.moment(7)) == .seconds(1))
        #expect(Self.wait().pause(at: last) == .milliseconds(100))
    }

    @Test func `A version of the record is new once`() {
        var wait = Self.wait()
        #expect(wait.isNew(3))
        _ = wait.saw(Self.record(), version: 3, as: "me", at: Self.moment(0))
        #expect(!wait.isNew(3) && wait.isNew(4) && wait.isNew(nil))
    }

    // MARK: Asking

    @Test(arguments: [(Duration.seconds(5), Int64(5)), (.seconds(1), 3), (.seconds(30), 30)])
    func `The next question comes after the interval, which is 3 s at least`(interval: Duration, pause: Int64) {
        var wait = Self.wait(every: interval)
        #expect(wait.asked(retryAfter: nil, at: Self.moment(0)) == .seconds(pause))
        #expect(wait.look(at: Self.moment(pause - 1)) == .record)
        #expect(wait.look(at: Self.moment(pause)) == .question)
    }

    @Test func `A broker that wants to be left alone is, and the record is looked at meanwhile`() {
        var wait = Self.wait()
        #expect(wait.asked(retryAfter: .seconds(60), at: Self.moment(10)) == .seconds(1))
        #expect(wait.look(at: Self.moment(69)) == .record)
        #expect(wait.look(at: Self.moment(70)) == .question)
        #expect(wait.asked(retryAfter: .seconds(2), at: Self.moment(70)) == .seconds(5))
    }

    @Test func `However long it wants that, one question comes just before the code's end`() {
        var wait = Self.wait()
        #expect(wait.asked(retryAfter: .seconds(86_400), at: Self.moment(0)) == .seconds(1))
        #expect(wait.look(at: Self.moment(1_794)) == .record)
        #expect(wait.look(at: Self.moment(1_795)) == .question)
    }

    @Test func `The pause after the last question ends with the code`() {
        var wait = Self.wait()
        #expect(wait.asked(retryAfter: nil, at: Self.moment(1_797)) == .seconds(3))
    }

    @Test func `Once the browser is back, the task of the wait leaves the first question to the call that saw it`() {
        var wait = Self.wait(asking: false)
        wait.browserReturned(at: Self.moment(60))
        #expect(wait.look(at: Self.moment(60)) == .record)
        #expect(wait.look(at: Self.moment(64)) == .record)
        #expect(wait.look(at: Self.moment(65)) == .question)
    }

    @Test func `From one question to the next, the broker is left alone for three seconds`() {
        var wait = Self.wait(asking: false)
        #expect(wait.questionPause(at: Self.moment(60)) == nil)
        wait.asks(at: Self.moment(60))
        #expect(wait.questionPause(at: Self.moment(60)) == .seconds(3))
        #expect(wait.questionPause(at: Self.moment(61)) == .seconds(2))
        #expect(wait.questionPause(at: Self.moment(64)) == .zero)
    }

    // MARK: Leases

    @Test func `Without a lease in the record, the session takes it`() {
        var record = Self.record()
        #expect(Self.wait().turn(in: &record, as: "me", at: Self.start) == .mine)
        #expect(record.lease?.poller == "me")
    }

    @Test func `A lease of its own is written every other time`() {
        var record = Self.record(leasedTo: "me")
        let first = record.lease
        #expect(Self.wait().turn(in: &record, as: "me", at: Self.moment(5).now) == .mine)
        #expect(record.lease == first)
        #expect(Self.wait().turn(in: &record, as: "me", at: Self.moment(10).now) == .mine)
        #expect(record.lease?.until == Self.moment(25).now)
    }

    @Test func `While another session has the lease, it asks, and after that not`() {
        var record = Self.record(leasedTo: "other")
        let before = record
        #expect(Self.wait().turn(in: &record, as: "me", at: Self.moment(14).now) == .others(until: Self.moment(15).now))
        #expect(record == before)
        #expect(Self.wait().turn(in: &record, as: "me", at: Self.moment(15).now) == .mine)
        #expect(record.lease?.poller == "me")
    }

    @Test(arguments: ["another epoch", "another code", "no code"])
    func `For a code that has gone, no lease is taken`(change: String) {
        var record = Self.record()
        switch change {
        case "another epoch": record.raiseEpoch()
        case "another code":
            record.adopt(PendingCode(AuthenticationCode("LATER"), until: Self.code.until + .seconds(1), epoch: 1))
        default: record.drop(Self.code)
        }
        #expect(Self.wait().turn(in: &record, as: "me", at: Self.start) == .over)
        #expect(record.lease == nil)
    }

    @Test func `A session that yields asks when the lease ends`() {
        var wait = Self.wait()
        wait.yield(until: Self.moment(15).now, at: Self.moment(0))
        #expect(wait.look(at: Self.moment(14)) == .record)
        #expect(wait.look(at: Self.moment(15)) == .question)
    }

    @Test func `A lease that is renewed puts the question off, and one that is given back brings it`() {
        var wait = Self.wait()
        wait.yield(until: Self.moment(15).now, at: Self.moment(0))
        let renewed = Self.record(leasedTo: "other", at: 10)
        #expect(wait.saw(renewed, version: 2, as: "me", at: Self.moment(11)) == .nothing)
        #expect(wait.look(at: Self.moment(24)) == .record)
        #expect(wait.look(at: Self.moment(25)) == .question)
        #expect(wait.saw(Self.record(), version: 3, as: "me", at: Self.moment(12)) == .nothing)
        #expect(wait.look(at: Self.moment(12)) == .question)
    }

    @Test func `A lease of another that has ended, and one of its own, hold nothing up`() {
        for record in [Self.record(leasedTo: "other", at: -15), Self.record(leasedTo: "me")] {
            var wait = Self.wait()
            wait.yield(until: Self.moment(15).now, at: Self.moment(0))
            _ = wait.saw(record, version: 2, as: "me", at: Self.moment(1))
            #expect(wait.look(at: Self.moment(1)) == .question)
        }
    }

    @Test func `A session that has taken over does not ask again because the record changes`() {
        var wait = Self.wait()
        wait.yield(until: Self.moment(15).now, at: Self.moment(0))
        _ = wait.asked(retryAfter: .seconds(60), at: Self.moment(15))
        _ = wait.saw(Self.record(), version: 2, as: "me", at: Self.moment(16))
        #expect(wait.look(at: Self.moment(74)) == .record)
        #expect(wait.look(at: Self.moment(75)) == .question)
    }

    @Test func `The lease of another counts also after the browser has come back`() {
        var wait = Self.wait()
        wait.yield(until: Self.moment(15).now, at: Self.moment(0))
        wait.browserReturned(at: Self.moment(1))
        #expect(wait.look(at: Self.moment(5)) == .record && wait.look(at: Self.moment(6)) == .question)
        _ = wait.saw(Self.record(leasedTo: "other", at: 0), version: 2, as: "me", at: Self.moment(2))
        #expect(wait.look(at: Self.moment(14)) == .record)
    }

    // MARK: Findings

    @Test func `As long as the record has the code, it says nothing`() {
        var wait = Self.wait()
        #expect(wait.saw(Self.record(), version: 1, as: "me", at: Self.moment(1)) == .nothing)
    }

    @Test func `In another epoch, another sign-in has taken the place, or a cancel`() {
        var (wait, record) = (Self.wait(), Self.record())
        record.raiseEpoch()
        #expect(wait.saw(record, version: 1, as: "me", at: Self.moment(1)) == .superseded)
        // Even if the user is signed in there.
        record.adopt(ProfileHint(ofUnknownEnd: "M"), askedAt: Self.start)
        #expect(wait.saw(record, version: 2, as: "me", at: Self.moment(1)) == .superseded)
    }

    @Test func `A code that has gone was used if the user is signed in, else it has ended`() {
        var (wait, record) = (Self.wait(), Self.record())
        record.drop(Self.code)
        #expect(wait.saw(record, version: 1, as: "me", at: Self.moment(1)) == .codeEnded)
        record.adopt(ProfileHint(ofUnknownEnd: "M"), askedAt: Self.start)
        #expect(wait.saw(record, version: 2, as: "me", at: Self.moment(1)) == .signedIn(SignIn(mvpd: "M")))
    }

    @Test func `A user who was signed in before the code was made is no success of it`() {
        var (wait, record) = (Self.wait(), Self.record())
        record.adopt(ProfileHint(ofUnknownEnd: "M"), askedAt: Self.start)
        record.noteFailedSignIn()
        record.drop(Self.code)
        #expect(wait.saw(record, version: 1, as: "me", at: Self.moment(1)) == .codeEnded)
    }

    // MARK: Listening

    @Test func `The last one who leaves ends a wait that nobody asks for`() {
        var wait = Self.wait(asking: false)
        wait.join()
        wait.join()
        let (first, last) = (wait.leave(), wait.leave())
        #expect(!first && last)
    }

    @Test func `A wait for which the broker is asked, here or elsewhere, goes on without listeners`() {
        var (asking, yielding, returned) = (Self.wait(), Self.wait(), Self.wait(asking: false))
        yielding.yield(until: Self.moment(15).now, at: Self.moment(0))
        returned.browserReturned(at: Self.moment(1))
        asking.join()
        yielding.join()
        returned.join()
        let ends = [asking.leave(), yielding.leave(), returned.leave()]
        #expect(ends == [false, false, false])
    }
}
#endif
