#if CLI
import ArgumentParser
#if Client
import BrokerMessages
#endif

/// Who the subscriber is, for promotional temporary access.
struct IdentityOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Who the subscriber is, for promotional temporary access: an e-mail address, the same text each time. Its \
            SHA-256 is kept, sealed, until another provider is chosen, and sent.
            """, valueName: "text"))
    var identity: String?

    @Flag(name: .long, help: "Keep and send the text of --identity itself, if the app does so.")
    var plainIdentity = false

    func validate() throws {
        guard identity != "" else { throw ValidationError("--identity is empty (an unset variable?).") }
        guard !plainIdentity || identity != nil else { throw ValidationError("--plain-identity goes with --identity.") }
    }

    #if Client
    /// The identity as the broker takes it; `nil` if none was given.
    ///
    /// Throws `ValidationError` if it is too long.
    func header() throws -> TemporaryIdentity? {
        try identity.map { text in
            try argument(of: "--identity") {
                let plain = try TemporaryIdentity(text)
                return plainIdentity ? plain : try TemporaryIdentity(hashing: text)
            }
        }
    }
    #endif
}
#endif
