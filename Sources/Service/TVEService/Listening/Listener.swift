#if Service
import Hummingbird
import NIOCore
import ServiceLifecycle

/// One listener, whose failure to open says which one it is and where: the system's own words name no address.
struct Listener<Responder: HTTPResponder>: Service
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let application: Application<Responder>
    /// The group of settings that name the address.
    let name: String
    let binding: ServiceSettings.Binding

    func run() async throws {
        do {
            try await application.run()
        } catch let error as IOError {
            throw ListenerError(name: name, address: "\(binding)", reason: error.words)
        } catch is SocketAddressError.UnknownHost {
            throw ListenerError(name: name, address: "\(binding)", reason: "the host is unknown")
        }
    }
}

/// Says which listener could not be opened, where, and why.
public struct ListenerError: Error, Sendable, CustomStringConvertible {
    /// The group of settings that name the address: `public`, `internal` or `decryption`.
    public let name: String
    /// The address, such as `127.0.0.1:8080` or `unix:/run/tve/decrypt.sock`.
    public let address: String
    /// The reason, in the system's words.
    public let reason: String

    /// What happened, at which address.
    public var description: String { "the \(name) listener could not be opened at \(address): \(reason)" }
}

extension ServiceSettings.Binding {
    /// The address as the HTTP library takes it.
    var address: BindAddress {
        switch self {
        case .address(let address): .hostname(address.host, port: address.port)
        case .socket(let path): .unixDomainSocket(path: path)
        }
    }
}

extension IOError {
    fileprivate var words: String {
        // The description is "bind(descriptor:ptr:bytes:): Address already in use) (errno: 98)".
        let words = description.split(separator: ": ", maxSplits: 1).last ?? ""
        let reason = words.prefix { !"()".contains($0) }
        return "\(reason.last == " " ? reason.dropLast() : reason) (errno: \(errnoCode))"
    }
}

#endif
