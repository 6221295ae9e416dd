#if Client
import BrokerSimulation
import Foundation
import Testing

@Suite("Random walks")
struct RandomWalkTests {
    /// 200 walks of 500 steps; in a debug build 20 of 200, because those take minutes, unless `TVE_LONG_WALKS` is set.
    #if DEBUG
    private static let isLong = ProcessInfo.processInfo.environment["TVE_LONG_WALKS"] != nil
    #else
    private static let isLong = true
    #endif

    @Test(arguments: 1...(isLong ? 200 : 20))
    func `Whatever devices do and whatever fails, the invariants hold`(seed: UInt64) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-walk-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var walk = try await RandomWalk(seed: seed, keepingStateIn: try SimulatorFolder(folder))
        for _ in 0..<(Self.isLong ? 500 : 200) { try await walk.step() }
        // A walk that permits nothing or signs nobody in proves nothing.
        #expect(walk.logins > 0)
        #expect(walk.permits > 0)
    }
}
#endif
