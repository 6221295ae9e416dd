#if Service
import EntitlementKeys
import EntitlementValues
import Logging
import StoreAddresses
import Synchronization

extension ServiceState {
    /// Reads the configuration and all files again; if anything is wrong with them, the old configuration stays in use.
    ///
    /// Reloads run one after the other, so that a slow one cannot replace the result of a later one.
    func reload() async {
        let reload = lastReload.withLock { last in
            let earlier = last
            let reload = Task {
                await earlier?.value
                await self.readAgain()
            }
            last = reload
            return reload
        }
        await reload.value
    }

    private func readAgain() async {
        let now = time.now
        do throws(ServiceSettingsError) {
            let old = configuration
            let settings = try await source?.read() ?? old.settings
            let new = try ActiveConfiguration(settings, file: source?.file, replacing: old)
            if old.settings.needsRestart(for: settings) {
                logger.warning(
                    "reloaded in part: listeners, store, limits, times and log level change only after a restart")
            }
            current.withLock { $0 = new }
            let fault = await renewStoreSecrets(new, replacing: old)
            metrics.countReload(isGood: fault == nil)
            history.setLastReload(at: now, faults: fault.map { [$0.description] } ?? [])
            logger.notice("reloaded", metadata: ["keys": "\(new.keys.keys.count)"])
        } catch {
            metrics.countReload(isGood: false)
            history.setLastReload(at: now, faults: error.faults.map(\.description))
            for fault in error.faults { log(fault, "not reloaded; the old keys and rules stay in use") }
        }
    }

    /// Reads the secrets of the store again if their files have changed, or if that failed the last time.
    ///
    /// - Returns: What is wrong with them; the former ones stay in use then.
    private func renewStoreSecrets(
        _ new: ActiveConfiguration,
        replacing old: ActiveConfiguration
    ) async -> SettingsFault? {
        guard let store = probed, new.settings.store == old.settings.store,
            new.hasOtherStoreSecrets(than: old) || storeSecretsFailed.load(ordering: .relaxed)
        else { return nil }
        do throws(ReplayStoreOpeningError) {
            try await new.settings.store.renewSecrets(of: store)
            storeSecretsFailed.store(false, ordering: .relaxed)
            logger.notice("the store accepts its new password and certificates")
            return nil
        } catch {
            storeSecretsFailed.store(true, ordering: .relaxed)
            let fault = new.settings.store.fault(error)
            log(fault, "the former password and certificates of the store stay in use")
            return fault
        }
    }

    private func log(_ fault: SettingsFault, _ message: Logger.Message) {
        logger.error(
            message,
            metadata: ["setting": "\(fault.setting)", "code": "\(fault.code)", "detail": "\(fault.detail)"])
    }
}
#endif
