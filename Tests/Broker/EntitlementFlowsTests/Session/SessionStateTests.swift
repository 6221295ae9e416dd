#if Client
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import Testing

/// What ends what, row by row: without a clock, a store or a broker.
@Suite("What a session remembers, and what ends it")
struct SessionStateTests {
    private static let start = Timestamp(milliseconds: 1_780_000_000_000)
    private static let moment = Moment(now: start, uptime: .zero)

    private static func code(epoch: Int64, minutes: Int64 = 30) -> PendingCode {
        PendingCode("CODE", until: start + .minutes(minutes), epoch: epoch)
    }

    /// Begins a wait.
    private static func begin(
        _ code: PendingCode, in state: inout SessionState, asking asks: Bool = true
    ) -> (number: UInt64, before: SignInWait?)? {
        state.beginWait(for: code, of: "REF30", asking: asks, every: .seconds(5), at: moment)
    }

    // MARK: The wait

    @Test func `A later code takes the place of an earlier one, whose wait is handed out`() throws {
        var state = SessionState()
        let first = try #require(Self.begin(Self.code(epoch: 1), in: &state))
        #expect(first.before == nil && state.wait?.number == first.number)
        for later in [Self.code(epoch: 1, minutes: 31), Self.code(epoch: 2)] {
            let before = state.wait?.number
            let next = try #require(Self.begin(later, in: &state))
            #expect(next.before?.number == before && next.number != before && state.wait?.code == later)
        }
    }

    @Test func `An earlier code begins no wait in the place of a later one`() throws {
        var state = SessionState()
        let number = try #require(Self.begin(Self.code(epoch: 2), in: &state)).number
        #expect(Self.begin(Self.code(epoch: 1, minutes: 60), in: &state) == nil)
        #expect(Self.begin(Self.code(epoch: 2, minutes: 29), in: &state) == nil)
        #expect(state.wait?.number == number)
        // Of another brand, epochs say nothing.
        let other = state.beginWait(
            for: Self.code(epoch: 1), of: "REF31", asking: true, every: .seconds(5), at: Self.moment)
        #expect(other?.before?.number == number)
    }

    @Test func `Whoever means a wait that has ended changes none`() throws {
        var state = SessionState()
        let first = try #require(Self.begin(Self.code(epoch: 1), in: &state)).number
        let second = try #require(Self.begin(Self.code(epoch: 2), in: &state)).number
        #expect(state.wait(first) == nil && state.endWait(first) == nil && state.leaveWait(first) == nil)
        #expect(state.wait(first) { $0.asked(retryAfter: .seconds(60), at: Self.moment) } == nil)
        #expect(state.wait?.look(at: Self.moment) == .question)
        #expect(state.wait(second)?.number == second)
        #expect(state.endWait(second)?.number == second && state.wait == nil)
        #expect(state.endWait(second) == nil)
    }

    @Test func `The last one who leaves a wait that only looks gets it to end it`() throws {
        var state = SessionState()
        #expect(state.joinWait() == nil)
        let number = try #require(Self.begin(Self.code(epoch: 1), in: &state, asking: false)).number
        #expect(state.joinWait()?.number == number && state.joinWait()?.listeners == 2)
        #expect(state.leaveWait(number) == nil && state.wait?.listeners == 1)
        #expect(state.leaveWait(number)?.number == number && state.wait == nil)
    }

    @Test func `A change of a wait is kept`() throws {
        var state = SessionState()
        let number = try #require(Self.begin(Self.code(epoch: 1), in: &state)).number
        #expect(state.wait(number) { $0.asked(retryAfter: nil, at: Self.moment) } == .seconds(5))
        #expect(state.wait?.look(at: Self.moment) == .record)
    }
}
#endif
