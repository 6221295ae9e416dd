#if CLI && Service
import ArgumentParser
import BrokerSimulation
import HostSystem

/// Where a simulator keeps its keys and, if it was asked to, its state.
struct SimulationPlace: Sendable {
    /// The folder of the keys; `nil` if nothing is kept.
    let folder: SimulatorFolder?
    /// Whether the state is kept, too.
    private let keepsState: Bool

    /// The folder of the state; `nil` if it is in memory only.
    var stateFolder: SimulatorFolder? { keepsState ? folder : nil }
    /// The file with the public key of media tokens; `nil` if nothing is kept.
    var mediaKeyFile: String? { folder?.mediaKeyFile }

    /// The file with the private key of the sample world's brands; `nil` if nothing is kept.
    var metadataKeyFile: String? { folder?.metadataKeyFile }

    /// What is kept where, for people.
    var line: String {
        guard let folder else { return "Nothing is kept: the next start has other keys." }
        return "\(keepsState ? "Keys and state are" : "Keys, and nothing else, are") kept in \(folder.path)."
    }

    /// Finds and makes the folder.
    ///
    /// The path is what `--state` says: a folder for keys and state, `-` for none; `nil` for keys alone, where the
    /// environment says that state belongs. Throws `CommandFailure` or `ValidationError`.
    init(_ path: String?) throws {
        keepsState = path != nil && path != "-"
        guard path != "-" else {
            folder = nil
            return
        }
        let path = try path ?? Self.standardPath()
        folder = try concerning("--state", file: path) { try SimulatorFolder(path) }
    }

    /// The keys of the folder, or new ones; throws `CommandFailure` or `SimulationError`.
    func keys() throws -> SimulatorKeys {
        guard let folder else { return try SimulatorKeys() }
        return try concerning("--state", file: folder.path) { try folder.keys() }
    }

    /// What an earlier run left in the folder, which no other run may keep its state in from now on; `nil` if it left nothing, or
    /// nothing is kept.
    ///
    /// Throws `CommandFailure`.
    func keptState() throws -> [UInt8]? {
        guard let stateFolder else { return nil }
        return try concerning("--state", file: stateFolder.path) {
            try stateFolder.holdState()
            return try stateFolder.keptState()
        }
    }

    /// The sample world.
    ///
    /// If a folder keeps the key for it, its brands have a certificate for encrypted metadata. Throws `CommandFailure`.
    func sampleWorld() throws -> SimulatedWorld {
        var world = SimulatedWorld.sample
        guard let folder else { return world }
        let certificate = try concerning("--state", file: folder.path) { try folder.metadataCertificate() }
        for index in world.requestors.indices { world.requestors[index].metadataCertificate = certificate }
        return world
    }

    private static func standardPath() throws -> String {
        if let folder = environmentValue("XDG_STATE_HOME"), folder.hasPrefix("/") { return "\(folder)/tve/simulator" }
        guard let home = environmentValue("HOME"), home.hasPrefix("/") else {
            throw ValidationError("Give --state DIR, since neither XDG_STATE_HOME nor HOME is set.")
        }
        return "\(home)/.local/state/tve/simulator"
    }
}
#endif
