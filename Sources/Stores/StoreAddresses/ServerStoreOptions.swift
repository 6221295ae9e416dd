/// How a store on a server is used: its secrets, which are files, and its limits.
///
/// What is not given has the default of `RedisPoolSettings`.
package struct ServerStoreOptions: Sendable, Hashable {
    /// A file with the password of the server, if it demands one.
    package var passwordFile: String?
    /// A file with the authorities of the server's certificate; `nil` for those that the system trusts.
    package var authorityFile: String?
    /// A file with the client's certificate.
    package var certificateFile: String?
    /// A file with the private key of the client's certificate.
    package var keyFile: String?
    /// The limits and names.
    package var limits = Limits()

    /// The limits, and the names of keys and connections.
    package struct Limits: Sendable, Hashable {
        /// The maximum number of connections.
        package var connections: Int?
        /// How long a redemption may take, in milliseconds.
        package var timeout: Int?
        /// How long connecting may take, in milliseconds.
        package var connectTimeout: Int?
        /// The maximum number of redemptions that wait for their turn.
        package var maximumWaiting: Int?
        /// The prefix of every key.
        package var prefix: String?
        /// The name of the connections.
        package var clientName: String?

        /// Gives nothing.
        package init() {}
    }

    /// Gives nothing.
    package init() {}

    /// The files that are given.
    package var files: [String] { [passwordFile, authorityFile, certificateFile, keyFile].compactMap(\.self) }
}
