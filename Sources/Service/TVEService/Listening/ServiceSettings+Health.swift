#if Service
import BrokerClient
import HTTPTypes

extension ServiceSettings {
    /// Asks the service that runs on this machine with these settings whether it is alive: `/healthz` of its internal
    /// listener.
    ///
    /// - Parameter limit: How long the answer may take.
    /// - Returns: What is wrong; `nil` if the service is alive.
    public func healthFault(within limit: Duration = .seconds(3)) async -> String? {
        let host =
            switch internalAddress.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            case let host where host.contains(":"): "[\(host)]"
            case let host: host
            }
        let authority = "\(host):\(internalAddress.port)"
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/healthz")
        do throws(TransportFailure) {
            let status = try await AsyncHTTPTransport.shared.send(request, body: [], within: limit).head.status.code
            return status == 200 ? nil : "http://\(authority)/healthz answers with status \(status)"
        } catch {
            return "http://\(authority)/healthz does not answer: \(error)"
        }
    }
}
#endif
