#if Client
public import EntitlementKeys

/// The keys with which a simulator signs: one for media tokens, another for access tokens and software statements.
public struct SimulatorKeys: Sendable {
    /// Signs media tokens.
    public let media: SigningKey
    /// Signs access tokens and software statements.
    public let access: SigningKey

    /// Makes new keys of 2048 bits, which exist only in memory.
    ///
    /// - Throws: `SimulationError.keys` if no key could be made.
    public init() throws(SimulationError) {
        do throws(KeyError) {
            media = try SigningKey.generated(named: "simulator-media")
            access = try SigningKey.generated(named: "simulator-access")
        } catch {
            throw .keys(error.description)
        }
    }

    /// Takes keys that were made before.
    ///
    /// - Parameters:
    ///   - media: Signs media tokens; 1024 bits are taken, since old tokens of the broker were signed so.
    ///   - access: Signs access tokens and software statements.
    /// - Throws: `SimulationError.sameKeyTwice` if both are the same key: an access token must not pass for anything
    ///   that the other key signs.
    public init(media: SigningKey, access: SigningKey) throws(SimulationError) {
        guard media.fingerprint != access.fingerprint else { throw .sameKeyTwice }
        (self.media, self.access) = (media, access)
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
