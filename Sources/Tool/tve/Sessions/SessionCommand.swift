#if CLI
import ArgumentParser
import EntitlementKeys
import MediaTokens
import PlaybackSessions
import TextCodecs

struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Issue, verify and show playback sessions, and list their keys.",
        subcommands: [SessionIssue.self, SessionVerify.self, SessionInspect.self, SessionKeysList.self]
    )
}

extension CommandFailure {
    /// A session that was not issued or verified because of a key, a value or this machine.
    init(_ error: PlaybackSessionError) {
        let exitCode: ExitCode =
            switch error {
            case .unusableKey, .noKeys, .cannotSign: .badConfiguration
            case .unsuitable, .tooLarge: .usage
            default: .undecided
            }
        self.init(error.code, error.description, exitCode: exitCode)
    }
}

extension SessionClient {
    /// Refuses a `--client` that is not an address: no session can be bound to it, and none could be good for it.
    ///
    /// - Parameter text: The argument; whether it may be empty is not for this function.
    /// - Throws: `ValidationError`.
    static func checkArgument(_ text: String?) throws {
        guard let text, !text.isEmpty, SessionClient.address(text).ipAddress == nil else { return }
        throw ValidationError("--client is not one IPv4 or IPv6 address.")
    }
}

/// Runs a call of the library, and reports what it throws.
func reporting<Success>(
    _ body: () throws(PlaybackSessionError) -> Success
) throws(CommandFailure) -> Success {
    do throws(PlaybackSessionError) {
        return try body()
    } catch {
        throw CommandFailure(error)
    }
}

extension PasswordOptions {
    /// Reads session keys, each from a file of its own.
    ///
    /// - Parameter paths: The files; the first one has the key that signs.
    /// - Returns: The keys.
    /// - Throws: `CommandFailure`; the exit code is 66 if a file does not exist.
    func sessionKeys(_ paths: [String]) throws(CommandFailure) -> [SessionKey] {
        let opener = try read()
        var keys: [SessionKey] = []
        for path in paths {
            keys.append(
                try opener.load { password throws(KeyError) in try SessionKey(keyFile: path, password: password) })
        }
        return keys
    }
}
#endif
