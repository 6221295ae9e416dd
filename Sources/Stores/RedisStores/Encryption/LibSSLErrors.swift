#if Redis
import CLibSSL

extension EncryptionFailure {
    /// Takes all records off the thread's error queue and finds the one that says most.
    ///
    /// `verification` is what libssl says of the server's certificate, an `X509_V_…` value. `hasCertificate` says
    /// whether the client sent one.
    init(verification: Int, hasCertificate: Bool) {
        var codes: [UInt] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            codes.append(code)
        }
        if verification != Int(X509_V_OK) {
            self = Self(certificateError: verification)
        } else {
            let reasons = codes.filter { clibssl_error_library($0) == ERR_LIB_SSL }.map { clibssl_error_reason($0) }
            self =
                reasons.lazy.compactMap { Self(reason: $0, hasCertificate: hasCertificate) }.first
                ?? .broken(codes.first.map(Self.words) ?? "no reason given")
        }
    }

    private init(certificateError code: Int) {
        switch Int32(clamping: code) {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            self = .unknownAuthority
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .wrongName
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
        default:
            let words = unsafe X509_verify_cert_error_string(code).map { unsafe String(cString: $0) }
            self = .untrusted(words ?? "error \(code)")
        }
    }

    /// The failures that libssl has a reason for; alerts of the server are among its reasons, with 1000 added.
    private init?(reason: Int32, hasCertificate: Bool) {
        switch reason {
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_BAD_RECORD_TYPE,
            SSL_R_RECORD_LENGTH_MISMATCH:
            self = .notEncrypted
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION: self = .oldVersion
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: self = .certificateWanted
        // What TLS 1.2 says instead; it has more causes, but none as likely.
        case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE where !hasCertificate: self = .certificateWanted
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
            SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
            SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_TLSV1_ALERT_UNKNOWN_CA, SSL_R_TLSV1_ALERT_ACCESS_DENIED,
            SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
            self = hasCertificate ? .certificateRefused : .certificateWanted
        default: return nil
        }
    }

    private static func words(_ code: UInt) -> String {
        unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
#endif
