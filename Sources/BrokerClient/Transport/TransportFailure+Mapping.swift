#if Client
import AsyncHTTPClient
import CLibrary
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

extension TransportFailure {
    /// Tells what an error of the libraries below means.
    ///
    /// Nothing of its text is kept: it may hold a host or a header.
    ///
    /// - Parameters:
    ///   - error: An error of async-http-client, NIO or NIOSSL.
    ///   - isLate: Whether the deadline had passed.
    ///   - isShutDown: Whether the transport was shut down.
    init(_ error: any Error, isLate: Bool, isShutDown: Bool) {
        if let failure = error as? TransportFailure {
            self = failure
            return
        }
        let meaning = Self.meaning(of: error)
        if isShutDown, meaning.reason == .reset || meaning.reason == .shutDown {
            self.init(.shutDown, mayHaveBeenSent: meaning.mayHaveBeenSent)
        } else if isLate {
            // async-http-client does not say whether the call still waited for a connection.
            self.init(.timeout, mayHaveBeenSent: meaning.mayHaveBeenSent)
        } else {
            self = meaning
        }
    }

    private static func meaning(of error: any Error) -> Self {
        switch error {
        case let error as HTTPClientError: meaning(of: error)
        case let error as NIOSSLError: meaning(of: error)
        case let error as NIOSSLExtraError: meaning(of: error)
        case let error as BoringSSLError: meaning(of: error)
        case let error as HTTPParserError: meaning(of: error)
        case let error as IOError: meaning(of: error)
        case is NIOConnectionError, is SocketAddressError, is SocketAddressError.UnknownHost,
            ChannelError.connectTimeout, ChannelError.connectPending:
            Self(.connecting, mayHaveBeenSent: false)
        case is NIOHTTPDecoderError, is NIOHTTPDecompression.ExtraDecompressionError:
            Self(.malformed, mayHaveBeenSent: true)
        case let error as NIOHTTPDecompression.DecompressionError:
            Self(error == .limit ? .tooLong : .malformed, mayHaveBeenSent: true)
        // Any other error may have come at any time: an error of a channel, for example.
        default: Self(.reset, mayHaveBeenSent: true)
        }
    }

    private static func meaning(of error: HTTPClientError) -> Self {
        switch error {
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .traceRequestWithBody:
            return Self(.request, mayHaveBeenSent: false)
        case .connectTimeout, .getConnectionFromPoolTimeout: return Self(.connecting, mayHaveBeenSent: false)
        case .tlsHandshakeTimeout: return Self(.tls, mayHaveBeenSent: false)
        case .alreadyShutdown: return Self(.shutDown, mayHaveBeenSent: false)
        case .cancelled: return Self(.shutDown, mayHaveBeenSent: true)
        case .deadlineExceeded, .readTimeout, .writeTimeout: return Self(.timeout, mayHaveBeenSent: true)
        default: break
        }
        // These have a payload, which no public name can be compared with.
        switch error.shortDescription {
        case "Unsupported scheme", "Invalid header field names", "Invalid header field values":
            return Self(.request, mayHaveBeenSent: false)
        case "Server offered unsupported application protocol": return Self(.tls, mayHaveBeenSent: false)
        default: return Self(.reset, mayHaveBeenSent: true)
        }
    }

    private static func meaning(of error: NIOSSLError) -> Self {
        switch error {
        // Once the handshake is done, these do not come, and nothing is sent before.
        case .handshakeFailed, .unableToValidateCertificate, .noCertificateToValidate, .cannotMatchULabel,
            .cannotFindPeerIP, .failedToLoadCertificate, .failedToLoadPrivateKey, .noSuchFilesystemObject:
            Self(.tls, mayHaveBeenSent: false)
        case .readInInvalidTLSState: Self(.tls, mayHaveBeenSent: true)
        default: Self(.reset, mayHaveBeenSent: true)
        }
    }

    private static func meaning(of error: NIOSSLExtraError) -> Self {
        let beforeRequest: [NIOSSLExtraError] = [
            .failedToValidateHostname, .serverHostnameImpossibleToMatch, .cannotUseIPAddressInSNI, .invalidSNIHostname,
            .unknownPrivateKeyFileType,
        ]
        return Self(.tls, mayHaveBeenSent: !beforeRequest.contains(error))
    }

    private static func meaning(of error: BoringSSLError) -> Self {
        switch error {
        case .sslError, .unknownError, .invalidSNIName, .failedToSetALPN: Self(.tls, mayHaveBeenSent: true)
        default: Self(.reset, mayHaveBeenSent: true)
        }
    }

    private static func meaning(of error: HTTPParserError) -> Self {
        switch error {
        case .invalidEOFState, .closedConnection: Self(.reset, mayHaveBeenSent: true)
        case .headerOverflow: Self(.tooLong, mayHaveBeenSent: true)
        default: Self(.malformed, mayHaveBeenSent: true)
        }
    }

    private static func meaning(of error: IOError) -> Self {
        switch error.errnoCode {
        // Only making a socket or connecting it fails so.
        case ECONNREFUSED, EADDRNOTAVAIL, EAFNOSUPPORT, EMFILE, ENFILE: Self(.connecting, mayHaveBeenSent: false)
        // Connecting mostly, but an open connection can fail so, too.
        case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: Self(.connecting, mayHaveBeenSent: true)
        default: Self(.reset, mayHaveBeenSent: true)
        }
    }
}
#endif
