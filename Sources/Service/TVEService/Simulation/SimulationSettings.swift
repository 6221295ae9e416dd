#if Service
import TextCodecs

/// Where a simulated broker listens.
public struct SimulationSettings: Sendable, Hashable {
    /// The host name or address to listen at.
    public var host: String
    /// The port; 0 for a free one.
    public var port: Int
    /// A PEM file with the server's certificate, those of its issuers, and its private key; `nil` for HTTP.
    public var certificate: String?
    /// Whether other machines may reach the listener.
    public var listensAnywhere: Bool
    /// A line for the overview about where keys and state are kept.
    public var keeping = ""

    /// Makes the settings of a listener.
    ///
    /// - Parameters:
    ///   - host: The host name or address to listen at.
    ///   - port: The port; 0 for a free one.
    ///   - certificate: A PEM file for TLS.
    ///   - listensAnywhere: Whether other machines may reach the listener.
    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        certificate: String? = nil,
        listensAnywhere: Bool = false
    ) {
        (self.host, self.port, self.certificate, self.listensAnywhere) = (host, port, certificate, listensAnywhere)
    }

    /// Whether the host is this machine's loopback interface.
    public var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    /// The address for browsers at this machine.
    func origin(port: Int) -> String {
        let name: String =
            switch host {
            case "0.0.0.0", "::": "localhost"
            case _ where host.contains(":"): "[\(host)]"
            default: host
            }
        return "\(certificate == nil ? "http" : "https")://\(name):\(port)"
    }
}

/// Says why a simulated broker could not be served.
@nonexhaustive
public enum SimulationServiceError: Error, Sendable, Hashable {
    /// The host is not this machine, and nothing says that others may come.
    case notLoopback(host: String)
    /// Certificate or key cannot be used. Carries the reason, never key bytes.
    case certificate(file: String, reason: String)

    /// The case as a word for programs.
    public var code: String {
        switch self {
        case .notLoopback: "not_loopback"
        case .certificate: "certificate"
        }
    }
}

extension SimulationServiceError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .notLoopback(let host):
            "\(host.printable) is not the loopback interface; say that other machines may come (--listen-anywhere)"
        case .certificate(let file, let reason):
            "\(file.printable) is not a certificate with its private key, both in PEM: \(reason)"
        }
    }
}
#endif
