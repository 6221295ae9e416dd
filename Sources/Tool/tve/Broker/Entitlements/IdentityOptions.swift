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
            Who the subscriber is, for promotional temporary access: an e-mail address, the same text each time. It is \
            kept, sealed, until another provider is chosen.
            """, valueName: "text"))
    var identity: String?

    func validate() throws {
        guard identity != "" else { throw ValidationError("--identity is empty (an unset variable?).") }
    }

    #if Client
    /// The identity as the broker takes it; `nil` if none was given.
    ///
    /// Throws `ValidationError` if it is too long.
    func header() throws -> TemporaryIdentity? {
        try identity.map { text in try argument(of: "--identity") { try TemporaryIdentity(text) } }
    }
    #endif
}
#endif
