#if Client
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TestVectors
import Testing

/// What ends what, row by row: without a clock, a store or a broker.
@Suite("What a session remembers, and what ends it")
struct SessionStateTests {
    private static let start = Timestamp(milliseconds: 1_780_000_000_000)
    private static let moment = Moment(now: start, uptime: .zero)

    private static func code(epoch: Int64, minutes: Int64 = 30) -> PendingCode {
        PendingCode(AuthenticationCode("CODE"), until: start + .minutes(minutes), epoch: epoch)
    }

    /// Begins a wait.
    private static func begin(
        _ code: PendingCode, in state: inout SessionState, asking asks: Bool = true
    ) throws -> (number: UInt64, ended: SessionState.Ended) {
        let begun = state.beginWait(for: code, of: "REF30", asking: asks, every: .seconds(5), at: moment)
        return try #require(begun)
    }

    /// A state with a wait, a request, a permit, and a page of a logout.
    private struct Full {
        var state = SessionState()
        let number: UInt64
        let request: PendingAuthorization
        let mark: PermitCache.SignInMark

        init() throws {
            request = try Full.request()
            number = try SessionStateTests.begin(SessionStateTests.code(epoch: 1), in: &state).number
            _ = state.wait(for: request)
            mark = state.permits.mark(requestor: "REF30", mvpd: "M", epoch: 1, notBefore: nil)
            state.remember(["news"], of: ["news"], with: mark, at: .zero)
            state.beginVisits([UserAgentVisit(to: "https://example.com", for: .logout)], at: .zero)
        }

        static func request(_ resource: ResourceID = "news") throws -> PendingAuthorization {
            let info = try DeviceInfo([.model: "Model"])
            return PendingAuthorization(
                of: resource, in: CallContext(session: "me", options: SessionOptions(), info: info))
        }

        /// What the state has still, of the wait, the request, the permit and the page.
        var rest: String {
            let now = state.permits.mark(requestor: "REF30", mvpd: "M", epoch: 1, notBefore: nil)
            let parts = [
                ("wait", state.wait?.number == number), ("request", state.pending === request),
                ("permit", state.permits.permits("news", with: now, at: .zero)),
                ("page", state.visits.holdsSession(at: .zero)),
            ]
            return parts.filter(\.1).map(\.0).joined(separator: ", ")
        }
    }

    /// How the wait and the request have ended.
    private static func ends(_ ended: SessionState.Ended) -> [String?] {
        let verdict: String? =
            switch ended.wait?.verdict {
            case .success?: "signed in"
            case .failure(let error)?: error.code
            case nil: nil
            }
        return [verdict, ended.pending?.why.code]
    }

    private static let other = ProfileHint(ofUnknownEnd: "N")

    // MARK: What ends what

    @Test func `Another brand ends the wait, the request and the visits`() throws {
        var full = try Full()
        let ended = full.state.requestorChanges()
        #expect(Self.ends(ended) == ["superseded", "superseded"] && full.rest == "permit")
        #expect(ended.wait?.0.number == full.number && ended.pending?.0 === full.request)
    }

    @Test func `A sign-in that begins ends the wait alone, so that what waits for a sign-in waits for it`() throws {
        var full = try Full()
        let ended = full.state.signInBegins()
        #expect(Self.ends(ended) == ["superseded", nil] && full.rest == "request, permit, page")
    }

    @Test func `One with the partner's session ends the visits as well`() throws {
        var full = try Full()
        let ended = full.state.signInBegins(byPartner: true)
        #expect(Self.ends(ended) == ["superseded", nil] && full.rest == "request, permit")
    }

    @Test func `A choice that is written ends the visits, and the permits of another provider`() throws {
        var (same, another, first) = (try Full(), try Full(), try Full())
        same.state.choiceIsWritten(of: "N", over: Self.other)
        #expect(same.rest == "wait, request, permit")
        another.state.choiceIsWritten(of: "M", over: Self.other)
        #expect(another.rest == "wait, request")
        first.state.choiceIsWritten(of: "M", over: nil)
        #expect(first.rest == "wait, request, permit")
    }

    @Test func `A cancel ends wait and visits at once, and the request that waited once it is written`() throws {
        var full = try Full()
        let (ended, request) = full.state.cancelBegins()
        #expect(Self.ends(ended) == ["superseded", nil] && full.rest == "request, permit")
        #expect(request === full.request)
        let written = full.state.end(request, with: .superseded)
        #expect(Self.ends(written) == [nil, "superseded"] && full.rest == "permit")
    }

    @Test func `What came after a cancel is not ended by it`() throws {
        var full = try Full()
        let (_, request) = full.state.cancelBegins()
        let newer = try Full.request("sports")
        let replaced = full.state.wait(for: newer)
        #expect(Self.ends(replaced) == [nil, "superseded"] && replaced.pending?.0 === full.request)
        let written = full.state.end(request, with: .superseded)
        #expect(Self.ends(written) == [nil, nil] && full.state.pending === newer)
    }

    @Test func `A logout ends the wait at once, and all else in its turn`() throws {
        var full = try Full()
        let ended = full.state.logoutBegins()
        #expect(Self.ends(ended) == ["superseded", nil] && full.rest == "request, permit, page")
        // A command before it may have begun another wait.
        let begun = try Self.begin(Self.code(epoch: 2), in: &full.state)
        let written = full.state.logoutIsWritten(from: Self.other, to: nil)
        #expect(Self.ends(written) == ["superseded", "not_authenticated"] && full.rest == "page")
        #expect(written.wait?.0.number == begun.number && full.state.permits.count == 0)
    }

    @Test func `A sign-in that a command finds ends the wait, but not if it was known before`() throws {
        var full = try Full()
        let known = full.state.signedIn(SignIn(mvpd: "M"), endingWait: false)
        #expect(Self.ends(known) == [nil, nil] && full.rest == "wait, request, permit, page")
        let found = full.state.signedIn(SignIn(mvpd: "M"), endingWait: true)
        #expect(Self.ends(found) == ["signed in", nil] && full.rest == "request, permit, page")
    }

    @Test(arguments: [EntitlementFlowError.cancelled, .superseded, .codeEnded])
    func `A sign-in that fails ends its request, unless another one took its place`(error: EntitlementFlowError) throws
    {
        var full = try Full()
        let isEnd = error == .codeEnded
        let ended = full.state.signInFailed(error, for: full.request)
        #expect(Self.ends(ended) == [nil, isEnd ? error.code : nil])
        #expect(full.rest == (isEnd ? "wait, permit, page" : "wait, request, permit, page"))
    }

    @Test func `A sign-in that fails does not end the request of a newer one`() throws {
        var full = try Full()
        let newer = try Full.request("sports")
        _ = full.state.wait(for: newer)
        let ended = full.state.signInFailed(.codeEnded, for: full.request)
        let none = full.state.signInFailed(.codeEnded, for: nil)
        #expect(Self.ends(ended) == [nil, nil] && Self.ends(none) == [nil, nil] && full.state.pending === newer)
    }

    @Test func `A decision by which the user is not signed in takes the permits alone`() throws {
        var full = try Full()
        full.state.signedOutByDecision()
        #expect(full.rest == "wait, request, page")
    }

    @Test func `Permits are void once another sign-in is written, or was found by another session`() throws {
        var full = try Full()
        full.state.profileIsWritten(from: Self.other, to: Self.other)
        #expect(full.rest == "wait, request, permit, page")
        full.state.profileIsWritten(from: Self.other, to: nil)
        #expect(full.rest == "wait, request, page")
        var found = try Full()
        found.state.signInIsFound()
        #expect(found.rest == "wait, request, page")
    }

    @Test func `An erasure ends the wait, the request and the permits, also those that are on their way`() throws {
        var full = try Full()
        let ended = full.state.erased()
        #expect(Self.ends(ended) == ["superseded", "superseded"] && full.rest == "page")
        full.state.remember(["news"], of: ["news"], with: full.mark, at: .zero)
        #expect(full.rest == "page")
    }

    @Test func `A shutdown ends the wait and the request as such, for another process goes on`() throws {
        var full = try Full()
        let ended = full.state.stops()
        #expect(Self.ends(ended) == ["shut_down", "shut_down"] && full.rest == "permit, page")
        let again = full.state.stops()
        #expect(Self.ends(again) == [nil, nil])
    }

    // MARK: The authorization that waits

    @Test func `A request is decided once, and only as long as it waits`() throws {
        var full = try Full()
        let foreign = full.state.takePending(try Full.request())
        let none = full.state.takePending(nil)
        #expect(foreign == nil && none == nil && full.state.pending === full.request)
        let first = full.state.takePending(full.request)
        let second = full.state.takePending(full.request)
        #expect(first === full.request && second == nil && full.state.pending == nil)
    }

    @Test func `A session is held by a wait, by a request that a task awaits, and by a page`() async throws {
        var full = try Full()
        let next = full.state.browserReturned(at: .zero)
        #expect(next == .done)
        #expect(full.state.holdsSession(at: .zero))
        _ = full.state.signInBegins()
        #expect(!full.state.holdsSession(at: .zero), "no task awaits the request")
        let request = full.request
        let task = Task { _ = try? await request.outcome() }
        try await eventually { request.isAwaited }
        #expect(full.state.holdsSession(at: .zero))
        task.cancel()
        await task.value
        full.state.beginVisits([UserAgentVisit(to: "https://example.com", for: .logout)], at: .zero)
        #expect(full.state.holdsSession(at: .zero))
    }

    // MARK: Questions, attributes, warnings and set-ups

    @Test func `The reply to a silent question is silent once, unless a sign-in is asked for before`() {
        var state = SessionState()
        let before = state.takeSilentQuestion()
        state.partnerIsAskedSilently()
        let (first, second) = (state.takeSilentQuestion(), state.takeSilentQuestion())
        state.partnerIsAskedSilently()
        state.signInIsAskedFor()
        let loud = state.takeSilentQuestion()
        #expect([before, first, second, loud] == [false, true, false, false])
    }

    @Test func `Attributes may be new from a permit until a profile is kept`() {
        var state = SessionState()
        let before = state.mayHaveNewAttributes
        state.permitCame()
        let after = state.mayHaveNewAttributes
        state.profileIsKept()
        #expect(!before && after && !state.mayHaveNewAttributes)
    }

    @Test func `That the clocks are apart is told once`() {
        var state = SessionState()
        let (first, second) = (state.takeClockWarning(), state.takeClockWarning())
        #expect(first && !second)
    }

    @Test func `Commands wait for the latest set-up, and fail as that one did`() {
        var state = SessionState()
        let (first, second) = (state.beginSetUp(), state.beginSetUp())
        #expect(state.latestSetUp == second)
        state.endSetUp(second, with: .cancelled)
        #expect(state.latestSetUp == first && state.failure(ofSetUp: second) == .cancelled)
        state.endSetUp(first, with: nil)
        #expect(state.latestSetUp == nil && state.failure(ofSetUp: first) == nil)
        #expect(state.failure(ofSetUp: nil) == nil)
    }

    // MARK: The wait

    @Test func `A later code takes the place of an earlier one, whose wait is handed out`() throws {
        var state = SessionState()
        let first = try Self.begin(Self.code(epoch: 1), in: &state)
        #expect(Self.ends(first.ended) == [nil, nil] && state.wait?.number == first.number)
        for later in [Self.code(epoch: 1, minutes: 31), Self.code(epoch: 2)] {
            let before = state.wait?.number
            let next = try Self.begin(later, in: &state)
            #expect(next.ended.wait?.0.number == before && Self.ends(next.ended) == ["superseded", nil])
            #expect(next.number != before && state.wait?.code == later)
        }
    }

    @Test func `An earlier code begins no wait in the place of a later one`() throws {
        var state = SessionState()
        let number = try Self.begin(Self.code(epoch: 2), in: &state).number
        for earlier in [Self.code(epoch: 1, minutes: 60), Self.code(epoch: 2, minutes: 29)] {
            let begun = state.beginWait(for: earlier, of: "REF30", asking: true, every: .seconds(5), at: Self.moment)
            #expect(begun == nil && state.wait?.number == number)
        }
        // Of another brand, epochs say nothing.
        let other = state.beginWait(
            for: Self.code(epoch: 1), of: "REF31", asking: true, every: .seconds(5), at: Self.moment)
        #expect(other?.ended.wait?.0.number == number)
    }

    @Test func `Whoever means a wait that has ended changes none`() throws {
        var state = SessionState()
        let first = try Self.begin(Self.code(epoch: 1), in: &state).number
        let second = try Self.begin(Self.code(epoch: 2), in: &state).number
        let pause = state.wait(first) { $0.asked(retryAfter: .seconds(60), at: Self.moment) }
        let (taken, left) = (state.endWait(first), state.leaveWait(first))
        #expect(pause == nil && state.wait(first) == nil && taken == nil && left.wait == nil)
        #expect(state.wait(second)?.look(at: Self.moment) == .question)
        let (ended, again) = (state.endWait(second), state.endWait(second))
        #expect(ended?.number == second && again == nil && state.wait == nil)
    }

    @Test func `The last one who leaves a wait that only looks gets it to end it`() throws {
        var state = SessionState()
        let none = state.joinWait()
        let number = try Self.begin(Self.code(epoch: 1), in: &state, asking: false).number
        let (first, second) = (state.joinWait(), state.joinWait())
        #expect(none == nil && first?.number == number && second?.listeners == 2)
        let early = state.leaveWait(number)
        #expect(Self.ends(early) == [nil, nil] && state.wait?.listeners == 1)
        let last = state.leaveWait(number)
        #expect(Self.ends(last) == ["superseded", nil] && state.wait == nil)
    }

    @Test func `A change of a wait is kept`() throws {
        var state = SessionState()
        let number = try Self.begin(Self.code(epoch: 1), in: &state).number
        let pause = state.wait(number) { $0.asked(retryAfter: nil, at: Self.moment) }
        #expect(pause == .seconds(5))
        #expect(state.wait?.look(at: Self.moment) == .record)
    }
}
#endif
