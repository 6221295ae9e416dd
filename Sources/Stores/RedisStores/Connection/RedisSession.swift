#if Redis
import EntitlementKeys
import EntitlementValues
import HostSystem

/// What connections sign in with.
struct RedisAccess: Sendable {
    /// The password of the address's user, or of the server's default user; `nil` for none.
    let password: KeyPassword?
    /// The authorities and the client's certificate; `nil` for connections in clear.
    let encryption: EncryptionContext?

    /// Reads the files, if the address asks for encryption; throws `.badFile`.
    init(
        password: KeyPassword?,
        encryption: RedisEncryption,
        for address: RedisAddress
    ) throws(RedisConfigurationError) {
        self.password = password
        self.encryption = address.isEncrypted ? try EncryptionContext(encryption) : nil
    }
}

/// A connection that has signed in and selected its database, to a server that may be written to.
struct RedisSession: ~Copyable {
    var connection: RedisConnection
    /// The server that was reached.
    let server: RedisServerIdentity
    var warnings: Set<RedisWarning>
    /// Numbers the servers, their runs and the changes of passwords that the pool has seen.
    var generation = 0
}
#endif
