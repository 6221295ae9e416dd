#if Redis
import CLibSSL
import EntitlementValues
import HostSystem
import OpenSSLBridge

/// What all encrypted connections of a store share: versions, authorities, and the client's certificate.
///
/// Nothing changes it after its initialiser, and libssl counts the references of its connections.
@safe
final class EncryptionContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// Whether the client has a certificate to show.
    let hasCertificate: Bool

    /// How large a file may be: the authorities of a system take about 200 KiB.
    private static let maximumFile = 4 << 20

    /// Reads the files; an error, `.badFile`, names the one that cannot be used.
    init(_ files: RedisEncryption) throws(RedisConfigurationError) {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw Self.failure("a TLS context") }
        unsafe pointer = context
        hasCertificate = files.certificateFile != nil
        try withCleanErrorQueue { () throws(RedisConfigurationError) in
            guard unsafe clibssl_set_minimum_version(context, TLS1_2_VERSION) == 1 else {
                throw Self.failure("the least version of TLS")
            }
            unsafe clibssl_set_options(context)
            unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            // Without a terminal to ask at: libcrypto would do that, and wait.
            unsafe SSL_CTX_set_default_passwd_cb(context, { _, _, _, _ in -1 })
            try trustAuthorities(of: files.authorityFile)
            guard let certificate = files.certificateFile, let key = files.keyFile else { return }
            try useCertificates(of: certificate)
            try useKey(of: key)
        }
    }

    deinit { unsafe SSL_CTX_free(pointer) }

    private func trustAuthorities(of file: String?) throws(RedisConfigurationError) {
        guard let file else {
            guard unsafe SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw Self.failure("the authorities of the system")
            }
            return
        }
        let store = unsafe SSL_CTX_get_cert_store(pointer)
        try unsafe Self.eachCertificate(of: file) { certificate, _ in
            unsafe X509_STORE_add_cert(store, certificate) == 1
        }
    }

    private func useCertificates(of file: String) throws(RedisConfigurationError) {
        try unsafe Self.eachCertificate(of: file) { certificate, isFirst in
            isFirst
                ? unsafe SSL_CTX_use_certificate(pointer, certificate) == 1
                : unsafe clibssl_add_chain_certificate(pointer, certificate) == 1
        }
    }

    private func useKey(of file: String) throws(RedisConfigurationError) {
        try unsafe Self.read(file) { bio throws(RedisConfigurationError) in
            guard let key = unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) else {
                throw .badFile(path: file, reason: "has no private key in PEM, or an encrypted one")
            }
            defer { unsafe EVP_PKEY_free(key) }
            guard unsafe SSL_CTX_use_PrivateKey(pointer, key) == 1, unsafe SSL_CTX_check_private_key(pointer) == 1
            else {
                throw .badFile(path: file, reason: "has a key that does not belong to the certificate")
            }
        }
    }

    /// Reads the certificates of a file, at least one.
    private static func eachCertificate(
        of file: String,
        use: (_ certificate: OpaquePointer, _ isFirst: Bool) -> Bool
    ) throws(RedisConfigurationError) {
        try unsafe read(file) { bio throws(RedisConfigurationError) in
            var isFirst = true
            while let certificate = unsafe PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
                defer { unsafe X509_free(certificate) }
                guard unsafe use(certificate, isFirst) else {
                    throw .badFile(path: file, reason: "has a certificate that libssl does not take")
                }
                isFirst = false
            }
            guard !isFirst, clibssl_is_pem_end(ERR_peek_last_error()) != 0 else {
                throw .badFile(
                    path: file, reason: isFirst ? "has no certificate in PEM" : "has a damaged certificate")
            }
        }
    }

    /// Lends a file as libcrypto's reader; what was read is wiped after it.
    private static func read(
        _ file: String,
        _ body: (OpaquePointer) throws(RedisConfigurationError) -> Void
    ) throws(RedisConfigurationError) {
        let bytes = try rethrowing(Files.read(file, maximumSize: maximumFile)) { (failure: FileFailure) in
            RedisConfigurationError.badFile(path: Files.shown(file), reason: "cannot be read: \(failure.reason)")
        }
        try bytes.withSpan { bytes throws(RedisConfigurationError) in
            try unsafe bytes.withUnsafeBufferPointer { bytes throws(RedisConfigurationError) in
                guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                    throw failure("a reader")
                }
                defer { unsafe _ = BIO_free(bio) }
                try unsafe body(bio)
            }
        }
    }

    private static func failure(_ what: String) -> RedisConfigurationError {
        .badFile(path: nil, reason: "libssl cannot make \(what): \(OpenSSLFailure("libssl").description)")
    }
}
#endif
