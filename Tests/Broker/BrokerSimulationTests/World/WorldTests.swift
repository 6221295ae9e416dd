#if Client
import BrokerMessages
import BrokerSimulation
import ServiceResponses
import TVETesting
import EntitlementKeys
import EntitlementValues
import Testing

@Suite("World, clock and ids")
struct WorldTests {
    @Test func `The sample has the kinds of providers that flows need`() throws {
        let mvpds = SimulatedWorld.sample.mvpds
        #expect(mvpds.count == 6)
        #expect(mvpds.filter { !$0.hasLogoutPage }.count == 1)
        #expect(mvpds.compactMap(\.temporaryAccess).map(\.isPromotional) == [false, true])
        #expect(mvpds.compactMap(\.partner).map(\.boarding) == [.supported, .picker])
        #expect(
            SimulatedWorld.sample.users.map(\.name) == ["ok", "expired", "invalidated", "nozip", "encrypted", "slow"])
    }

    static let broken: [@Sendable (inout SimulatedWorld) -> Void] = [
        { $0.mvpds.append($0.mvpds[0]) }, { $0.users.append($0.users[0]) }, { $0.requestors.append($0.requestors[0]) },
        { $0.requestors[1].id = ".." }, { $0.requestors[0].mvpds.append("Nobody") }, { $0.users[0].name = "" },
        { $0.requestors[1].statements = $0.requestors[0].statements },
        { $0.rules = [SimulatedRule("r", mvpd: "Nobody", effect: .permitAll)] },
        { $0.rules = [SimulatedRule("r", requestor: "Nobody", effect: .permitAll)] },
        { $0.lifetimes.code = .zero }, { $0.limits.authorizedResources = 0 },
        { $0.users[0].attributes.append(SimulatedAttribute("broken", json: "{")) },
        { $0.mvpds[2].temporaryAccess = TemporaryAccess(duration: .zero) },
        { $0.requestors[0].serviceTokenKeys = ["no key"] }, { $0.requestors[0].metadataCertificate = "no key" },
    ]

    @Test(arguments: broken.indices)
    func `A world that contradicts itself is refused`(index: Int) throws {
        var world = SimulatedWorld.sample
        Self.broken[index](&world)
        #expect(throws: SimulationError.self) { try Simulation(world: world) }
        let simulation = try Simulation()
        #expect(throws: SimulationError.self) { try simulation.simulator.replaceWorld(by: world) }
        #expect(throws: SimulationError.self) { try simulation.simulator.reset(to: world) }
        #expect(simulation.simulator.world == .sample)
    }

    @Test func `Media tokens and access tokens have different keys`() throws {
        let key = try SigningKey.generated(named: "one")
        #expect(throws: SimulationError.sameKeyTwice) { try SimulatorKeys(media: key, access: key) }
    }

    @Test func `The same seed gives the same ids, and another seed other ones`() async throws {
        func ids(_ seed: UInt64?) async throws -> [String?] {
            let device = try await Simulation { $0.seed = seed }.device()
            let session = try await device.startSession(with: "SampleCable")
            return [device.credentials.clientID, device.credentials.clientSecret, session.code?.text]
        }
        let first = try await ids(1)
        #expect(try await ids(1) == first)
        #expect(try await ids(2) != first)
        #expect(try await ids(nil) != (try await ids(nil)))
    }

    @Test func `A code that comes again from the row of ids is left out while its session lives`() async throws {
        func position(in snapshot: [UInt8]) throws -> Substring {
            try #require(String(decoding: snapshot, as: UTF8.self).firstMatch(of: /"ids":"([0-9]+)"/)).1
        }
        for isLiving in [true, false] {
            let simulation = try Simulation()
            let device = try await simulation.device()
            let before = try position(in: simulation.simulator.snapshot)
            let first = try await device.startSession(with: "SampleCable")
            if !isLiving { simulation.simulator.expire(.codes) }
            let snapshot = simulation.simulator.snapshot
            let moved = try position(in: snapshot)
            let setBack = String(decoding: snapshot, as: UTF8.self)
                .replacing(#""ids":"\#(moved)""#, with: #""ids":"\#(before)""#)
            try simulation.simulator.restore(Array(setBack.utf8))
            let second = try await device.startSession(with: "SampleFiber")
            // The same row: without the first session its code does come again.
            #expect(second.sessionID == first.sessionID)
            #expect((second.code == first.code) == !isLiving)
            #expect(await device.session(try #require(second.code?.text)).status == 200)
        }
    }

    @Test func `The clock can be set, moved, stopped and started`() throws {
        let simulation = try Simulation()
        let simulator = simulation.simulator
        let instant = Timestamp(milliseconds: 1_900_000_000_000)
        simulator.setClock(to: instant)
        simulation.time.advance(by: .seconds(1))
        #expect(simulator.now == instant + .seconds(1))
        simulator.freezeClock()
        simulation.time.advance(by: .seconds(5))
        #expect(simulator.now == instant + .seconds(1))
        simulator.advanceClock(by: .minutes(-1))
        #expect(simulator.now == instant - .seconds(59))
        simulator.freezeClock(false)
        simulation.time.advance(by: .seconds(2))
        #expect(simulator.now == instant - .seconds(57))
        simulator.freezeClock()
        simulator.setClock(to: instant)
        #expect(simulator.now == instant)
        try simulator.reset()
        #expect(simulator.now == simulation.time.now)
    }

    @Test(arguments: [
        ("2026-03-08T09:59:59", Timestamp(milliseconds: 1_772_963_999_000), "2026-03-08 01:59:59 -0800"),
        ("2026-03-08T10:00:00", Timestamp(milliseconds: 1_772_964_000_000), "2026-03-08 03:00:00 -0700"),
        ("2026-11-01T08:59:59", Timestamp(milliseconds: 1_793_523_599_000), "2026-11-01 01:59:59 -0700"),
        ("2026-11-01T09:00:00", Timestamp(milliseconds: 1_793_523_600_000), "2026-11-01 01:00:00 -0800"),
    ])
    func `Issue times are written in Pacific time`(name: String, instant: Timestamp, text: String) throws {
        #expect(instant.description == name + "Z")
        let simulator = try Simulation().simulator
        simulator.setClock(to: instant)
        let token = try simulator.mintMediaToken(for: "REF30", resource: "news", mvpd: "SampleCable")
        #expect(
            String(decoding: try #require(TestBase64.decode(token)), as: UTF8.self).contains(
                "<issueTime>\(text)</issueTime>"))
    }
}
#endif
