#if Redis
package import RedisStores

/// A `redis-server` of the system with a port for TLS.
package final class EncryptedServer: Sendable {
    package let server: RedisServer
    /// The port for TLS, of 127.0.0.1.
    package var port: Int { server.port }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - pair: Its certificate.
    ///   - authority: The authority that clients' certificates must be of.
    ///   - wantsCertificates: Whether clients must have a certificate.
    ///   - more: Further arguments.
    /// - Throws: An error if it does not start.
    package init(
        _ pair: Certificates.Pair,
        authority: String,
        wantsCertificates: Bool = false,
        _ more: String...
    ) throws {
        server = try RedisServer(onPort: { port in
            [
                "--tls-port", "\(port)", "--bind", "127.0.0.1", "--tls-cert-file", pair.certificate,
                "--tls-key-file", pair.key, "--tls-ca-cert-file", authority, "--tls-auth-clients",
                wantsCertificates ? "yes" : "no",
            ] + more
        })
    }

    /// The address of the server.
    ///
    /// - Parameter host: A name of this host.
    /// - Returns: The address.
    /// - Throws: Nothing for a good host.
    package func address(host: String = "localhost") throws -> RedisAddress {
        try RedisAddress(.tcp(host: host, port: port), isEncrypted: true)
    }
}
#endif
