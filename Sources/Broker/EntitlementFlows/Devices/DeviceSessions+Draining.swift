#if Client
import DeviceRecords
import EntitlementValues
import Synchronization

extension DeviceSessions {
    /// Ends all sessions when the server shuts down.
    ///
    /// From now on no use begins. Sign-ins that are waited for are given up here, so that another process asks the broker
    /// for them at once; their waits end as `.shutDown`. Then this waits for the calls that use sessions. The devices
    /// notice nothing: another process goes on with what their records hold.
    ///
    /// - Parameter limit: How long to wait for the calls.
    /// - Returns: Whether all have ended.
    @discardableResult
    public func drain(within limit: Duration) async -> Bool {
        let (sessions, uses) = table.withLock { table in
            table.isDraining = true
            return (table.entries.values.map(\.session), table.wait())
        }
        await stopWaiting(in: sessions)
        let time = application.time
        let deadline = time.uptime + limit
        let timer = Task.detached {
            try? await time.sleep(untilUptime: deadline)
            uses.end(with: .failure(.cancelled))
        }
        let hasEnded = (try? await uses.value()) != nil
        timer.cancel()
        // Calls that were under way may have begun new sign-ins.
        await stopWaiting(in: sessions)
        let keeper = table.withLock { table in
            defer { (table.entries, table.keeper) = ([:], nil) }
            return table.keeper
        }
        keeper?.cancel()
        return hasEnded
    }

    private func stopWaiting(in sessions: [EntitlementSession]) async {
        await withTaskGroup { group in
            for session in sessions { group.addTask { await session.stopWaiting() } }
        }
    }
}
#endif
