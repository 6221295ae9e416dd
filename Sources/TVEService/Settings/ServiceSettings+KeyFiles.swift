#if Service
import EntitlementKeys
import HostSystem

extension ServiceSettings {
    /// The paths of key files, and of the file with the password that opens them.
    struct KeyFiles: Sendable {
        let paths: [String]
        let passwordFile: String?

        init(paths: [String], passwordFile: String?) {
            self.paths = paths
            self.passwordFile = passwordFile
        }

        /// Reads the group `keys`, whose `paths` must be set.
        init(requiredFrom reader: inout SettingsReader) {
            paths = reader.list("keys.paths") ?? []
            passwordFile = reader.text("keys.passwordFile")
            if paths.isEmpty, !reader.faults.contains(where: { $0.setting == "keys.paths" }) {
                reader.report(
                    .missing, of: "keys.paths", detail: "name the files or folders of the keys that sign the tokens")
            }
        }

        /// Reads the password, and then the keys.
        ///
        /// - Parameters:
        ///   - group: The group of settings that names the files, for faults: `keys` or `decryption`.
        ///   - faults: Takes what is wrong with the files.
        ///   - read: Makes keys from paths and a password.
        /// - Returns: The keys; `nil` if a fault was added.
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
                    faults.append(SettingsFault(.unreadableFile, of: setting, detail: "there is no such file"))
                    return nil
                }
                do throws(KeyError) {
                    password = try KeyPassword(contentsOfFile: passwordFile)
                } catch {
                    faults.append(SettingsFault(setting: setting, code: error.code, detail: error.description))
                    return nil
                }
            }
            do throws(KeyError) {
                return try read(paths, password)
            } catch {
                faults.append(SettingsFault(setting: "\(group).paths", code: error.code, detail: error.description))
                return nil
            }
        }
    }
}
#endif
