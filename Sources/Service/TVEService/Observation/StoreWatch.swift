#if Service
package import EntitlementValues
package import Logging
import SealedRecords
import Synchronization
package import TokenRedemption

/// Notices when a store begins to fail, and when it answers again, and logs each of the two once.
///
/// Everything that uses the store or asks for it reports here. Under load a store that is only slow fails now and then:
/// it counts as failing until it has answered for some seconds without a failure.
package final class StoreWatch: Sendable {
    /// The stores, as the label `store` of the metrics names them.
    package enum Store: String {
        /// Of used tokens, `store.address`.
        case redemptions
        /// Of revocations and streams, `sessions.store`.
        case sessions
        /// Of the devices of apps, `broker.store`.
        case devices

        fileprivate var setting: String {
            switch self {
            case .redemptions: "store.address"
            case .sessions: "sessions.store"
            case .devices: "broker.store"
            }
        }
    }

    private struct Outage {
        /// When the first failure was noticed, as uptime.
        let start: Duration
        var lastFailure: Duration
        var failures = 1
    }

    let store: Store
    private let logger: Logger
    private let time: TimeSource
    /// Whether there is an outage; read on the way of every redemption, without the lock.
    private let fails = Atomic(false)
    private let outage = Mutex<Outage?>(nil)

    /// How long a store must answer without a failure until an outage is over.
    static let settling = Duration.seconds(2)

    package init(_ store: Store, logger: Logger, time: TimeSource) {
        (self.store, self.logger, self.time) = (store, logger, time)
    }

    package var isFailing: Bool { fails.load(ordering: .relaxed) }

    /// Notes that the store gave an answer.
    package func noteAnswer() {
        guard isFailing else { return }
        let now = time.uptime
        let over = outage.withLock { outage -> Outage? in
            guard let found = outage, now - found.lastFailure >= Self.settling else { return nil }
            outage = nil
            fails.store(false, ordering: .relaxed)
            return found
        }
        guard let over else { return }
        logger.notice(
            "a store answers again",
            metadata: metadata.merging([
                "seconds": "\((now - over.start).components.seconds)", "failures": "\(over.failures)",
            ]) { $1 })
    }

    /// Notes that the store gave no answer.
    ///
    /// The code is the stable name of the failure. The cause says what happened, for people; it holds no password.
    func noteFailure(_ code: String, because cause: String) {
        let now = time.uptime
        let isFirst = outage.withLock { outage in
            defer { fails.store(true, ordering: .relaxed) }
            guard outage == nil else {
                outage?.lastFailure = now
                outage?.failures += 1
                return false
            }
            outage = Outage(start: now, lastFailure: now)
            return true
        }
        guard isFirst else { return }
        logger.error(
            "a store fails", metadata: metadata.merging(["code": "\(code)", "cause": "\(cause)"]) { $1 })
    }

    private var metadata: Logger.Metadata { ["store": "\(store.rawValue)", "setting": "\(store.setting)"] }

    /// Notes what became of a redemption or a probe: why there was no answer, or `nil` if there was one.
    package func note(_ error: ReplayStoreError?) {
        switch error {
        // The store works, and a clock is wrong.
        case nil, .forgotten: noteAnswer()
        case .full: noteFailure("store_full", because: error?.description ?? "")
        default: noteFailure("store_unavailable", because: error?.description ?? "")
        }
    }

    /// Notes what became of a question about a record: why there was no answer, or `nil` if there was one.
    func note(_ error: RecordStoreError?) {
        switch error {
        // The store works, and the record is not one that it takes.
        case nil, .tooLarge, .unusableVersion: noteAnswer()
        default: noteFailure(error?.code ?? "", because: error?.description ?? "")
        }
    }
}

extension StoreWatch {
    /// What clients are told of a store that does not answer: neither its address nor its state.
    fileprivate static let withheldCause = "the store does not answer; the log of the service says why"
}

extension ReplayStoreError {
    /// The same error as clients may read it, once the log has the cause.
    var withoutCause: ReplayStoreError {
        if case .unavailable = self { .unavailable(reason: StoreWatch.withheldCause) } else { self }
    }
}

extension RecordStoreError {
    /// The same error as clients may read it, once the log has the cause.
    var withoutCause: RecordStoreError {
        if case .unavailable = self { .unavailable(reason: StoreWatch.withheldCause) } else { self }
    }
}

/// The watches over all stores of a service.
struct StoreWatches: Sendable {
    let redemptions: StoreWatch
    let sessions: StoreWatch
    let devices: StoreWatch
    /// Those of the stores that there are.
    private(set) var inUse: [StoreWatch] = []

    init(logger: Logger, time: TimeSource) {
        redemptions = StoreWatch(.redemptions, logger: logger, time: time)
        sessions = StoreWatch(.sessions, logger: logger, time: time)
        devices = StoreWatch(.devices, logger: logger, time: time)
    }

    /// Leaves out the watches of stores that the service does not have.
    func over(_ stores: OpenedStores) -> StoreWatches {
        var copy = self
        if stores.redemptions != nil { copy.inUse.append(redemptions) }
        if stores.records != nil { copy.inUse.append(sessions) }
        if stores.devices != nil { copy.inUse.append(devices) }
        return copy
    }
}
#endif
