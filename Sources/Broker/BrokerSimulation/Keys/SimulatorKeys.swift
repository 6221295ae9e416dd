#if Client
public import EntitlementKeys
public import EntitlementValues

/// The keys with which a simulator signs: one for media tokens, another for access tokens and software statements.
public struct SimulatorKeys: Sendable {
    /// Signs media tokens.
    public let media: SigningKey
    /// Signs access tokens and software statements.
    public let access: SigningKey
    /// What a verifier of media tokens reads, in PEM: a certificate that names `simulator.invalid`, or the bare key of
    /// a simulator that was given keys without one.
    ///
    /// Never give it to a verifier in production.
    public let mediaPEM: String

    /// What a verifier of software statements and access tokens reads, in PEM; as ``mediaPEM``.
    let accessPEM: String

    /// Makes new keys of 2048 bits, which say in a certificate whose they are, and exist only in memory.
    ///
    /// - Parameter now: When the certificates begin.
    /// - Throws: `SimulationError.keys` if no key could be made.
    public init(at now: Timestamp = .now) throws(SimulationError) {
        let media = try MarkedKey.generated(named: "simulator-media", at: now)
        let access = try MarkedKey.generated(named: "simulator-access", at: now)
        try self.init(media: media, access: access)
    }

    /// Takes keys that were made before.
    ///
    /// Whether they are a simulator's cannot be seen here, and nothing marks them: ``mediaPEM`` is the bare key, which
    /// `tve doctor` takes for any other. Give keys that sign nothing but tests.
    ///
    /// - Parameters:
    ///   - media: Signs media tokens; 1024 bits are taken, since old tokens of the broker were signed so.
    ///   - access: Signs access tokens and software statements.
    /// - Throws: `SimulationError.sameKeyTwice` if both are the same key: an access token must not pass for anything
    ///   that the other key signs.
    public init(media: SigningKey, access: SigningKey) throws(SimulationError) {
        guard media.fingerprint != access.fingerprint else { throw .sameKeyTwice }
        (self.media, self.access) = (media, access)
        (mediaPEM, accessPEM) = (media.publicKeyPEM, access.publicKeyPEM)
    }

    /// Takes keys whose certificates say whose they are.
    init(media: MarkedKey, access: MarkedKey) throws(SimulationError) {
        guard media.key.fingerprint != access.key.fingerprint else { throw .sameKeyTwice }
        (self.media, self.access) = (media.key, access.key)
        (mediaPEM, accessPEM) = (media.certificate, access.certificate)
    }

    /// What a verifier of media tokens must trust to accept this simulator's.
    ///
    /// Never give it to a verifier in production.
    public var mediaVerificationKeys: VerificationKeys {
        get throws(KeyError) { try VerificationKeys(of: media) }
    }

    /// What the simulator's own access tokens and statements are verified with.
    var accessVerificationKeys: VerificationKeys {
        get throws(SimulationError) {
            do throws(KeyError) {
                return try VerificationKeys(of: access)
            } catch {
                throw .keys(error.description)
            }
        }
    }
}
#endif
