#if Service
import BrokerSimulation
import EntitlementValues
import Logging
import Synchronization

/// Writes what a simulator remembers to its folder, shortly after it has changed.
final class SnapshotWriter: Sendable {
    /// How much can be lost when the process is killed.
    private static let interval = Duration.milliseconds(250)

    private let simulator: BrokerSimulator
    private let folder: SimulatorFolder
    private let logger: Logger
    private let time: TimeSource
    /// What was written last.
    private let last = Mutex<[UInt8]>([])

    init(_ simulator: BrokerSimulator, in folder: SimulatorFolder, logger: Logger, time: TimeSource) {
        (self.simulator, self.folder, self.logger, self.time) = (simulator, folder, logger, time)
    }

    /// Writes the state, if it is not what was written last.
    func write() {
        let snapshot = simulator.snapshot
        last.withLock { last in
            guard snapshot != last else { return }
            do throws(SimulationError) {
                try folder.keep(snapshot)
                last = snapshot
            } catch {
                logger.error("\(error)", metadata: ["code": "\(error.code)"])
            }
        }
    }

    /// Writes the state again and again, until the task is cancelled.
    func writeUntilCancelled() async {
        while (try? await time.sleep(untilUptime: time.uptime + Self.interval)) != nil { write() }
    }
}
#endif
