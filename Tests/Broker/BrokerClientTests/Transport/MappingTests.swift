#if Client
import AsyncHTTPClient
import BrokerClient
import CLibrary
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Testing

/// An error of the libraries below, and what it must become.
struct LibraryError: CustomTestStringConvertible {
    let error: any Error
    let reason: TransportFailure.Reason
    let mayHaveBeenSent: Bool

    init(_ error: any Error, _ reason: TransportFailure.Reason, sent: Bool) {
        (self.error, self.reason, mayHaveBeenSent) = (error, reason, sent)
    }

    var testDescription: String { "\(type(of: error)) \(error)" }

    static let all = client + tls + http + system

    static let client = [
        Self(HTTPClientError.invalidURL, .request, sent: false), Self(HTTPClientError.emptyHost, .request, sent: false),
        Self(HTTPClientError.emptyScheme, .request, sent: false),
        Self(HTTPClientError.missingSocketPath, .request, sent: false),
        Self(HTTPClientError.traceRequestWithBody, .request, sent: false),
        Self(HTTPClientError.unsupportedScheme("ftp"), .request, sent: false),
        Self(HTTPClientError.invalidHeaderFieldNames(["a b"]), .request, sent: false),
        Self(HTTPClientError.invalidHeaderFieldValues(["a"]), .request, sent: false),
        Self(HTTPClientError.connectTimeout, .connecting, sent: false),
        Self(HTTPClientError.getConnectionFromPoolTimeout, .connecting, sent: false),
        Self(HTTPClientError.proxyAuthenticationRequired, .connecting, sent: false),
        Self(HTTPClientError.invalidProxyResponse, .connecting, sent: false),
        Self(HTTPClientError.httpProxyHandshakeTimeout, .connecting, sent: false),
        Self(HTTPClientError.tlsHandshakeTimeout, .tls, sent: false),
        Self(HTTPClientError.serverOfferedUnsupportedApplicationProtocol("h3"), .tls, sent: false),
        Self(HTTPClientError.alreadyShutdown, .shutDown, sent: false),
        Self(HTTPClientError.cancelled, .shutDown, sent: true),
        Self(HTTPClientError.deadlineExceeded, .timeout, sent: true),
        Self(HTTPClientError.readTimeout, .timeout, sent: true),
        Self(HTTPClientError.writeTimeout, .timeout, sent: true),
        Self(HTTPClientError.remoteConnectionClosed, .reset, sent: true),
        Self(HTTPClientError.requestStreamCancelled, .reset, sent: true),
        Self(HTTPClientError.writeAfterRequestSent, .reset, sent: true),
        Self(HTTPClientError.bodyLengthMismatch, .reset, sent: true),
    ]

    static let tls = [
        Self(NIOSSLError.handshakeFailed(.sslError([])), .tls, sent: false),
        Self(NIOSSLError.unableToValidateCertificate, .tls, sent: false),
        Self(NIOSSLError.noCertificateToValidate, .tls, sent: false),
        Self(NIOSSLError.cannotMatchULabel, .tls, sent: false), Self(NIOSSLError.cannotFindPeerIP, .tls, sent: false),
        Self(NIOSSLError.readInInvalidTLSState, .tls, sent: true),
        Self(NIOSSLError.uncleanShutdown, .reset, sent: true),
        Self(NIOSSLError.shutdownFailed(.zeroReturn), .reset, sent: true),
        Self(NIOSSLError.writeDuringTLSShutdown, .reset, sent: true),
        Self(NIOSSLExtraError.failedToValidateHostname, .tls, sent: false),
        Self(NIOSSLExtraError.serverHostnameImpossibleToMatch, .tls, sent: false),
        Self(NIOSSLExtraError.cannotUseIPAddressInSNI, .tls, sent: false),
        Self(NIOSSLExtraError.invalidSNIHostname, .tls, sent: false),
        // After the handshake: with TLS 1.3, a server may refuse the client that late.
        Self(BoringSSLError.sslError([]), .tls, sent: true), Self(BoringSSLError.unknownError([]), .tls, sent: true),
        Self(BoringSSLError.zeroReturn, .reset, sent: true), Self(BoringSSLError.syscallError, .reset, sent: true),
    ]

    static let http = [
        Self(HTTPParserError.invalidEOFState, .reset, sent: true),
        Self(HTTPParserError.closedConnection, .reset, sent: true),
        Self(HTTPParserError.headerOverflow, .tooLong, sent: true),
        Self(HTTPParserError.invalidVersion, .malformed, sent: true),
        Self(HTTPParserError.invalidStatus, .malformed, sent: true),
        Self(HTTPParserError.invalidConstant, .malformed, sent: true),
        Self(HTTPParserError.invalidHeaderToken, .malformed, sent: true),
        Self(HTTPParserError.invalidContentLength, .malformed, sent: true),
        Self(HTTPParserError.invalidChunkSize, .malformed, sent: true),
        Self(HTTPParserError.unknown, .malformed, sent: true),
        Self(NIOHTTPDecoderError.unsolicitedResponse, .malformed, sent: true),
        Self(NIOHTTPDecompression.DecompressionError.limit, .tooLong, sent: true),
        Self(NIOHTTPDecompression.DecompressionError.inflationError(-3), .malformed, sent: true),
        Self(NIOHTTPDecompression.DecompressionError.initializationError(-4), .malformed, sent: true),
        Self(NIOHTTPDecompression.ExtraDecompressionError.truncatedData, .malformed, sent: true),
        Self(NIOHTTPDecompression.ExtraDecompressionError.invalidTrailingData, .malformed, sent: true),
    ]

    static let system =
        [ECONNREFUSED, EADDRNOTAVAIL, EAFNOSUPPORT, EMFILE, ENFILE].map {
            Self(IOError(errnoCode: $0, reason: "connect"), .connecting, sent: false)
        }
        + [EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN].map {
            Self(IOError(errnoCode: $0, reason: "connect"), .connecting, sent: true)
        }
        + [ECONNRESET, EPIPE, ETIMEDOUT, EIO].map { Self(IOError(errnoCode: $0, reason: "read"), .reset, sent: true) }
        + [
            Self(SocketAddressError.unsupported, .connecting, sent: false),
            Self(ChannelError.connectTimeout(.seconds(3)), .connecting, sent: false),
            Self(ChannelError.ioOnClosedChannel, .reset, sent: true), Self(ChannelError.eof, .reset, sent: true),
            Self(ChannelError.inputClosed, .reset, sent: true), Self(ChannelError.alreadyClosed, .reset, sent: true),
            Self(SomethingElse(), .reset, sent: true), Self(CancellationError(), .reset, sent: true),
        ]

    struct SomethingElse: Error {}
}

extension TransportTests {
    @Suite("Errors of the libraries below")
    struct MappingTests {
        @Test(arguments: LibraryError.all)
        func `Become a reason and a word about what was sent`(_ library: LibraryError) {
            let failure = TransportFailure(library.error, isLate: false, isShutDown: false)
            #expect(failure.bare == TransportFailure(library.reason, mayHaveBeenSent: library.mayHaveBeenSent))
        }

        @Test(arguments: LibraryError.all)
        func `Are a timeout after the deadline`(_ library: LibraryError) {
            let failure = TransportFailure(library.error, isLate: true, isShutDown: false)
            #expect(failure.bare == TransportFailure(.timeout, mayHaveBeenSent: library.mayHaveBeenSent))
        }

        @Test(arguments: TransportFailure.Reason.allCases)
        func `Stay what they are if the transport said so itself`(reason: TransportFailure.Reason) {
            let failure = TransportFailure(reason, mayHaveBeenSent: true)
            #expect(TransportFailure(failure, isLate: true, isShutDown: true) == failure)
        }

        @Test func `After a shutdown say so, unless they have another reason`() {
            let closed = TransportFailure(HTTPClientError.remoteConnectionClosed, isLate: false, isShutDown: true)
            #expect(closed == TransportFailure(.shutDown, mayHaveBeenSent: true))
            let untrusted = TransportFailure(NIOSSLError.unableToValidateCertificate, isLate: false, isShutDown: true)
            #expect(untrusted.reason == .tls)
        }

        /// What is told of an error at a server, through a proxy or without one.
        private func told(_ error: any Error, through proxy: HTTPProxy? = nil, isLate: Bool = false) throws -> String {
            let origin = try BrokerOrigin(parsing: "https://sp.example")
            let failure = TransportFailure(error, isLate: isLate, isShutDown: false, to: origin, through: proxy)
            let text = "\(failure)"
            let end = text.firstRange(of: " (the request ")?.lowerBound ?? text.endIndex
            return String(text[..<end])
        }

        @Test func `Say which server is not reached, and why`() throws {
            let opening = "no connection to sp.example:443 could be opened"
            let handshake = "the TLS connection to sp.example:443 failed"
            for (error, words) in [
                (IOError(errnoCode: ECONNREFUSED, reason: "connect"), "\(opening): connection refused"),
                (IOError(errnoCode: EHOSTUNREACH, reason: "connect"), "\(opening): no route to it"),
                (IOError(errnoCode: EMFILE, reason: "socket"), "\(opening): too many files and connections are open"),
                (HTTPClientError.connectTimeout, "\(opening): it did not answer in time"),
                (ChannelError.connectTimeout(.seconds(3)), "\(opening): it did not answer in time"),
                (
                    HTTPClientError.getConnectionFromPoolTimeout,
                    "\(opening): none was free, and none could be opened in time"
                ),
                (SocketAddressError.unsupported, "\(opening): its kind of address is not supported here"),
                (HTTPClientError.tlsHandshakeTimeout, "\(handshake): it did not answer in time"),
                (NIOSSLExtraError.failedToValidateHostname, "\(handshake): its certificate is for another name"),
                (
                    NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])),
                    "\(handshake): it closed the connection during the handshake"
                ),
                (
                    NIOSSLError.unableToValidateCertificate,
                    "\(handshake); is the server's certificate trusted, and made for this name?"
                ),
                (
                    IOError(errnoCode: ECONNRESET, reason: "read"),
                    "the connection to sp.example:443 broke before the answer was complete"
                ),
                (
                    HTTPParserError.invalidVersion,
                    "the answer from sp.example:443 is not HTTP, or cannot be decompressed"
                ),
                (HTTPParserError.headerOverflow, "the answer from sp.example:443 is too long"),
                (HTTPClientError.readTimeout, "no whole answer from sp.example:443 came in time"),
                (
                    HTTPClientError.invalidURL,
                    "the request's address, method or a header field is not valid, or too long"
                ),
                (
                    TransportFailure(.cancelled, mayHaveBeenSent: true),
                    "the task was cancelled"
                ),
            ] as [(any Error, String)] {
                #expect(try told(error) == words)
            }
            #expect(
                try told(HTTPClientError.connectTimeout, isLate: true)
                    == "no whole answer from sp.example:443 came in time")
        }

        @Test func `Say whether it is the proxy that is not reached`() throws {
            let proxy = try HTTPProxy(parsing: "http://user:5ec2e7@proxy.example:3128")
            let both = "sp.example:443 through the proxy proxy.example:3128"
            for (error, words) in [
                (
                    IOError(errnoCode: ECONNREFUSED, reason: "connect"),
                    "no connection to the proxy proxy.example:3128 could be opened: connection refused"
                ),
                (
                    HTTPClientError.connectTimeout,
                    "no connection to the proxy proxy.example:3128 could be opened: it did not answer in time"
                ),
                (
                    HTTPClientError.httpProxyHandshakeTimeout,
                    "no connection to \(both) could be opened: the proxy did not answer in time"
                ),
                (
                    NIOSSLExtraError.failedToValidateHostname,
                    "the TLS connection to \(both) failed: its certificate is for another name"
                ),
                (
                    HTTPClientError.remoteConnectionClosed,
                    "the connection to \(both) broke before the answer was complete"
                ),
            ] as [(any Error, String)] {
                #expect(try told(error, through: proxy) == words)
            }
        }

        @Test(arguments: TransportFailure.Reason.allCases)
        func `Have stable names and a sentence`(reason: TransportFailure.Reason) {
            let names = [
                "invalid_request", "no_connection", "tls", "timeout", "connection_broken", "malformed", "too_long",
                "cancelled", "shut_down",
            ]
            #expect(names.contains(reason.rawValue) && names.count == TransportFailure.Reason.allCases.count)
            #expect("\(TransportFailure(reason, mayHaveBeenSent: true))".hasSuffix("(the request may have been sent)"))
            #expect("\(TransportFailure(reason, mayHaveBeenSent: false))".hasSuffix("(the request was not sent)"))
        }
    }
}
#endif
