#if Client
import BrokerSimulation
import EntitlementValues
import ServiceResponses
import Testing

@Suite("A world as JSON")
struct WorldDescriptionTests {
    @Test func `What is written is read as the same world`() throws {
        var world = SimulatedWorld.sample
        world.requestors[0].statements[0].isRevoked = true
        world.requestors[1].metadataCertificate = "-----BEGIN CERTIFICATE-----\nAA==\n"
        world.requestors[1].serviceTokenKeys = ["a key"]
        world.rules = [
            SimulatedRule("1", requestor: "REF30", mvpd: "SampleCable", resources: "a*", effect: .admitAll),
            SimulatedRule("2", effect: .permitAll), SimulatedRule("3", effect: .permitNone),
            SimulatedRule("4", effect: .deny(.identityNotRecognizedByMVPD, details: "Grüße")),
            SimulatedRule("5", effect: .deny("custom", details: nil)),
        ]
        world.lifetimes.mediaToken = .seconds(5)
        world.limits.preauthorizedResources = 9
        #expect(try SimulatedWorld(json: world.json) == world)
        #expect(try SimulatedWorld(json: [0xEF, 0xBB, 0xBF] + world.json) == world, "after a byte order mark")
    }

    @Test func `Defaults may be left out`() throws {
        let world = try SimulatedWorld(
            json: Array(
                #"{"requestors":[{"id":"R","statements":[{"id":"s"}]}],"users":[{"name":"u","guid":"g"}]}"#
                    .utf8))
        #expect(world.lifetimes == SimulatedLifetimes() && world.mvpds.isEmpty)
        #expect(world.requestors.first?.statements.first?.scopes == ["api:client:v2"])
        #expect(try Simulation(world: world).simulator.world == world)
    }

    @Test(arguments: [
        "", "{", "[]", #"{"requestors":{}}"#, #"{"requestor":[]}"#, #"{"requestors":[{}]}"#,
        #"{"requestors":[{"id":"","domains":[]}]}"#, #"{"users":[{"name":"u"}]}"#,
        #"{"users":[{"name":"u","guid":"g","behavior":"lazy"}]}"#, #"{"lifetimes":{"code":"1"}}"#,
        #"{"lifetimes":{"codes":1}}"#, #"{"rules":[{"id":"r","effect":"deny"}]}"#,
        #"{"rules":[{"id":"r","effect":"allow"}]}"#,
        #"{"users":[{"name":"u","guid":"g","attributes":[{"name":"a"}]}]}"#,
        #"{"users":[{"name":"u","guid":"g","attributes":[{"name":"a","value":{x}}]}]}"#,
        #"{"mvpds":[{"id":"m","partner":{"mappingId":"x"}}]}"#, #"{"mvpds":[{"id":"m","temporaryAccess":{}}]}"#,
    ])
    func `Anything else is refused`(text: String) {
        #expect(throws: SimulationError.self) { try SimulatedWorld(json: Array(text.utf8)) }
    }
}
#endif
