#if Service
import EntitlementKeys
import EntitlementValues
import HostSystem
import Logging
import SealedRecords
import Synchronization

extension ServiceState {
    /// Reads the configuration and all files again; if anything is wrong with them, the old configuration stays in use,
    /// but for what was taken away.
    ///
    /// Reloads run one after the other, so that a slow one cannot replace the result of a later one. No file is waited for:
    /// a pipe in the place of one is a fault, and delays nothing that takes keys away.
    func reload() async {
        let reload = lastReload.withLock { last in
            let earlier = last
            let reload = Task {
                await earlier?.value
                await Files.withoutPipes { await self.readAgain() }
            }
            last = reload
            return reload
        }
        await reload.value
    }

    private func readAgain() async {
        let now = time.now
        let old = configuration
        let content = source?.content()
        let admission = if let source, let content { source.admission(in: content) } else { Admission() }
        // Before the files are read, so that one that comes meanwhile is noticed.
        let stamps = admission.stamps
        do throws(ServiceSettingsError) {
            var settings = old.settings
            if let source, let content { settings = try source.settings(in: content) }
            let new = try ActiveConfiguration(settings, file: source?.file, replacing: old)
            if let fault = stores.fault(ofSessionsIn: settings) { throw ServiceSettingsError([fault]) }
            if old.settings.needsRestart(for: settings) {
                logger.warning(
                    "reloaded in part: listeners, store, limits, times and log level change only after a restart")
            }
            try ServiceSettingsError.reading("broker.keyFile") { () throws(SealingError) in try use(new) }
            refusedSince.withLock { $0 = nil }
            let faults = await renewStoreSecrets(new)
            metrics.countReload(isGood: faults.isEmpty)
            history.setLastReload(at: now, faults: faults.map(\.description))
            logger.notice("reloaded", metadata: ["keys": "\(new.keys.keys.count)"])
        } catch {
            metrics.countReload(isGood: false)
            let uptime = time.uptime
            refusedSince.withLock { $0 = $0 ?? uptime }
            withdrawKeys(of: old, for: admission, asOf: stamps)
            history.setLastReload(at: now, faults: error.faults.map(\.description))
            let rest = configuration
            for fault in error.faults { log(fault, "not reloaded; \(rest.remainder)", with: rest.keyMetadata) }
        }
    }

    /// Ends the use of keys that were taken away or revoked, although the new configuration is refused.
    private func withdrawKeys(of old: ActiveConfiguration, for admission: Admission, asOf stamps: [FileStamp]) {
        var withdrawal = old.withdrawing(for: admission)
        // A file that the refused settings lacked may be there now. Then all named files can be read, and the keys of files
        // that are no longer named would end. The next check decides that, with settings and files of one moment.
        if admission.stamps != stamps { withdrawal = old.withdrawing(for: admission.withoutFiles) }
        guard let (rest, dropped) = withdrawal else { return }
        do throws(SealingError) {
            try use(rest)
        } catch {
            // The gateway keeps its keys, but nothing else does.
            useWithoutGateway(rest)
            logger.error("the gateway goes on with its old keys", metadata: ["code": "\(error.code)"])
        }
        logger.log(
            level: rest.usesWithoutKey.isEmpty ? .warning : .error,
            "keys that were taken away or revoked are trusted no longer",
            metadata: rest.keyMetadata.merging(["dropped": "\(dropped)"]) { $1 })
    }

    /// Whether the last reload was refused, so that keys and rules of before are in use.
    var isRefused: Bool { refusedSince.withLock { $0 != nil } }

    /// Reads the secrets of the stores again if their files are others than those in use.
    ///
    /// Returns what is wrong with them; the former ones stay in use then.
    private func renewStoreSecrets(_ new: ActiveConfiguration) async -> [SettingsFault] {
        guard stores.settings.storeIsServer, storeStampsInUse.withLock({ $0 != new.storeStamps }) else { return [] }
        let faults = await stores.renewSecrets(as: new.settings)
        for fault in faults { log(fault, "the former password and certificates of the store stay in use") }
        guard faults.isEmpty else { return faults }
        storeStampsInUse.withLock { $0 = new.storeStamps }
        logger.notice("the store accepts its new password and certificates")
        return []
    }

    private func log(_ fault: SettingsFault, _ message: Logger.Message, with metadata: Logger.Metadata = [:]) {
        let members: Logger.Metadata = [
            "setting": "\(fault.setting)", "code": "\(fault.code)", "detail": "\(fault.detail)",
        ]
        logger.error(message, metadata: members.merging(metadata) { $1 })
    }
}
#endif
