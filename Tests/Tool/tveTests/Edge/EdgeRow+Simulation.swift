#if CLI && Service
import BrokerSimulation
import TVEService

extension EdgeRow {
    /// The simulated broker.
    static let simulation: [EdgeRow] = [
        EdgeRow(
            "SimulationError.keys", SimulationError.keys("too small"), option: "--world", file: "world.json", ends: 78,
            "keys", at: "world.json", "--world: the simulator's keys cannot be used: too small"),
        EdgeRow(
            "SimulationError.sameKeyTwice", SimulationError.sameKeyTwice, option: "--world", file: "world.json",
            ends: 78, "same_key_twice", at: "world.json",
            "--world: media tokens and access tokens need different keys; make a second one"),
        EdgeRow(
            "SimulationError.world", SimulationError.world(.missing(kind: "provider", name: "A")), option: "--world",
            file: "world.json", ends: 78, "world", at: "world.json",
            "--world: the world cannot be simulated: the provider A is named but does not exist"),
        EdgeRow(
            "SimulationError.unreadableWorld", SimulationError.unreadableWorld(reason: "unexpected end"),
            option: "--world", file: "world.json", ends: 78, "unreadable_world", at: "world.json",
            "--world: the description of the world is refused: unexpected end"),
        EdgeRow(
            "SimulationError.unknownCode", SimulationError.unknownCode, option: "--world", file: "world.json", ends: 78,
            "unknown_code", at: "world.json",
            "--world: no session waits for a login with this code; start a new session"),
        EdgeRow(
            "SimulationError.unknownUser", SimulationError.unknownUser("a"), option: "--world", file: "world.json",
            ends: 78, "unknown_user", at: "world.json", "--world: the user a is unknown; add the user to the world"),
        EdgeRow(
            "SimulationError.unknownIntegration", SimulationError.unknownIntegration, option: "--world",
            file: "world.json", ends: 78, "unknown_integration", at: "world.json",
            "--world: the brand and the provider have no agreement; add the provider to the brand"),
        EdgeRow(
            "SimulationError.unknownClient", SimulationError.unknownClient, option: "--world", file: "world.json",
            ends: 78, "unknown_client", at: "world.json", "--world: the client is unknown; register one first"),
        EdgeRow(
            "SimulationError.unknownScenario", SimulationError.unknownScenario("a"), option: "--world",
            file: "world.json", ends: 78, "unknown_scenario", at: "world.json", "--world: the scenario a is unknown"),
        EdgeRow(
            "SimulationError.foreignKey", SimulationError.foreignKey(file: "media.pem"), option: "--world",
            file: "world.json", ends: 78, "foreign_key", at: "world.json",
            """
            --world: media.pem is not a key of a simulator, so nothing is signed with it; choose \
            another folder
            """),
        EdgeRow(
            "SimulationError.folder", SimulationError.folder(path: "state", reason: "is a file"), option: "--world",
            file: "world.json", ends: 78, "folder", at: "world.json", "--world: state cannot be used: is a file"),
        EdgeRow(
            "SimulationError.inaccessible", SimulationError.inaccessible(path: "state", reason: "Permission denied"),
            option: "--state", file: "state", ends: 74, "folder", at: "state",
            """
            --state: state cannot be used: Permission denied; take a folder that this user may read \
            and write
            """),
        EdgeRow(
            "SimulationError.unreadableState", SimulationError.unreadableState(reason: "unexpected end"),
            option: "--world", file: "world.json", ends: 78, "unreadable_state", at: "world.json",
            "--world: the state of an earlier run is refused: unexpected end; remove the file to begin anew"),
        EdgeRow(
            "SimulationError.backend", SimulationError.backend("no memory"), option: "--world", file: "world.json",
            ends: 78, "backend", at: "world.json", "--world: libcrypto failed (no memory)"),
        EdgeRow(
            "SimulationServiceError.certificate", SimulationServiceError.certificate(file: "a.pem", reason: "no key"),
            file: "a.pem", ends: 78, "certificate", at: "a.pem",
            "a.pem is not a certificate with its private key, both in PEM: no key"),
    ]
}
#endif
