#if CLI && Client
import ArgumentParser
import BrokerMessages
import DeviceRecords
import EntitlementValues
import HostSystem
import OpenSSLBridge
package import SealedRecords
import SQLiteStores
import StoreAddresses
import TextCodecs

/// The file that keeps what the tool knows of itself as a device, sealed with the keys of another file beside it.
package struct BrokerState {
    let path: String
    let directory: DeviceDirectory

    /// The tool is one device; other files are other devices.
    static let device: DeviceKey = "tve"

    /// Opens the file, and makes it with its keys if neither exists.
    ///
    /// A file whose keys are missing, or others, stays as it is. Throws `CommandFailure` or `DeviceRecordsError`.
    init(path: String) async throws {
        self.path = path
        if (try? Files.kind(of: path)) == .folder {
            throw CommandFailure.usage("--state: \(path) is a folder; name a file in it", file: path)
        }
        // Asked before the keys are looked for: those of a store that is there are never made anew.
        let isNew = !Files.exists(path)
        let keys = try Self.keys(at: path + ".keys", isNew: isNew)
        let store = try concerning("--state", file: path) { try SQLiteRecordStore(path: path) }
        directory = DeviceDirectory(in: store, sealer: RecordSealer(keys))
        try await directory.checkKeys()
    }

    /// Reads the keys of a store, and makes them first if the store is new and no other process has made them.
    ///
    /// What a store holds opens with its own keys alone, so lost keys must be restored; none are made in their
    /// place. Throws `CommandFailure`.
    package static func keys(at path: String, isNew: Bool) throws -> SealingKeys {
        if !isNew { try CommandFailure.refuseMissing(path, of: "--state") }
        return try concerning("--state", file: path) {
            if isNew, !Files.exists(path) {
                try makeFolder(of: path)
                do {
                    try SealingKeys.generate(id: "1").write(to: path)
                } catch {
                    // Another process may have been first; then its keys count.
                    guard Files.exists(path) else { throw error }
                }
            }
            return try SealingKeys(contentsOfFile: path)
        }
    }

    private static func makeFolder(of path: String) throws(SealingError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let folder = String(path[..<slash])
        try Result { () throws(FileFailure) in try Files.makePrivateFolder(folder) }
            .mapError { SealingError.unreadableKeys(file: folder, reason: $0.reason) }.get()
    }

    /// The registrations of this device, one for each broker; throws `DeviceRecordsError`.
    func registrations() async throws -> [DeviceRegistration] {
        guard let record = try await directory.record(of: Self.device) else { return [] }
        return Array(record.registrations.values)
    }

    /// How the broker knows this device: a random identifier, drawn once and kept.
    ///
    /// Throws `DeviceRecordsError`, or `OpenSSLFailure` if none can be drawn.
    func identifier() async throws -> DeviceIdentifier {
        if let kept = try await directory.record(of: Self.device)?.identifier { return kept }
        let new = try DeviceIdentifier(Hex.encode(try randomBytes(16)))
        return try await directory.change(Self.device) { record throws(Never) in record.adopt(new) }
    }
}
#endif
