#if Client
import EntitlementValues
import HostSystem
import Synchronization
import TextCodecs

extension BrokerSimulator {
    /// Everything that the simulator remembers, but for the journal and the counts of the limit of requests.
    ///
    /// It is JSON in UTF-8 on one line, and holds the secrets of clients: keep it where only the owner can read it.
    public var snapshot: [UInt8] { state.withLock { $0 }.snapshot.finished }

    /// Goes on from what an earlier simulator remembered.
    ///
    /// - Parameter snapshot: What ``snapshot`` was.
    /// - Throws: `SimulationError.unreadableState`; `.world` if the world in it contradicts itself. Nothing
    ///   is changed then.
    public func restore(_ snapshot: [UInt8]) throws(SimulationError) {
        let empty = SimulatorState(world: world, seed: settings.seed, throttle: settings.throttle)
        let found = try rethrowing(
            snapshot.withSpan { text throws(JSONFault) in
                var state = empty
                try state.read(JSONObject(text, in: 0..<text.count, nulls: .countAsAbsent), text)
                return state
            }
        ) { (fault: JSONFault) in SimulationError.unreadableState(reason: fault.reason) }
        try found.world.check()
        state.withLock { $0 = found }
    }
}

extension SimulatorFolder {
    /// The largest state that is read, in bytes.
    private static let maximumStateLength = 268_435_456

    /// Keeps other processes from the state, until this one ends.
    ///
    /// - Throws: `SimulationError.folder` if another process keeps its state there: each would overwrite the other's;
    ///   `.inaccessible`.
    public func holdState() throws(SimulationError) {
        guard try SimulationError.naming(path, Files.holdUntilExit("\(path)/state.lock")) else {
            throw .folder(path: path, reason: "another simulator keeps its state there; end it, or take another folder")
        }
    }

    /// What a simulator left in the folder; `nil` if it left nothing.
    ///
    /// - Returns: What ``keep(_:)`` wrote last.
    /// - Throws: `SimulationError.inaccessible`.
    public func keptState() throws(SimulationError) -> [UInt8]? {
        guard Files.exists(stateFile) else { return nil }
        let state = try SimulationError.naming(
            stateFile, Files.read(stateFile, maximumSize: Self.maximumStateLength))
        return state.withSpan { [UInt8](copying: $0) }
    }

    /// Keeps what a simulator remembers, in one step: a crash leaves the old state or the new one.
    ///
    /// - Parameter snapshot: The simulator's `snapshot`.
    /// - Throws: `SimulationError.inaccessible`.
    public func keep(_ snapshot: [UInt8]) throws(SimulationError) {
        try SimulationError.naming(stateFile, Files.replace(stateFile, with: snapshot, isPrivate: true))
    }
}
#endif
