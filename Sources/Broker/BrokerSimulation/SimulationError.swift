#if Client
import EntitlementKeys
import EntitlementValues
import HostSystem
import OpenSSLBridge
import TextCodecs

/// Says why a simulator could not be made or changed.
///
/// What a simulated broker answers is never thrown; it is an answer.
@nonexhaustive
public enum SimulationError: Error, Sendable, Hashable {
    /// A key could not be made or used. Carries the message of the key's module, never key bytes.
    case keys(String)
    /// The keys for media tokens and for access tokens are the same.
    case sameKeyTwice
    /// The world contradicts itself.
    case world(WorldFault)
    /// The description of a world is not JSON, or not by the definition: where, and why. Never the text.
    case unreadableWorld(reason: String)
    /// The code does not belong to a session that waits for a login.
    case unknownCode
    /// A user of this name is not known.
    case unknownUser(String)
    /// A brand of this id is not known, or it has no agreement with the provider.
    case unknownIntegration
    /// A client of this id is not known.
    case unknownClient
    /// A scenario of this name is not known.
    case unknownScenario(String)
    /// The key file was not made by a simulator: it has no certificate of `simulator.invalid`.
    case foreignKey(file: String)
    /// The folder of a simulator's state, or a file in it, is not as a simulator left it, or another simulator uses it.
    case folder(path: String, reason: String)
    /// The folder, or a file in it, could not be made, read or written.
    case inaccessible(path: String, reason: String)
    /// The state that an earlier run left is not by the definition: where, and why. Never the text.
    case unreadableState(reason: String)
    /// libcrypto failed. Carries OpenSSL's message, never input.
    case backend(String)

    /// The case as a word for programs.
    public var code: String { told.code }
}

extension SimulationError {
    /// libcrypto failed.
    init(_ failure: OpenSSLFailure) { self = .backend(failure.description) }

    /// A key cannot be used.
    init(key error: KeyError) { self = .keys(error.description) }

    /// Does `work` with a file or folder, and names it in the error.
    static func naming<Value>(
        _ path: String,
        _ work: @autoclosure () throws(FileFailure) -> Value
    ) throws(SimulationError) -> Value {
        try rethrowing(work()) { (failure: FileFailure) in
            SimulationError.inaccessible(path: Files.shown(path), reason: failure.reason)
        }
    }
}

extension SimulationError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String { told.text }

    private var told: (code: String, text: String) {
        switch self {
        case .keys(let reason): ("keys", "the simulator's keys cannot be used: \(reason)")
        case .sameKeyTwice: ("same_key_twice", "media tokens and access tokens need different keys; make a second one")
        case .world(let fault): ("world", "the world cannot be simulated: \(fault)")
        case .unreadableWorld(let reason): ("unreadable_world", "the description of the world is refused: \(reason)")
        case .unknownCode: ("unknown_code", "no session waits for a login with this code; start a new session")
        case .unknownUser(let name):
            ("unknown_user", "the user \(name.printable) is unknown; add the user to the world")
        case .unknownIntegration:
            ("unknown_integration", "the brand and the provider have no agreement; add the provider to the brand")
        case .unknownClient: ("unknown_client", "the client is unknown; register one first")
        case .unknownScenario(let name): ("unknown_scenario", "the scenario \(name.printable) is unknown")
        case .foreignKey(let file):
            (
                "foreign_key",
                "\(file.printable) is not a key of a simulator, so nothing is signed with it; choose another folder"
            )
        case .folder(let path, let reason): ("folder", "\(path.printable) cannot be used: \(reason)")
        case .inaccessible(let path, let reason):
            (
                "folder",
                "\(path.printable) cannot be used: \(reason); take a folder that this user may read and write"
            )
        case .unreadableState(let reason):
            ("unreadable_state", "the state of an earlier run is refused: \(reason); remove the file to begin anew")
        case .backend(let reason): ("backend", "libcrypto failed (\(reason))")
        }
    }
}
#endif
