#if Service
import EntitlementKeys
import EntitlementValues
import HostSystem
import Logging
import MediaTokens
import MetadataDecryption

/// The keys and rules that requests are answered with.
///
/// Immutable: a reload makes a new value and replaces the old one as a whole, so that a request never sees half of a change.
package final class ActiveConfiguration: Sendable {
    package let settings: ServiceSettings
    let keys: VerificationKeys
    let verifier: MediaTokenVerifier
    private let policy: VerificationPolicy
    /// `nil` if the service has no playback sessions, or no key that signs them any more.
    let sessions: SessionRules?
    let decrypter: MetadataDecrypter?
    /// What requests to decrypt must show; `nil` if they need nothing.
    let decryptionSecret: WipedBytes?
    /// The file of that secret as it was read.
    private let secretFile: ReadFile?
    /// What the gateway's files say; `nil` if the service is not a gateway for apps.
    let gatewaySecrets: ServiceSettings.Gateway.Files.Secrets?
    /// How many keys, secrets and digests were taken away since everything was read without a fault.
    let withdrawn: Int
    private let file: String?
    /// The states of the files with the secrets of the store.
    let storeStamps: [FileStamp]
    /// The states of all files that this was read from.
    private let stamps: [FileStamp]

    /// Reads all files that the settings name; throws with everything that is wrong with them.
    ///
    /// The configuration file is watched for changes as well. Keys of the configuration in use, `older`, keep their use
    /// counts.
    init(_ settings: ServiceSettings, file: String?, replacing older: ActiveConfiguration?) throws(ServiceSettingsError)
    {
        // Taken before the files are read, so that a change in between is found by the next check.
        stamps = (file == nil ? [] : settings.fileStamps) + Self.stamps(settings)
        storeStamps = Self.stamps(of: settings.store.secretFiles)
        (self.file, withdrawn) = (file, 0)
        let foreign = settings.foreignFiles
        var faults: [SettingsFault] = []
        let found = settings.keys.read(group: "keys", faults: &faults) { paths, password throws(KeyError) in
            try VerificationKeys(contentsOf: paths, password: password)
        }
        let trusted = found.map { settings.keys.trusted($0, faults: &faults) }
        sessions = settings.sessions.flatMap {
            SessionRules(
                $0, resources: settings.authz.resource, acceptingTestKeys: settings.keys.acceptsPublishedTestKeys,
                faults: &faults)
        }
        gatewaySecrets = settings.gatewayFiles.flatMap { $0.read(faults: &faults) }
        let decryptionKeys = settings.decryption.flatMap { decryption in
            decryption.keys.read(group: "decryption", faults: &faults) { paths, password throws(KeyError) in
                try DecryptionKeys(contentsOf: paths, password: password)
            }
        }
        let secret = settings.decryption.flatMap { $0.secret(faults: &faults) }
        (decryptionSecret, secretFile) = (secret?.text, secret?.file)
        guard let trusted, faults.isEmpty, foreign.isEmpty else {
            throw ServiceSettingsError(settings.faults(faults, besides: foreign))
        }
        self.settings = settings
        keys = older.map { trusted.continuingUse(of: $0.keys) } ?? trusted
        policy = settings.policy
        verifier = MediaTokenVerifier(keys: keys, policy: policy)
        decrypter = decryptionKeys.map {
            MetadataDecrypter(keys: $0, padding: settings.decryption?.padding ?? .insecurePKCS1v15)
        }
    }

    private init(
        _ older: ActiveConfiguration,
        keys: VerificationKeys,
        policy: VerificationPolicy,
        sessions: SessionRules?,
        decryptionSecret: WipedBytes?,
        withdrawn: Int
    ) {
        settings = older.settings
        self.keys = keys
        self.policy = policy
        verifier = MediaTokenVerifier(keys: keys, policy: policy)
        self.sessions = sessions
        decrypter = older.decrypter
        self.decryptionSecret = decryptionSecret
        secretFile = older.secretFile
        gatewaySecrets = older.gatewaySecrets
        (file, self.withdrawn) = (older.file, withdrawn)
        // The old ones: what was refused is read again until it is good.
        (storeStamps, stamps) = (older.storeStamps, older.stamps)
    }

    /// Ends the use of keys that were taken away or revoked, after a new configuration was refused.
    ///
    /// What is wrong may have nothing to do with them, and an operator who takes a compromised key away must not have to mend
    /// it first. So a key that is revoked, and one whose own file is gone or changed, is taken away at once. So is one whose
    /// file is named no longer, if all files that are named can be read. If one of these is missing or bad, its name may be
    /// a typing error, which takes nothing away: a key then stays as long as its own file is unchanged
    /// (`ReadFile.isUnchanged`).
    ///
    /// A secret that requests show counts as a key, and so does a digest. Keys that admit no client stay: those that decrypt,
    /// those for edges, and the ring of the gateway.
    ///
    /// Returns the same configuration with the rest of the keys, and how many were dropped; `nil` if none was.
    func withdrawing(for admission: Admission) -> (configuration: ActiveConfiguration, dropped: Int)? {
        let rest = remainingKeys(for: admission)
        let sessions = sessions.flatMap {
            $0.remaining(in: admission.sessionFiles, admittingTestKeys: admission.admitsTestKeys)
        }
        let secret = decryptionSecret.map { remainingSecret($0, in: admission.secretFiles) }
        let isStricter = policy.acceptsLegacySHA1 && !admission.admitsSHA1
        let dropped =
            keys.keys.count - rest.keys.count + (self.sessions?.keys.count ?? 0) - (sessions?.keys.count ?? 0)
            + (secret === decryptionSecret ? 0 : 1) + (isStricter ? 1 : 0)
        guard dropped > 0 else { return nil }
        // The leeway was taken before. If it were not, none would be right.
        let policy = isStricter ? (try? VerificationPolicy(leeway: policy.leeway)) ?? .standard : policy
        let rules = ActiveConfiguration(
            self, keys: rest, policy: policy, sessions: sessions, decryptionSecret: secret,
            withdrawn: withdrawn + dropped)
        return (rules, dropped)
    }

    private func remainingKeys(for admission: Admission) -> VerificationKeys {
        let files = settings.keys
        let rest = keys.without(files.revoked.union(admission.revoked))
        let paths = admission.issuerFiles ?? files.paths
        // A file that another user may have written neither keeps a key nor ends one.
        let safe = paths.filter { ServiceSettings.foreignHands(at: $0).isEmpty }
        let passwordFile = admission.passwordFiles.map(\.first) ?? files.passwordFile
        let remaining = rest.remaining(
            at: safe, areAll: safe.count == paths.count,
            password: passwordFile.flatMap { try? KeyPassword(contentsOfFile: $0) })
        if admission.admitsTestKeys { return remaining }
        return remaining.without(Set(remaining.keys.filter(\.isPublishedTestKey).map(\.fingerprint)))
    }

    /// The secret in use, unless it was taken away: then one that no request can show.
    private func remainingSecret(_ secret: WipedBytes, in named: [String]?) -> WipedBytes {
        guard secret.count > 0, let own = settings.decryption?.secretFile else { return secret }
        guard let path = (named ?? [own]).first else { return WipedBytes([]) }
        if let found = try? SecretFile.text(path), ServiceSettings.Decryption.canBeSecret(found) {
            return found.holdsSame(as: secret) ? secret : WipedBytes([])
        }
        // The file that is named is missing or bad.
        return secretFile?.isUnchanged == true ? secret : WipedBytes([])
    }

    /// Whether a file has changed since this was read.
    var isOutdated: Bool { stamps != Self.stamps(of: [file]) + Self.stamps(settings) }

    /// The current states of the files that the settings name.
    private static func stamps(_ settings: ServiceSettings) -> [FileStamp] {
        stamps(of: settings.files.map(\.path))
    }

    /// The current states of files; a file that has vanished has no state, which counts as a change too.
    static func stamps(of paths: [String?]) -> [FileStamp] {
        paths.compactMap(\.self).flatMap { (try? Files.stamps(at: $0)) ?? [] }
    }

    /// Whether the service has playback sessions, and no key is left that can sign them.
    var lacksSessionKeys: Bool { settings.sessions != nil && sessions == nil }

    /// Whether requests to decrypt must show a secret, and the one that is left is empty: no request can show it.
    var lacksDecryptionSecret: Bool { decryptionSecret?.count == 0 }

    /// Whether at least one key has a certificate that has not expired, or no certificate.
    func hasCurrentKey(at now: Timestamp) -> Bool {
        keys.keys.contains { key in key.validity.map { now <= $0.upperBound } ?? true }
    }
}

/// What is in use after a reload, for those who watch.
extension ActiveConfiguration {
    /// How many keys are in use, by what they are for.
    var keyCounts: [(use: String, count: Int)] {
        var counts: [(use: String, count: Int)] = [(use: "tokens", count: keys.keys.count)]
        // The settings still have the sessions whose keys were all taken away.
        if settings.sessions != nil { counts.append((use: "sessions", count: sessions?.keys.count ?? 0)) }
        return counts
    }

    /// How many keys are in use, as members of a line in the log.
    var keyMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["keys": "\(keys.keys.count)"]
        if settings.sessions != nil { metadata["sessionKeys"] = "\(sessions?.keys.count ?? 0)" }
        return metadata
    }

    /// What should have a key or a secret, and has none any more.
    var usesWithoutKey: [String] {
        var uses = keyCounts.filter { $0.count == 0 }.map { $0.use }
        if lacksDecryptionSecret { uses.append("requests to decrypt") }
        return uses
    }

    /// What is in use after a reload that was refused, in words.
    var remainder: String {
        let uses = usesWithoutKey
        if !uses.isEmpty { return "no key or secret is left for \(uses.joined(separator: " and "))" }
        return withdrawn == 0
            ? "the old keys and rules stay in use" : "the old keys and rules stay in use, but for what was taken away"
    }
}
#endif
