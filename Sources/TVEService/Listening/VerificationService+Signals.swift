#if Service
public import Logging
import ServiceLifecycle
import UnixSignals

extension VerificationService {
    /// Serves until SIGTERM or SIGINT asks for a graceful shutdown, and reloads on SIGHUP.
    ///
    /// This is for programs that run nothing else; other programs run the service in their own `ServiceGroup`.
    ///
    /// - Parameter logger: Gets what the service group reports.
    /// - Throws: The error of a listener that could not be opened.
    public func runUntilSignalled(logger: Logger) async throws {
        let reloads = ReloadOnSignal(service: self)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: reloads, successTerminationBehavior: .ignore),
                    .init(service: self, successTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}

private struct ReloadOnSignal: Service {
    let service: VerificationService

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            await service.reload()
        }
    }
}
#endif
