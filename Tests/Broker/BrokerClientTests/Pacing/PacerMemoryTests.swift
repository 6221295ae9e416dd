#if Client
import BrokerClient
import EntitlementValues
import TestVectors
import TVETesting
import Testing

@Suite(.serialized) struct PacerMemoryTests {
    @Test func `A million addresses take bounded memory, and none of them has its advance twice`() async {
        let time = ManualTime(at: Timestamp(milliseconds: 1_768_480_200_000))
        let pacer = RequestPacer(time: time.source)
        var full = 0
        for number in 0..<1_000_000 {
            _ = await pacer.turn(for: "2001:db8::\(number)", .polling, within: .seconds(1))
            // From here on, the table is full, and addresses are forgotten.
            if number == 200_000 { full = pacer.byteCount }
        }
        #expect(pacer.count == 65_536)
        // Counts of 800,000 more addresses would take more than 80 MiB.
        #expect(full > 0 && pacer.byteCount == full, "\(full) bytes became \(pacer.byteCount)")
        #expect(full < 16 << 20, "\(full) bytes")
        time.advance(by: .seconds(1))
        var granted = 0
        for number in stride(from: 0, to: 900_000, by: 1_000) {
            for _ in 0..<2 {
                let turn = await pacer.turn(
                    for: "2001:db8::\(number)", .foreground, within: .nanoseconds(1))
                if case .granted = turn { granted += 1 }
            }
        }
        #expect(granted == 900)
    }

    /// What stands for the hash of an address; real ones differ in each process.
    private static func key(_ number: Int) -> Int {
        var numbers = Noise(seed: UInt64(number))
        return Int(truncatingIfNeeded: numbers.next())
    }

    /// How many of 10,000 addresses that were never there are taken for forgotten ones.
    private static func mistaken(by forgotten: ForgottenAddresses) -> Int {
        (10_000_000..<10_010_000).count { forgotten.contains(key($0)) }
    }

    @Test func `Few new addresses are taken for forgotten ones`() {
        var forgotten = ForgottenAddresses()
        for number in 0..<1_000_000 { forgotten.insert(Self.key(number)) }
        #expect(Self.mistaken(by: forgotten) < 500)
        #expect((0..<1_000_000).allSatisfy { forgotten.contains(Self.key($0)) })
    }

    @Test func `The filter never fills up`() {
        var forgotten = ForgottenAddresses()
        for number in 0..<4_000_000 { forgotten.insert(Self.key(number)) }
        #expect(Self.mistaken(by: forgotten) < 1000)
        #expect(forgotten.byteCount < 3 << 20)
        #expect((3_000_000..<4_000_000).allSatisfy { forgotten.contains(Self.key($0)) })
    }
}
#endif
