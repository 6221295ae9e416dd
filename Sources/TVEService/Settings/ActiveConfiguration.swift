#if Service
import EntitlementKeys
import EntitlementValues
import HostSystem
import MediaTokens
import MetadataDecryption

/// The keys and rules that requests are answered with.
///
/// Immutable: a reload makes a new value and replaces the old one as a whole, so that a request never sees half of a change.
final class ActiveConfiguration: Sendable {
    let settings: ServiceSettings
    let keys: VerificationKeys
    let verifier: MediaTokenVerifier
    let sessionKeys: SessionKeys?
    let decrypter: MetadataDecrypter?
    private let file: String?
    /// The states of the files with the secrets of the store.
    private let storeStamps: [FileStamp]
    /// The states of all files that this was read from.
    private let stamps: [FileStamp]

    /// Reads all files that the settings name.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - file: The configuration file, which is watched for changes as well.
    ///   - older: The configuration in use, whose keys keep their use counts.
    /// - Throws: `ServiceSettingsError` with everything that is wrong with the files.
    init(_ settings: ServiceSettings, file: String?, replacing older: ActiveConfiguration?) throws(ServiceSettingsError)
    {
        // Taken before the files are read, so that a change in between is found by the next check.
        stamps = (file == nil ? [] : settings.fileStamps) + Self.stamps(settings)
        storeStamps = Self.stamps(of: settings.store.secretFiles)
        self.file = file
        var faults: [SettingsFault] = []
        let found = settings.keys.read(group: "keys", faults: &faults) { paths, password throws(KeyError) in
            try VerificationKeys(contentsOf: paths, password: password)
        }
        sessionKeys = settings.sessions.map { SessionKeys(contentsOfFiles: $0.keyFiles, faults: &faults) }
        let decryptionKeys = settings.decryption.flatMap { decryption in
            decryption.keys.read(group: "decryption", faults: &faults) { paths, password throws(KeyError) in
                try DecryptionKeys(contentsOf: paths, password: password)
            }
        }
        guard let found, faults.isEmpty else { throw ServiceSettingsError(faults) }
        self.settings = settings
        keys = older.map { found.continuingUse(of: $0.keys) } ?? found
        verifier = MediaTokenVerifier(keys: keys, policy: settings.policy)
        decrypter = decryptionKeys.map {
            MetadataDecrypter(keys: $0, padding: settings.decryption?.padding ?? .insecurePKCS1v15)
        }
    }

    /// Whether a file has changed since this was read.
    var isOutdated: Bool { stamps != Self.stamps(of: [file]) + Self.stamps(settings) }

    /// Whether the files with the secrets of the store are others, or have changed.
    func hasOtherStoreSecrets(than older: ActiveConfiguration) -> Bool { storeStamps != older.storeStamps }

    /// The current states of the files that the settings name.
    private static func stamps(_ settings: ServiceSettings) -> [FileStamp] {
        stamps(
            of: [settings.keys.passwordFile, settings.decryption?.keys.passwordFile] + settings.keys.paths
                + (settings.sessions?.keyFiles ?? []) + (settings.decryption?.keys.paths ?? [])
                + settings.store.secretFiles)
    }

    /// The current states of files; a file that has vanished has no state, which counts as a change too.
    static func stamps(of paths: [String?]) -> [FileStamp] {
        paths.compactMap(\.self).flatMap { (try? Files.stamps(at: $0)) ?? [] }
    }

    /// Whether at least one key has a certificate that has not expired, or no certificate.
    func hasCurrentKey(at now: Timestamp) -> Bool {
        keys.keys.contains { key in key.validity.map { now <= $0.upperBound } ?? true }
    }
}
#endif
