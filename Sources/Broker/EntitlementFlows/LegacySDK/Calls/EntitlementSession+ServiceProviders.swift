#if Client
import BrokerClient
public import EntitlementValues

extension EntitlementSession {
    /// Says for which brand the device asks, with the addresses of service providers as the operator's library took them.
    ///
    /// Of each address the host counts. Its scheme may be missing, and the path `/adobe-services` of the older protocol is
    /// left out. Plain HTTP to one of the operator's hosts is raised to `https`, with a warning in the log.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - urls: The addresses, by rank; none for that of the application's broker.
    /// - Returns: As `setRequestor(_:at:)`.
    /// - Throws: `.unsupported(.malformedServiceProvider)`, at once and without an event, if an address is not one of a
    ///   server, has another path, or is plain HTTP to another host; else as `setRequestor(_:at:)`.
    @discardableResult
    public func setRequestor(
        _ id: RequestorID,
        serviceProviders urls: [String]
    ) async throws(EntitlementFlowError) -> PartnerQuestion? {
        var origins: [BrokerOrigin] = []
        for url in urls {
            do throws(BrokerSettingsError) {
                origins.append(try application.broker.origin(ofServiceProvider: url))
            } catch {
                throw .unsupported(.malformedServiceProvider)
            }
        }
        return try await setRequestor(id, at: origins)
    }
}
#endif
