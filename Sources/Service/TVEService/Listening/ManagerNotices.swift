#if Service
package import EntitlementValues
package import HostSystem
package import Logging
package import NIOCore
import ServiceLifecycle
import Synchronization

/// Tells the service manager, such as systemd, how the service is; says nothing if no manager waits for it.
package final class ManagerNotices: Sendable {
    private let manager: ServiceManager?
    private let loops: any EventLoopGroup
    private let logger: Logger
    private let time: TimeSource
    /// A reload is told only of a service that was said to be ready: its end would otherwise say so too early.
    private let isReady = Atomic(false)

    /// Tells the manager that started this process, if one did.
    ///
    /// The loops are those that serve all connections. The logger gets the reason if the manager cannot be reached.
    /// Between two signs of life it waits by `time`.
    package init(
        to manager: ServiceManager?,
        watching loops: any EventLoopGroup,
        logger: Logger,
        time: TimeSource = .system
    ) {
        self.manager = manager
        self.loops = loops
        self.logger = logger
        self.time = time
    }

    /// Says that the listeners are open, and from then on that the service is not stuck, until the task is cancelled.
    package func serving() async {
        guard let manager else { return }
        isReady.store(true, ordering: .relaxed)
        tell(.ready)
        guard let limit = manager.watchdogLimit else { return }
        repeat {
            // An event loop that is stuck does not come back here, so the manager hears nothing and replaces the process.
            for loop in loops.makeIterator() { try? await loop.submit {}.get() }
            tell(.alive)
        } while (try? await time.sleep(untilUptime: time.uptime + limit / 3)) != nil
    }

    /// Says that a reload begins, and after it that the service is ready.
    func reload(_ reload: () async -> Void) async {
        guard isReady.load(ordering: .relaxed) else { return await reload() }
        tell(.reloading)
        await reload()
        tell(.ready)
    }

    /// Says that the service stops.
    func stopping() { tell(.stopping) }

    private func tell(_ word: ServiceManager.Word) {
        do throws(FileFailure) {
            try manager?.tell(word)
        } catch {
            logger.warning("the service manager could not be told", metadata: ["reason": "\(error.reason)"])
        }
    }
}
#endif
