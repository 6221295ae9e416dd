#if Service
import DeviceRecords
import Synchronization

extension Gateway {
    /// Checks once that the store belongs to this ring, before anything is read from it.
    ///
    /// With another ring every device would look unknown, and would be registered anew.
    ///
    /// - Throws: `GatewayRefusal` with the status 503, as long as that is not certain.
    func checkKeys() async throws(GatewayRefusal) {
        guard !hasCheckedKeys.load(ordering: .acquiring) else { return }
        if let error = await keyFault() { throw .storeUnavailable(error.code) }
    }

    /// Why the store of devices cannot be used with this ring, or cannot tell; `nil` if it can be used.
    func keyFault() async -> DeviceRecordsError? {
        guard !hasCheckedKeys.load(ordering: .acquiring) else { return nil }
        do throws(DeviceRecordsError) {
            try await directory.checkKeys()
            hasCheckedKeys.store(true, ordering: .releasing)
            return nil
        } catch {
            return error
        }
    }
}
#endif
