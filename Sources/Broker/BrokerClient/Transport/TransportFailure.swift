#if Client
import AsyncHTTPClient
import CLibrary
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

/// The reason why an answer did not come, and whether the server may have acted on the request.
///
/// Holds the server's name and port, and no path, no header field and no body, neither of the request nor of the answer.
public struct TransportFailure: Error, Sendable, Hashable {
    /// What went wrong.
    public let reason: Reason
    /// `false` only if no byte of the request can have left; a request that is not safe to repeat may be repeated then.
    public let mayHaveBeenSent: Bool
    /// The server as `HOST:PORT`, and the proxy on the way to it, for people; `nil` if none was to be reached, or it is not known.
    public let server: String?
    /// Why there is no connection, in words for people that follow the server's name; `nil` if that is not known.
    public let detail: String?

    /// Makes a failure.
    ///
    /// - Parameters:
    ///   - reason: What went wrong.
    ///   - mayHaveBeenSent: Whether the server may have received a part of the request; `true` in doubt.
    ///   - server: The server as `HOST:PORT`, without path and user: it is shown in logs.
    ///   - detail: Why there is no connection; no part of a request may be in it.
    public init(_ reason: Reason, mayHaveBeenSent: Bool, server: String? = nil, detail: String? = nil) {
        (self.reason, self.mayHaveBeenSent) = (reason, mayHaveBeenSent)
        (self.server, self.detail) = (server, detail)
    }

    /// What went wrong.
    ///
    /// The raw value is the stable name, for programs and log searches.
    @nonexhaustive
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The request cannot be sent as it is: its address, its method or a header field is not valid, or too long.
        case request = "invalid_request"
        /// No connection: the name is unknown, or no server listens there.
        case connecting = "no_connection"
        /// The server's certificate is not trusted, or TLS failed in another way.
        case tls
        /// The time limit passed.
        case timeout
        /// The connection broke before the answer was complete.
        case reset = "connection_broken"
        /// What came is not HTTP, or cannot be decompressed.
        case malformed
        /// The answer is longer than the limit, compressed or not.
        case tooLong = "too_long"
        /// The caller's task was cancelled.
        case cancelled
        /// The transport was shut down.
        case shutDown = "shut_down"
    }
}

extension TransportFailure: CustomStringConvertible {
    /// What happened, with which server and why, without path or content of the request.
    public var description: String {
        let (to, from) = (server.map { " to \($0)" } ?? "", server.map { " from \($0)" } ?? "")
        let what =
            switch reason {
            case .request: "the request's address, method or a header field is not valid, or too long"
            case .connecting: "no connection\(to) could be opened"
            case .tls where detail == nil:
                "the TLS connection\(to) failed; is the server's certificate trusted, and made for this name?"
            case .tls: "the TLS connection\(to) failed"
            case .timeout: "no whole answer\(from) came in time"
            case .reset: "the connection\(to) broke before the answer was complete"
            case .malformed: "the answer\(from) is not HTTP, or cannot be decompressed"
            case .tooLong: "the answer\(from) is too long"
            case .cancelled: "the task was cancelled"
            case .shutDown: "the transport was shut down; make a new one"
            }
        let sent = mayHaveBeenSent ? " (the request may have been sent)" : " (the request was not sent)"
        return what + (detail.map { ": \($0)" } ?? "") + sent
    }
}

extension TransportFailure {
    /// Tells what an error of the libraries below (async-http-client, NIO or NIOSSL) means.
    ///
    /// Nothing of its text is kept: it may hold a header. `isLate` says whether the deadline had passed. `origin` is
    /// the server that the request was for, and `proxy` the one that connections to it go through.
    package init(
        _ error: any Error,
        isLate: Bool,
        isShutDown: Bool,
        to origin: BrokerOrigin? = nil,
        through proxy: HTTPProxy? = nil
    ) {
        var meaning = Self.meaning(of: error)
        if error is TransportFailure {
            // The transport said so itself.
        } else if isShutDown, meaning.reason == .reset || meaning.reason == .shutDown {
            meaning = Self(.shutDown, mayHaveBeenSent: meaning.mayHaveBeenSent)
        } else if isLate {
            // async-http-client does not say whether the call still waited for a connection.
            meaning = Self(.timeout, mayHaveBeenSent: meaning.mayHaveBeenSent)
        }
        self.init(
            meaning.reason, mayHaveBeenSent: meaning.mayHaveBeenSent,
            server: meaning.server ?? origin.flatMap { meaning.place(of: $0, through: proxy, after: error) },
            detail: meaning.detail ?? (meaning.isOfOpening ? Self.detail(of: error) : nil))
    }

    private static func meaning(of error: any Error) -> Self {
        switch error {
        case let error as TransportFailure: error
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
        case .connectTimeout, .getConnectionFromPoolTimeout, .proxyAuthenticationRequired, .invalidProxyResponse,
            .httpProxyHandshakeTimeout:
            return Self(.connecting, mayHaveBeenSent: false)
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
