#if Redis
/// The reason why a connection could not be encrypted, or why the server's certificate is not trusted.
enum EncryptionFailure: Sendable, Equatable {
    /// No authority that is trusted here has signed the server's certificate.
    case unknownAuthority
    /// The server's certificate is for another name.
    case wrongName
    /// The server's certificate has expired.
    case expired
    /// The server's certificate is not valid yet.
    case notYetValid
    /// The server's certificate is not trusted for another reason, in libcrypto's words.
    case untrusted(String)
    /// The server does not speak TLS at this port.
    case notEncrypted
    /// The server did not finish the handshake in time.
    case noHandshakeInTime
    /// The server has no version of TLS from 1.2 on.
    case oldVersion
    /// The server wants a certificate of the client and was given none.
    case certificateWanted
    /// The server does not accept the certificate of the client.
    case certificateRefused
    /// The server, or libssl, ended the encryption for another reason, in libssl's words.
    case broken(String)

    /// The stable name of the failure.
    var code: String {
        switch self {
        case .unknownAuthority: "tls_unknown_authority"
        case .wrongName: "tls_wrong_name"
        case .expired: "tls_expired"
        case .notYetValid: "tls_not_yet_valid"
        case .untrusted: "tls_untrusted"
        case .notEncrypted: "tls_not_spoken"
        case .noHandshakeInTime: "tls_no_handshake"
        case .oldVersion: "tls_old_version"
        case .certificateWanted: "tls_certificate_wanted"
        case .certificateRefused: "tls_certificate_refused"
        case .broken: "tls_broken"
        }
    }

    /// Whether another certificate of the client, or other trusted authorities, could help.
    var concernsAccess: Bool {
        switch self {
        // Authorities expire, too, and what libssl says of a refusal is not always its reason.
        case .unknownAuthority, .expired, .notYetValid, .untrusted, .certificateWanted, .certificateRefused, .broken:
            true
        case .wrongName, .notEncrypted, .noHandshakeInTime, .oldVersion: false
        }
    }
}

extension EncryptionFailure: CustomStringConvertible {
    /// What happened, its code, and what to do, in words that follow the address of the server.
    var description: String {
        switch self {
        case .unknownAuthority:
            """
            has a certificate of an authority that is not trusted here (\(code)); give the file with the certificate of \
            its authority
            """
        case .wrongName:
            "has a certificate for another name (\(code)); write the address with a name that its certificate has"
        case .expired: "has a certificate that has expired (\(code)); renew it, or check the clock of this host"
        case .notYetValid: "has a certificate that is not valid yet (\(code)); check the clock of this host"
        case .untrusted(let words): "has a certificate that is not trusted (\(code)): \(words)"
        case .notEncrypted:
            "does not speak TLS at this port (\(code)); give its TLS port, or write redis:// for a connection in clear"
        case .noHandshakeInTime:
            """
            did not finish the TLS handshake in time (\(code)); does it speak TLS at this port? Redis in clear waits \
            for more
            """
        case .oldVersion: "has no version of TLS from 1.2 on (\(code)); let it have TLS 1.2 or 1.3"
        case .certificateWanted:
            "wants a certificate of this client (\(code)); give the files with certificate and key"
        case .certificateRefused:
            "does not accept the certificate of this client (\(code)); does it know the certificate's authority?"
        case .broken(let words): "ended the encryption (\(code)): \(words)"
        }
    }
}
#endif
