#if Client
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import TVETesting
import Testing

@Suite("Limits of requests")
struct ThrottleTests {
    /// Sends a request at each of these instants, in tenths of a second.
    func statuses(_ simulation: Simulation, _ device: TestDevice, at tenths: [Int64], _ address: String?) async -> [Int]
    {
        var statuses: [Int] = []
        var now: Int64 = 0
        for instant in tenths {
            simulation.time.advance(by: TimeToLive(milliseconds: (instant - now) * 100))
            now = instant
            let fields = device.fields().merging(address.map { ["X-Forwarded-For": $0] } ?? [:]) { $1 }
            statuses.append(await device.get("/api/v2/REF30/configuration", fields).status)
        }
        return statuses
    }

    @Test func `The documented example: one a second, and ten more that never come back`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.setThrottle(.documented)
        let passing: [Int64] = [0, 3, 6, 9, 12, 13, 14, 15, 16, 17, 18, 21, 22]
        let refused: [Int64] = [24, 26, 28]
        let statuses = await statuses(simulation, device, at: passing + refused + [31, 32], "192.0.2.1")
        #expect(statuses.prefix(13).allSatisfy { $0 == 200 })
        #expect(statuses.dropFirst(13) == [429, 429, 429, 200, 429])
        #expect(await self.statuses(simulation, device, at: [0], "192.0.2.2") == [200])
    }

    @Test func `The answer is a page, with Retry-After only if that is wanted`() async throws {
        for seconds in [nil, 7] {
            let simulation = try Simulation()
            let device = try await simulation.device()
            simulation.simulator.setThrottle(ThrottleMode(.always, retryAfter: seconds))
            let answer = await device.configuration()
            #expect(answer.status == 429)
            #expect(answer.field("Content-Type") == "text/html;charset=UTF-8")
            #expect(answer.text.hasPrefix("<!DOCTYPE html>"))
            #expect(answer.field("Retry-After") == seconds.map { String($0) })
        }
    }

    @Test func `A bucket refills`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.setThrottle(ThrottleMode(.bucket(perSecond: 2, burst: 3)))
        let statuses = await statuses(simulation, device, at: [0, 0, 0, 0, 4, 5, 6, 50, 50, 50, 50], nil)
        #expect(statuses == [200, 200, 200, 429, 429, 200, 429, 200, 200, 200, 429])
    }

    @Test func `A bucket refills however fast requests come`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.setThrottle(ThrottleMode(.bucket(perSecond: 1000, burst: 1)))
        var statuses: [Int] = []
        for _ in 0..<20 {
            statuses.append(await device.configuration().status)
            simulation.time.advanceUptime(by: .microseconds(500))
        }
        #expect(statuses == (0..<20).map { $0 % 2 == 0 ? 200 : 429 })
    }

    @Test func `Without X-Forwarded-For the address of the connection counts`() async throws {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.setThrottle(ThrottleMode(.bucket(perSecond: 1, burst: 1)))
        func status(from peer: String?, for address: String? = nil) -> Int {
            var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/api/v2/REF30/configuration")
            let fields = device.fields().merging(address.map { ["X-Forwarded-For": $0] } ?? [:]) { $1 }
            for (name, value) in fields {
                if let name = HTTPField.Name(name) { request.headerFields[name] = value }
            }
            return simulation.simulator.answer(to: request, body: [], from: peer).head.status.code
        }
        #expect(status(from: "192.0.2.1") == 200)
        #expect(status(from: "192.0.2.1") == 429)
        #expect(status(from: "192.0.2.2") == 200)
        #expect(status(from: "192.0.2.1", for: "192.0.2.3") == 200)
        #expect(status(from: "192.0.2.4", for: "192.0.2.1") == 429)
        #expect(status(from: "::ffff:192.0.2.1") == 429)
        #expect(status(from: "192.0.2.4", for: "192.0.2.3:51008, 192.0.2.5") == 429)
        #expect(status(from: nil) == 200)
    }

    @Test(arguments: [
        ("/api/v2/REF30/nothing", 404, true), ("/api/v2/%zz/profiles", 404, true),
        ("/api/v2/REF30/sessions", 405, true),
        ("/o/client/register", 405, true), ("/o/client/validate", 404, true), ("/api/v3/REF30/profiles", 404, false),
        ("/nothing", 404, false),
    ])
    func `Requests that lead nowhere count below the broker's paths`(path: String, status: Int, isLimited: Bool)
        async throws
    {
        let simulation = try Simulation()
        let device = try await simulation.device()
        simulation.simulator.setThrottle(ThrottleMode(.bucket(perSecond: 1, burst: 2), retryAfter: 3))
        var answers: [TestAnswer] = []
        for _ in 0..<3 { answers.append(await device.get(path)) }
        #expect(answers.map(\.status) == [status, status, isLimited ? 429 : status])
        #expect(answers.map { $0.field("Retry-After") } == [nil, nil, isLimited ? "3" : nil])
        #expect(await device.configuration().status == (isLimited ? 429 : 200))
        #expect(simulation.simulator.journal.suffix(4).map(\.status).first == status)
    }

    @Test func `Registration is limited as well, and resets are not`() async throws {
        let simulation = try Simulation { $0.throttle = .documented }
        let info = [DeviceInfo.name: "e30="]
        var statuses: [Int] = []
        for _ in 0..<12 {
            statuses.append(await TestDevice.send(simulation.simulator, .post, "/o/client/token", info, "").status)
        }
        #expect(statuses == [Int](repeating: 400, count: 11) + [429])
        let reset = await TestDevice.send(simulation.simulator, .delete, "/reset-tempass/v3/reset", [:], "")
        #expect(reset.status == 401)
    }
}
#endif
