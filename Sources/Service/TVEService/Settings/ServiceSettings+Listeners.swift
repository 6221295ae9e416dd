#if Service
import HostSystem
import TextCodecs

extension ServiceSettings {
    /// The address that a listener binds to.
    struct Address: Sendable, Hashable {
        let host: String
        let port: Int

        /// Whether only programs on this host can connect.
        var isLoopback: Bool { Self.isLoopback(host) }

        /// Whether a name or an address means the host itself.
        static func isLoopback(_ host: some StringProtocol) -> Bool {
            host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
        }

        /// Whether a text is an IP address, perhaps with a zone, or has only what names of hosts have.
        private static func canBeHost(_ text: String) -> Bool {
            IPAddress(text.prefix { $0 != "%" }) != nil
                || text.utf8.allSatisfy {
                    $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0)
                }
        }

        init(listener name: String, defaultPort: Int, from reader: inout SettingsReader) {
            let text = reader.text("\(name).host")
            host = text.flatMap { Self.canBeHost($0) ? $0 : nil } ?? "127.0.0.1"
            if let text, text != host {
                reader.report(
                    .badValue, of: "\(name).host",
                    detail: "is neither an address nor the name of a host: it has no port, which is \(name).port, no "
                        + "brackets and no scheme")
            }
            port = reader.number("\(name).port", in: 0...65535, default: defaultPort)
        }
    }

    /// What a listener is bound to.
    enum Binding: Sendable, Hashable, CustomStringConvertible {
        case address(Address)
        /// A Unix socket, whose file and folder say who may connect.
        case socket(path: String)

        /// As in `127.0.0.1:8080` or `unix:/run/tve/decrypt.sock`.
        var description: String {
            switch self {
            case .address(let address):
                "\(address.host.contains(":") ? "[\(address.host)]" : address.host):\(address.port)"
            case .socket(let path): "unix:\(path)"
            }
        }
    }

    /// The limits on requests and connections.
    struct Limits: Sendable, Hashable {
        let headerBytes: Int
        let bodyBytes: Int
        /// The largest body of a decisions response, most of which are much smaller than other bodies may be.
        let decisionsBytes: Int
        let connections: Int
        let batches: Int
        /// How many of the batches one address may send at the same time.
        let batchesPerAddress: Int
        let batchSeconds: Int
        let batchBytesPerSecond: Int
        let requestSeconds: Int
        let idleSeconds: Int

        init(from reader: inout SettingsReader) {
            headerBytes = reader.number("limits.headerBytes", in: 4096...1 << 20, default: 1 << 17)
            bodyBytes = reader.number("limits.bodyBytes", in: 1024...1 << 26, default: 1 << 20)
            decisionsBytes = reader.number("limits.decisionsBytes", in: 1024...1 << 23, default: 1 << 17)
            connections = reader.number("limits.connections", in: 1...1_000_000, default: 4096)
            // A batch keeps one core busy, but lets single requests be answered in between.
            batches = reader.number("limits.batches", in: 1...1024, default: max(2, coreCount - 1))
            // Never all of them, so that one slow client leaves a place to others.
            batchesPerAddress = reader.number(
                "limits.batchesPerAddress", in: 1...1024, default: max(1, batches - 1))
            batchSeconds = reader.number("limits.batchSeconds", in: 1...86_400, default: 3600)
            batchBytesPerSecond = reader.number("limits.batchBytesPerSecond", in: 0...1 << 26, default: 1024)
            requestSeconds = reader.number("limits.requestSeconds", in: 1...3600, default: 10)
            idleSeconds = reader.number("limits.idleSeconds", in: 1...3600, default: 75)
        }
    }
}
#endif
