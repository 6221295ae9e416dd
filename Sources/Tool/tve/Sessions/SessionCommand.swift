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

extension SessionClient {
    /// Refuses a `--client` that is not an address: no session can be bound to it, and none could be good for it.
    ///
    /// Whether it may be empty is not for this function. Throws `ValidationError`.
    static func checkArgument(_ text: String?) throws {
        guard let text, !text.isEmpty, SessionClient.address(text).ipAddress == nil else { return }
        throw ValidationError("--client is not one IPv4 or IPv6 address.")
    }
}

extension PasswordOptions {
    /// Reads session keys, each from a file of its own; the first file has the key that signs.
    ///
    /// `option` is the one that names them, if one does. Throws `CommandFailure`; the exit code is 66 if a file does not
    /// exist.
    func sessionKeys(_ paths: [String], of option: String?) throws -> [SessionKey] {
        let opener = try read()
        return try paths.map { path in
            try concerning(option) {
                try opener.open { password throws(KeyError) in try SessionKey(keyFile: path, password: password) }
            }
        }
    }
}
#endif
