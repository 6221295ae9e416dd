#if Client
import Testing

@Suite("Random walks")
struct RandomWalkTests {
    @Test(arguments: 1...20)
    func `Whatever devices do and whatever fails, the invariants hold`(seed: UInt64) async throws {
        var walk = try await RandomWalk(seed: seed)
        for _ in 0..<200 { try await walk.step() }
        // A walk that permits nothing or signs nobody in proves nothing.
        #expect(walk.logins > 0)
        #expect(walk.permits > 0)
    }
}
#endif
