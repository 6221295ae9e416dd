#if Service
import EntitlementKeys
import HostSystem
import TextCodecs

extension ServiceSettings {
    /// The paths of key files, and of the file with the password that opens them.
    struct KeyFiles: Sendable {
        let paths: [String]
        let passwordFile: String?
        /// The fingerprints of keys that are never trusted, whatever files have them.
        let revoked: Set<String>
        /// Whether keys are admitted whose private halves everybody has.
        let acceptsPublishedTestKeys: Bool

        init(paths: [String], passwordFile: String?) {
            (self.paths, self.passwordFile) = (paths, passwordFile)
            (revoked, acceptsPublishedTestKeys) = ([], true)
        }

        /// Reads the group `keys`, whose `paths` must be set.
        init(requiredFrom reader: inout SettingsReader) {
            let advice = "name the files or folders of the keys that sign the tokens"
            paths = reader.list("keys.paths", ifEmpty: advice) ?? []
            passwordFile = reader.text("keys.passwordFile")
            revoked = Self.revoked(from: &reader)
            acceptsPublishedTestKeys = reader.bool("keys.acceptPublishedTestKeys")
            if paths.isEmpty { reader.report(.missing, of: "keys.paths", detail: advice) }
        }

        /// Reads `keys.revoked`, and leaves out what is not a fingerprint, which is a fault.
        ///
        /// A fingerprint is read as people write and copy it: in either case, with colons and with blanks.
        static func revoked(from reader: inout SettingsReader) -> Set<String> {
            var revoked: Set<String> = []
            for (index, text) in reader.unreportedList("keys.revoked").enumerated() {
                let fingerprint = text.lowercased().filter { $0 != ":" && !$0.isWhitespace }
                if fingerprint.utf8.count == 64, fingerprint.utf8.allSatisfy({ $0.hexDigitValue != nil }) {
                    revoked.insert(fingerprint)
                } else {
                    reader.report(
                        .badValue, of: "keys.revoked",
                        detail: "element \(index + 1) is not a fingerprint of 64 hexadecimal digits, as tve keys "
                            + "inspect shows it; the others are revoked")
                }
            }
            return revoked
        }

        /// Leaves revoked keys out of those of the files, and refuses test keys; returns the keys to trust.
        ///
        /// What is wrong with them is added to `faults`.
        func trusted(_ found: VerificationKeys, faults: inout [SettingsFault]) -> VerificationKeys {
            if !acceptsPublishedTestKeys, let key = found.keys.first(where: \.isPublishedTestKey) {
                faults.append(
                    SettingsFault(
                        setting: "keys.paths", code: "published_test_key",
                        detail: "\(key.source): everybody can sign with this key, since its private half is published "
                            + "with this software; take the broker's key, or set keys.acceptPublishedTestKeys for a "
                            + "test"))
            }
            let trusted = found.without(revoked)
            if trusted.keys.isEmpty, !found.keys.isEmpty {
                faults.append(
                    SettingsFault(setting: "keys.paths", code: "no_key", detail: "all keys are in keys.revoked"))
            }
            return trusted
        }

        /// Reads the password, and then the keys, which `read` makes; `nil` if a fault was added.
        ///
        /// The group of settings that names the files, `keys` or `decryption`, is for faults.
        func read<Keys>(
            group: String,
            faults: inout [SettingsFault],
            by read: (_ paths: [String], _ password: KeyPassword?) throws(KeyError) -> Keys
        ) -> Keys? {
            var password: KeyPassword?
            if let passwordFile {
                let setting = "\(group).passwordFile"
                // The path is not shown: it may be the password itself, set by mistake.
                guard Files.exists(passwordFile) else {
                    faults.append(SettingsFault(.noSuchFile, of: setting, detail: "the file does not exist"))
                    return nil
                }
                password = faults.reading(setting) { () throws(KeyError) in
                    try KeyPassword(contentsOfFile: passwordFile)
                }
                if password == nil { return nil }
            }
            return faults.reading("\(group).paths") { () throws(KeyError) in try read(paths, password) }
        }
    }
}
#endif
