#if Service
import EntitlementValues
import PlaybackSessions
import SealedRecords
import StoreAddresses
import TokenRedemption

/// The stores that a service has opened, which a reload keeps.
struct OpenedStores: Sendable {
    /// Where used tokens are remembered; `nil` if a token may be used any number of times.
    private(set) var redemptions: (any ProbedReplayStore)?
    /// Where revocations and streams of playback sessions are kept; `nil` if sessions cannot be revoked.
    private(set) var records: (any RecordStore)?
    /// The revocations and streams; `nil` if sessions cannot be revoked.
    private(set) var registry: SessionRegistry?
    /// The store of devices, and the way to the broker; `nil` if the service is not a gateway for apps.
    private(set) var gateway: OpenedGateway?

    /// Opens the stores that the settings name.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - time: The time that the stores go by.
    ///   - resources: What the gateway uses instead of the network and the store; `nil` for nothing.
    ///   - watches: Notice when the stores of records fail; `nil` if nobody does.
    ///   - faults: Takes what is wrong with the stores.
    ///   - onWarning: Takes what the stores warn of, with its stable code.
    init(
        _ settings: ServiceSettings,
        time: TimeSource,
        resources: GatewayResources? = nil,
        watches: StoreWatches? = nil,
        faults: inout [SettingsFault],
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) {
        do throws(ReplayStoreOpeningError) {
            redemptions = try settings.store.open(onWarning: onWarning)
        } catch {
            faults.append(settings.store.fault(error))
        }
        gateway = settings.gateway.flatMap {
            OpenedGateway(
                $0, store: settings.store, resources: resources, watch: watches?.devices, time: time, faults: &faults,
                onWarning: onWarning)
        }
        guard let sessions = settings.sessions, let address = sessions.records else { return }
        do throws(ReplayStoreOpeningError) {
            let opened = try settings.store.openRecords(at: address, time: time, onWarning: onWarning)
                .watched(by: watches?.sessions)
            records = opened
            do throws(PlaybackSessionError) {
                registry = try SessionRegistry(in: opened, streamLimit: sessions.streamLimit, time: time)
            } catch {
                faults.append(SettingsFault(.badValue, of: "sessions.streams", detail: error.description))
            }
        } catch {
            faults.append(
                SettingsFault(setting: "sessions.store", code: error.code, detail: error.description))
        }
    }

    /// What keeps settings that were read again from having sessions: stores are opened at the start only, and without theirs
    /// a token would pass twice, or a revoked session.
    ///
    /// - Parameter settings: The new settings.
    /// - Returns: The fault; `nil` if the stores are there, or there are no sessions.
    func fault(ofSessionsIn settings: ServiceSettings) -> SettingsFault? {
        guard let sessions = settings.sessions else { return nil }
        let detail = "takes effect after a restart: until then there is no store open for it"
        if redemptions == nil { return SettingsFault(.needsRestart, of: "sessions.keyFiles", detail: detail) }
        if sessions.records != nil, registry == nil {
            return SettingsFault(.needsRestart, of: "sessions.store", detail: detail)
        }
        return nil
    }
}
#endif
