#if Service
import HostSystem
public import Logging
import NIOPosix
import ServiceLifecycle
import UnixSignals

extension VerificationService {
    /// Serves until SIGTERM or SIGINT asks for a graceful shutdown, and reloads on SIGHUP.
    ///
    /// This is for programs that run nothing else; other programs run the service in their own `ServiceGroup`. If systemd
    /// or another service manager has set `NOTIFY_SOCKET` and `WATCHDOG_USEC`, it is told when the service is ready, reloads
    /// and stops, and that it is not stuck.
    ///
    /// - Parameter logger: Gets what the service group reports.
    /// - Throws: The error of a listener that could not be opened.
    public func runUntilSignalled(logger: Logger) async throws {
        let notices = ManagerNotices(
            to: ServiceManager(), watching: MultiThreadedEventLoopGroup.singleton, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: ReloadOnSignal(service: self, notices: notices), successTerminationBehavior: .ignore),
                    .init(service: self, successTerminationBehavior: .gracefullyShutdownGroup),
                    // The last is the first to be stopped.
                    .init(service: NoticeOfStop(notices: notices), successTerminationBehavior: .ignore),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            // Beside the service group, so that the manager hears of the service until its end.
            tasks.addTask { if await self.addresses != nil { await notices.serving() } }
            defer { tasks.cancelAll() }
            try await group.run()
        }
    }
}

private struct ReloadOnSignal: Service {
    let service: VerificationService
    let notices: ManagerNotices

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            await notices.reload { await service.reload() }
        }
    }
}

private struct NoticeOfStop: Service {
    let notices: ManagerNotices

    func run() async throws {
        try? await gracefulShutdown()
        notices.stopping()
    }
}
#endif
