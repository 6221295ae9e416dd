#if Service
import HostSystem
import EntitlementKeys
import EntitlementValues
import MediaTokens
import MetadataDecryption

/// The keys and rules that requests are answered by: replaced as a whole, never changed.
final class ActiveConfiguration: Sendable {
    let settings: ServiceSettings
    let keys: VerificationKeys
    let verifier: MediaTokenVerifier
    let sessionKeys: SessionKeys?
    let decrypter: MetadataDecrypter?
    private let file: String?
    /// The states of all files that it was read from.
    private let stamps: [FileStamp]

    /// Reads all files that the settings name.
    ///
    /// - Parameters:
    ///   - settings: What is to be read.
    ///   - file: The configuration file, to be watched too.
    ///   - older: The set in use, whose keys go on counting.
    /// - Throws: `ServiceSettingsError` with everything that is wrong with the files.
    init(_ settings: ServiceSettings, file: String?, replacing older: ActiveConfiguration?) throws(ServiceSettingsError)
    {
        // Looked at before reading: a file that changes in between is read again at the next look.
        stamps = (file == nil ? [] : settings.fileStamps) + Self.stamps(settings)
        self.file = file
        var faults: [SettingsFault] = []
        let found = Self.read(settings.keys, "keys", &faults) { paths, password throws(KeyError) in
            try VerificationKeys(contentsOf: paths, password: password)
        }
        sessionKeys = settings.sessions.map { SessionKeys(contentsOfFiles: $0.keyFiles, &faults) }
        let decryptionKeys = settings.decryption.flatMap { decryption in
            Self.read(decryption.keys, "decryption", &faults) { paths, password throws(KeyError) in
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

    /// Whether a file is not as it was when this was read.
    var isOutdated: Bool { stamps != Self.stamps(of: [file]) + Self.stamps(settings) }

    /// The states of the files that settings name, now.
    private static func stamps(_ settings: ServiceSettings) -> [FileStamp] {
        stamps(
            of: [settings.keys.passwordFile, settings.decryption?.keys.passwordFile] + settings.keys.paths
                + (settings.sessions?.keyFiles ?? []) + (settings.decryption?.keys.paths ?? []))
    }

    /// The states of files, now; a path that vanished has none, which is a change too.
    static func stamps(of paths: [String?]) -> [FileStamp] {
        paths.compactMap(\.self).flatMap { (try? Files.stamps(at: $0)) ?? [] }
    }

    /// Whether a key is left that is not expired, by the dates of its certificate.
    func hasCurrentKey(at now: Timestamp) -> Bool {
        keys.keys.contains { key in key.validity.map { now <= $0.upperBound } ?? true }
    }

    private static func read<Keys>(
        _ files: ServiceSettings.KeyFiles,
        _ setting: String,
        _ faults: inout [SettingsFault],
        _ read: ([String], KeyPassword?) throws(KeyError) -> Keys
    ) -> Keys? {
        var password: KeyPassword?
        if let file = files.passwordFile {
            // A name that leads nowhere is not shown: the password itself may stand there.
            guard Files.exists(file) else {
                faults.append(SettingsFault("\(setting).passwordFile", "unreadable_file", "there is no such file"))
                return nil
            }
            do throws(KeyError) {
                password = try KeyPassword(contentsOfFile: file)
            } catch {
                faults.append(SettingsFault("\(setting).passwordFile", error.code, error.description))
                return nil
            }
        }
        do throws(KeyError) {
            return try read(files.paths, password)
        } catch {
            faults.append(SettingsFault("\(setting).paths", error.code, error.description))
            return nil
        }
    }
}
#endif
