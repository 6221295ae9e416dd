import EntitlementValues
import HostSystem
public import SealedRecords

/// What became of a record that was to be sealed with the newest key.
public enum Resealing: Sendable, Hashable {
    /// It was sealed with the newest key.
    case resealed
    /// The newest key had sealed it already; nothing was written.
    case current
    /// It was removed, or has expired, since it was listed.
    case gone
    /// It is not sealed, so it is not a device's record; it stays as it is.
    case unsealed
}

extension DeviceDirectory {
    /// Seals a record with the newest key of the ring, and leaves its content and its end alone.
    ///
    /// Records are sealed with the newest key as they change, by themselves. To retire an older key at once, reseal every
    /// record that ``summaries(after:limit:)`` lists, and the mark of the keys with ``resealMark(isTrial:)``. A record that was
    /// done is ``Resealing/current`` from then on, so an interrupted run is made good by another one.
    ///
    /// - Parameters:
    ///   - key: The place of the record.
    ///   - isTrial: Whether nothing is written: the answer says what would become of the record, and whether it opens.
    /// - Returns: What became of it.
    /// - Throws: `DeviceRecordsError`: `.sealing` if it does not open, and it stays as it is then; `.contended` if
    ///   others changed it each time, or the task is cancelled between two attempts; `.store`.
    @discardableResult
    public func reseal(at key: RecordKey, isTrial: Bool = false) async throws(DeviceRecordsError) -> Resealing {
        try await asking { table throws(SealedTableError) in
            try await table.store.change(at: key, by: time) { stored throws(SealedTableError) -> Swap<Resealing> in
                guard let stored else { return .keep(.gone) }
                let change = try rethrowing(reseal(stored, at: key), as: SealedTableError.opening)
                if isTrial, case .put(_, _, let outcome) = change { return .keep(outcome) }
                return change
            }
        }
    }

    /// Seals the mark of the keys with the newest key of the ring; see ``checkKeys()``.
    ///
    /// - Parameter isTrial: Whether nothing is written.
    /// - Returns: What became of it; `.gone` if the store has no mark.
    /// - Throws: `DeviceRecordsError`.
    @discardableResult
    public func resealMark(isTrial: Bool = false) async throws(DeviceRecordsError) -> Resealing {
        guard let place = Self.markPlace else { return .gone }
        return try await reseal(at: place, isTrial: isTrial)
    }

    private func reseal(_ stored: StoredRecord, at key: RecordKey) throws(SealingError) -> Swap<Resealing> {
        let (sealer, version) = (table.sealer, StoredRecord.version(after: stored))
        guard let keyID = try RecordSealer.keyID(of: stored.bytes) else { return .keep(.unsealed) }
        guard keyID != sealer.newestKeyID else { return .keep(.current) }
        let schema = try RecordSealer.schema(of: stored.bytes)
        // The content is not looked at, so that of a newer release survives as well.
        let (content, purpose) = try opened(stored, at: key, schema: schema)
        let context = RecordContext(purpose: purpose, schema: schema, key: key, version: version)
        let bytes = try content.withSpan { content throws(SealingError) in try sealer.seal(content, in: context) }
        let new = StoredRecord(bytes: bytes, version: version, expires: stored.expires, subject: stored.subject)
        // Once all are resealed, the old key goes; then none may turn up again that it had sealed.
        return .put(new, .full, .resealed)
    }

    /// Opens a record, which does not say what it is for.
    private func opened(
        _ stored: StoredRecord,
        at key: RecordKey,
        schema: UInt32
    ) throws(SealingError) -> (content: WipedBytes, purpose: RecordPurpose) {
        func open(as purpose: RecordPurpose) throws(SealingError) -> (WipedBytes, RecordPurpose) {
            let context = RecordContext(purpose: purpose, schema: schema, key: key, version: stored.version)
            return (try table.sealer.open(stored.bytes, in: context), purpose)
        }
        if Self.isMark(key) { return try open(as: .keyMark) }
        do throws(SealingError) {
            return try open(as: .device)
        } catch .doesNotOpen {
            return try open(as: .gatewayDevice)
        }
    }
}

extension RecordPurpose {
    /// What a gateway keeps of a device beside its record here; both are in one store, and sealed with one ring.
    package static let gatewayDevice: RecordPurpose = "gateway-device"
}
