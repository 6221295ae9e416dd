#if Client && os(Linux)
import EntitlementValues
import Foundation
import TVETesting
import Testing

@testable import BrokerClient

@Suite(.serialized) struct PacerMemoryTests {
    /// The memory of this process that is in use, in bytes.
    private var residentMemory: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")[1]
        return (pages.flatMap { Int($0) } ?? 0) * 4096
    }

    @Test func `a million addresses take bounded memory, and none of them has its advance twice`() async {
        let time = ManualTime(at: Timestamp(milliseconds: 1_768_480_200_000))
        let pacer = RequestPacer(time: time.source)
        var start = 0
        for number in 0..<1_000_000 {
            _ = await pacer.turn(for: "2001:db8::\(number)", .polling, within: .seconds(1))
            // From here on, the table and the filter are full.
            if number == 200_000 { start = residentMemory }
        }
        let growth = residentMemory - start
        #expect(pacer.count == 65_536)
        // Counts of 800,000 more addresses would take more than 80 MiB; other tests may run in this process, too.
        #expect(growth < 48 << 20, "grew by \(growth) bytes")
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

    @Test func `few new addresses are taken for forgotten ones`() {
        var forgotten = ForgottenAddresses()
        for number in 0..<1_000_000 { forgotten.insert("old-\(number)".hashValue) }
        let mistaken = (0..<10_000).count { forgotten.contains("new-\($0)".hashValue) }
        #expect(mistaken < 500)
        #expect((0..<1_000_000).allSatisfy { forgotten.contains("old-\($0)".hashValue) })
    }

    @Test func `the filter never fills up`() {
        var forgotten = ForgottenAddresses()
        for number in 0..<4_000_000 { forgotten.insert("old-\(number)".hashValue) }
        let mistaken = (0..<10_000).count { forgotten.contains("new-\($0)".hashValue) }
        #expect(mistaken < 1000)
        #expect((3_000_000..<4_000_000).allSatisfy { forgotten.contains("old-\($0)".hashValue) })
    }
}
#endif
