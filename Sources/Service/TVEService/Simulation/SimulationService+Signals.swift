#if Service
public import Logging
import ServiceLifecycle
import UnixSignals

extension SimulationService {
    /// Serves until SIGTERM or SIGINT asks for a graceful shutdown.
    ///
    /// This is for programs that run nothing else; other programs run the service in their own `ServiceGroup`.
    ///
    /// - Parameter logger: Gets what the service group reports.
    /// - Throws: The error of a listener that could not be opened.
    public func runUntilSignalled(logger: Logger) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
#endif
