import EntitlementValues
import TVETesting
import Testing
import TokenRedemption

/// How much of the time of day a store takes for sure.
@Suite struct StoreClockTests {
    static let now = RedeemingTests.now

    private let time = ManualTime(at: now)
    private let clock: StoreClock

    init() { clock = StoreClock(time.source) }

    /// Reads the clock again and again while time passes.
    private func pass(_ duration: TimeToLive) {
        let end = time.now + duration
        while time.now < end {
            time.advance(by: .minutes(5))
            _ = clock.read()
        }
    }

    @Test func `A right clock is sure`() {
        for _ in 0..<50 {
            let reading = clock.read()
            #expect(reading.wall == time.now && reading.sure == time.now)
            time.advance(by: .minutes(7))
        }
    }

    @Test func `A leap ahead is believed when it has lasted`() {
        time.set(Self.now + .hours(24))
        pass(.minutes(55))
        #expect(clock.read().wall == time.now)
        #expect(clock.read().sure == time.now - .hours(24))
        pass(.minutes(65))
        #expect(clock.read().sure == time.now)
    }

    @Test func `A leap ahead and back is never believed`() {
        for _ in 0..<20 {
            time.set(time.now + .hours(24))
            pass(.minutes(55))
            #expect(clock.read().sure == time.now - .hours(24))
            time.set(time.now - .hours(24))
            #expect(clock.read().sure == time.now)
            pass(.minutes(20))
        }
    }

    /// A store that nobody used for a day has seen nothing that would make the leap sure.
    @Test func `A leap after a long rest is not believed at once`() {
        time.advance(by: .hours(24))
        time.set(time.now + .hours(3))
        #expect(clock.read().sure == time.now - .hours(3))
        time.advance(by: .minutes(55))
        #expect(clock.read().sure == time.now - .hours(3))
    }

    @Test func `A clock that goes back is followed at once`() {
        time.set(Self.now - .hours(5))
        #expect(clock.read().sure == time.now)
        time.set(Self.now + .hours(1))
        #expect(clock.read().sure == Self.now - .hours(5))
    }

    /// Such as that of a machine whose clock is set by the network after its services have begun.
    @Test func `A clock that began late is sure after two hours`() {
        time.set(Self.now + .days(20_000))
        pass(.hours(2))
        #expect(clock.read().sure == time.now)
    }

    @Test(arguments: [Int64.min, .max])
    func `Any instant is read`(_ milliseconds: Int64) {
        let time = ManualTime(at: Timestamp(milliseconds: milliseconds))
        let clock = StoreClock(time.source)
        time.advance(by: .hours(3))
        time.set(Timestamp(milliseconds: milliseconds == .min ? .max : .min))
        let reading = clock.read()
        #expect(reading.wall == time.now)
        // A leap to the last instant is not believed, and one to the first is followed.
        let first = Timestamp(milliseconds: .min)
        #expect(reading.sure == (milliseconds == .min ? first + .hours(3) : first))
    }
}
