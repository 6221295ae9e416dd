#if Client
import AsyncHTTPClient
import CLibrary
import NIOCore
import NIOPosix
import NIOSSL

// Which server a failure is about, and why it cannot be connected to. All words are of this file: those of the libraries below
// may hold anything.
extension TransportFailure {
    /// Whether the failure is one to open a connection.
    var isOfOpening: Bool { reason == .connecting || reason == .tls }

    /// The server, and the proxy on the way to it; `nil` if the failure is of this side.
    ///
    /// It is the proxy alone if that could not be connected to. The error is what the library below said.
    func place(of origin: BrokerOrigin, through proxy: HTTPProxy?, after error: any Error) -> String? {
        switch reason {
        case .request, .cancelled, .shutDown: return nil
        default: break
        }
        let server = "\(origin.host):\(origin.port)"
        guard let proxy else { return server }
        let name = "the proxy \(proxy.host):\(proxy.port)"
        // The client says more than this once it speaks with the proxy.
        let isConnected = (error as? HTTPClientError).map { $0 != .connectTimeout } ?? false
        return reason == .connecting && !isConnected ? name : "\(server) through \(name)"
    }

    /// Why no connection could be opened; `nil` if that is not known.
    static func detail(of error: any Error) -> String? {
        switch error {
        case let error as HTTPClientError: clientDetail(error)
        case let error as NIOConnectionError: connectionDetail(error)
        case let error as IOError: systemDetail(error)
        case let error as SocketAddressError.UnknownHost:
            error.errorCode == Int(EAI_AGAIN) ? "no name server has answered" : "its name is not known"
        case is SocketAddressError: "its kind of address is not supported here"
        case ChannelError.connectTimeout: "it did not answer in time"
        case NIOSSLError.handshakeFailed(.sslError(let stack)), BoringSSLError.sslError(let stack):
            handshakeDetail(stack)
        case let error as NIOSSLExtraError:
            error == .failedToValidateHostname ? "its certificate is for another name" : nil
        default: nil
        }
    }

    private static func clientDetail(_ error: HTTPClientError) -> String? {
        switch error {
        case .connectTimeout: "it did not answer in time"
        case .getConnectionFromPoolTimeout: "none was free, and none could be opened in time"
        case .tlsHandshakeTimeout: "it did not answer in time"
        case .proxyAuthenticationRequired: "the proxy asks for a user and a password, or for others (status 407)"
        case .invalidProxyResponse: "the proxy refuses to connect to it"
        case .httpProxyHandshakeTimeout: "the proxy did not answer in time"
        default: nil
        }
    }

    /// The reasons of all addresses that the name has, each once.
    private static func connectionDetail(_ error: NIOConnectionError) -> String? {
        var reasons: [String] = []
        let failures = error.connectionErrors.map(\.error)
        for failure in failures.isEmpty ? [error.dnsAError, error.dnsAAAAError].compactMap(\.self) : failures {
            if let reason = detail(of: failure), !reasons.contains(reason) { reasons.append(reason) }
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: ", ")
    }

    private static func systemDetail(_ error: IOError) -> String? {
        switch error.errnoCode {
        case ECONNREFUSED: "connection refused"
        case EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN: "no route to it"
        case ETIMEDOUT: "it did not answer in time"
        case EADDRNOTAVAIL: "this machine has no free address or port for it"
        case EAFNOSUPPORT: "its kind of address is not supported here"
        case EMFILE, ENFILE: "too many files and connections are open"
        case EACCES, EPERM: "this machine does not permit it"
        default: "the system's error is \(error.errnoCode)"
        }
    }

    /// BoringSSL's names of what can go wrong with a server, and what they mean.
    private static let handshakeFailures = [
        ("CERTIFICATE_VERIFY_FAILED", "its certificate has ended, has not begun, or is not of a trusted authority"),
        ("WRONG_VERSION_NUMBER", "what it speaks is not TLS"),
        ("PROTOCOL_VERSION", "it speaks no version of TLS from 1.2 on"),
        ("UNSUPPORTED_PROTOCOL", "it speaks no version of TLS from 1.2 on"),
    ]

    private static func handshakeDetail(_ stack: NIOBoringSSLErrorStack) -> String? {
        if stack.contains(.eofDuringHandshake) { return "it closed the connection during the handshake" }
        let text = stack.map(\.description).joined(separator: "\n")
        return handshakeFailures.first { text.contains($0.0) }?.1
    }
}
#endif
