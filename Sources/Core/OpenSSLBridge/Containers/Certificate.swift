import COpenSSL
import HostSystem

/// Owns an X.509 certificate of any version.
///
/// It serves as a container of a public key: its signature, chain and dates are not checked.
@safe
package final class Certificate: @unchecked Sendable {
    // Read-only after the initialiser; the accessors used take a const X509, or build caches under OpenSSL's own lock.
    private let raw: OpaquePointer

    /// Reads a certificate in DER (RFC 5280), with nothing after it.
    package init(der: Span<UInt8>) throws(OpenSSLFailure) {
        unsafe raw = try readDER(der, "reading a certificate", free: { unsafe X509_free($0) }) {
            unsafe d2i_X509(nil, &$0, $1)
        }
    }

    /// Reads a certificate followed by OpenSSL's trust settings (`TRUSTED CERTIFICATE`), which are ignored.
    ///
    /// Both are in DER, with nothing after them.
    package init(trusted der: Span<UInt8>) throws(OpenSSLFailure) {
        unsafe raw = try readDER(der, "reading a certificate", free: { unsafe X509_free($0) }) {
            unsafe d2i_X509_AUX(nil, &$0, $1)
        }
    }

    deinit {
        unsafe X509_free(raw)
    }

    /// The certified key.
    package func publicKey() throws(OpenSSLFailure) -> PKey {
        let key = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let key = unsafe X509_get_pubkey(raw) else { throw OpenSSLFailure("reading a certificate's key") }
            return unsafe key
        }
        return unsafe PKey(owning: key)
    }

    /// The subject, as RFC 2253 writes names; control characters are escaped.
    package var subject: String { unsafe name(X509_get_subject_name(raw)) }

    /// The issuer, as RFC 2253 writes names; control characters are escaped.
    package var issuer: String { unsafe name(X509_get_issuer_name(raw)) }

    private func name(_ name: OpaquePointer?) -> String {
        withCleanErrorQueue {
            guard let name = unsafe name, let output = unsafe BIO_new(BIO_s_mem()) else { return "" }
            defer { unsafe BIO_free_all(output) }
            guard unsafe X509_NAME_print_ex(output, name, 0, copenssl_name_flags()) >= 0 else { return "" }
            return unsafe WipedBytes(writtenTo: output).withSpan { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
        }
    }

    /// Reads the first and the last second of validity, in seconds since the Unix epoch.
    package func validity() throws(OpenSSLFailure) -> (notBefore: Int64, notAfter: Int64) {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            (
                unsafe try seconds(X509_get0_notBefore(raw)),
                unsafe try seconds(X509_get0_notAfter(raw))
            )
        }
    }

    /// Whether the certificate says that its key signs certificates (basic constraints, CA:TRUE; RFC 5280 §4.2.1.9).
    package var isAuthority: Bool {
        withCleanErrorQueue {
            // Answers above 1 are guesses about certificates without the extension.
            unsafe X509_check_ca(raw) == 1
        }
    }

    /// Whether it is for a server (RFC 9525), which is named without a dot at its end, or by an address without
    /// brackets.
    ///
    /// Its alternative names must have the server's name, or the server's address if that names it. The subject does
    /// not count. `false` also if libcrypto cannot tell.
    package func isFor(_ host: String) -> Bool {
        withCleanErrorQueue {
            let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
            let found = unsafe X509_check_ip_asc(raw, host, flags)
            // It is not an address.
            guard found == -2 else { return found == 1 }
            return unsafe X509_check_host(raw, host, host.utf8.count, flags, nil) == 1
        }
    }

    private func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(OpenSSLFailure) -> Int64 {
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { throw OpenSSLFailure("reading a certificate's dates") }
        defer { unsafe ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard let time = unsafe time, unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            throw OpenSSLFailure("reading a certificate's dates")
        }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
