import RowBatches
import Testing

@Suite struct InputPaceTests {
    @Test func `The first second tells nothing`() {
        #expect(InputPace().seconds(for: 1000, after: 100, at: .milliseconds(999)) == nil)
        #expect(InputPace().seconds(for: 1000, after: 0, at: .seconds(1)) == nil)
        #expect(InputPace().seconds(for: 1000, after: 100, at: .seconds(1)) == 11)
        // What was passed over took no time.
        #expect(InputPace(after: 900).seconds(for: 1000, after: 1000, at: .seconds(1)) == 11)
    }

    /// In the first five seconds 1000 bytes, and after them 1000 bytes in each second.
    @Test func `The last seconds count, and not the first ones`() {
        var pace = InputPace()
        for second in 5...15 { pace.note(1000 * (second - 4), at: .seconds(second)) }
        #expect(pace.seconds(for: 20_000, after: 11_000, at: .seconds(15)) == 21)
        #expect(pace.seconds(for: 20_000, after: 11_500, at: .milliseconds(15_500)) == 21)
    }
}
