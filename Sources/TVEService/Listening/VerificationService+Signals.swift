#if Service
public import Logging
import ServiceLifecycle
import UnixSignals

extension VerificationService {
    /// Serves until SIGTERM or SIGINT asks for a graceful shutdown; SIGHUP reloads.
    ///
    /// For programs that are this service and nothing else; others run it in a `ServiceGroup` of their own.
    ///
    /// - Throws: What keeps a listener from opening.
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
