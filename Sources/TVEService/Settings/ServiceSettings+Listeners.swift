#if Service
import HostSystem

extension ServiceSettings {
    /// The address that a listener binds to.
    struct Address: Sendable, Hashable {
        let host: String
        let port: Int

        init(listener name: String, defaultPort: Int, from reader: inout SettingsReader) {
            host = reader.text("\(name).host") ?? "127.0.0.1"
            port = reader.number("\(name).port", in: 0...65535, default: defaultPort)
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
        let requestSeconds: Int
        let idleSeconds: Int

        init(from reader: inout SettingsReader) {
            headerBytes = reader.number("limits.headerBytes", in: 4096...1 << 20, default: 1 << 17)
            bodyBytes = reader.number("limits.bodyBytes", in: 1024...1 << 26, default: 1 << 20)
            decisionsBytes = reader.number("limits.decisionsBytes", in: 1024...1 << 23, default: 1 << 17)
            connections = reader.number("limits.connections", in: 1...1_000_000, default: 4096)
            // A batch keeps one core busy; on a machine with several cores, one is left for single requests.
            batches = reader.number("limits.batches", in: 1...1024, default: max(1, coreCount - 1))
            requestSeconds = reader.number("limits.requestSeconds", in: 1...3600, default: 10)
            idleSeconds = reader.number("limits.idleSeconds", in: 1...3600, default: 75)
        }
    }
}
#endif
