package import EntitlementValues
package import SealedRecords
import SQLiteStores

extension ReplayStoreAddress {
    /// Opens a store of records: the same addresses as for used tokens, and files of another kind.
    ///
    /// Connections to a server open with the first call. The options have no effect on other stores. `onWarning`
    /// receives what about the server could lose records, with the code of the warning. Throws for a mistake in the
    /// configuration, or a file that does not answer.
    package func openRecords(
        _ options: ServerStoreOptions,
        time: TimeSource,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any RecordStore {
        switch self {
        case .memory(let capacity):
            return capacity.map { InMemoryRecordStore(capacity: $0, time: time) } ?? InMemoryRecordStore(time: time)
        case .sqlite(let path):
            return try rethrowing(SQLiteRecordStore(path: path, time: time), as: ReplayStoreOpeningError.sqlite)
        case .redis(let address):
            return try Self.openRedisRecords(address, with: options, time: time, onWarning: onWarning)
        }
    }

    #if !Redis
    private static func openRedisRecords(
        _ text: String,
        with options: ServerStoreOptions,
        time: TimeSource,
        onWarning: @escaping @Sendable (_ warning: String, _ code: String) -> Void
    ) throws(ReplayStoreOpeningError) -> any RecordStore {
        throw noRedis
    }

    /// Reads the secrets of a server again; nothing to do for other stores.
    package static func renewSecrets(
        ofRecords store: any RecordStore,
        _ options: ServerStoreOptions
    ) async throws(ReplayStoreOpeningError) {}
    #endif
}
