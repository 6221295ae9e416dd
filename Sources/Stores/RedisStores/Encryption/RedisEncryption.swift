#if Redis
/// The files that encrypted connections need: the authorities that a server's certificate may be of, and the client's own
/// certificate.
///
/// Addresses of `rediss://` and `valkeys://` use them. TLS is 1.2 or 1.3, and the host of the address must be among the
/// names, or the IP addresses, of the server's certificate.
public struct RedisEncryption: Sendable, Hashable {
    /// A file with the certificates of authorities, in PEM; `nil` for those that the system trusts.
    public let authorityFile: String?
    /// A file with the client's certificate and those between it and its authority, in PEM; `nil` for none.
    public let certificateFile: String?
    /// A file with the private key of the client's certificate, in PEM and not encrypted; `nil` for none.
    public let keyFile: String?

    /// The authorities that the system trusts, and no certificate of the client.
    public static let system = RedisEncryption(uncheckedAuthorities: nil, certificate: nil, key: nil)

    /// Names the files; they are read when a store is made, and when it is told to read them again.
    ///
    /// - Parameters:
    ///   - authorityFile: A file with the certificates of authorities, in PEM; `nil` for those that the system trusts.
    ///   - certificateFile: A file with the client's certificate, in PEM; `nil` for none.
    ///   - keyFile: A file with the private key of that certificate, in PEM and not encrypted.
    /// - Throws: `RedisConfigurationError.badSetting` if there is a certificate without a key, or a key without a
    ///   certificate.
    public init(
        authorityFile: String? = nil,
        certificateFile: String? = nil,
        keyFile: String? = nil
    ) throws(RedisConfigurationError) {
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw .badSetting(
                name: certificateFile == nil ? "certificateFile" : "keyFile",
                allowed: "given; a certificate and its key go together")
        }
        self.init(uncheckedAuthorities: authorityFile, certificate: certificateFile, key: keyFile)
    }

    private init(uncheckedAuthorities authorities: String?, certificate: String?, key: String?) {
        (authorityFile, certificateFile, keyFile) = (authorities, certificate, key)
    }
}
#endif
