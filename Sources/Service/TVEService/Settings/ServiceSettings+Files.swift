#if Service
import HostSystem

extension ServiceSettings {
    /// A file or folder that a setting names.
    struct NamedFile: Sendable {
        let setting: String
        let path: String
        /// Whether it holds what only this service may know, as opposed to a public key.
        let isSecret: Bool
    }

    /// Everything that the settings name and a reload reads again.
    var files: [NamedFile] {
        var files: [NamedFile] = []
        func add(_ setting: String, _ paths: [String?], isSecret: Bool = true) {
            files += paths.compactMap(\.self).map { NamedFile(setting: setting, path: $0, isSecret: isSecret) }
        }
        add("keys.paths", keys.paths, isSecret: false)
        add("keys.passwordFile", [keys.passwordFile])
        add("sessions.keyFiles", sessions?.keyFiles ?? [])
        if let edges = sessions?.edges {
            add("sessions.legacyLinkSecretFiles", edges.linkSecretFiles)
            add("sessions.edgeTokenSecretFiles", edges.tokenSecretFiles)
            add("sessions.edgeTokenSaltFile", [edges.tokenSaltFile])
            for policies in edges.policies { add(policies.keyFilesName, policies.keyPairs.map(\.file)) }
            add("sessions.catKeyFiles", edges.catKeyFiles)
        }
        add("decryption.paths", decryption?.keys.paths ?? [])
        add("decryption.passwordFile", [decryption?.keys.passwordFile])
        add("decryption.secretFile", [decryption?.secretFile])
        for (setting, path, isSecret) in store.files { add(setting, [path], isSecret: isSecret) }
        add("broker.keyFile", [gatewayFiles?.keyFile])
        for app in gatewayFiles?.apps ?? [] where !app.statementFile.isEmpty {
            // It is in the app's own package, too.
            add("broker.apps.\(app.id).statementFile", [app.statementFile], isSecret: false)
        }
        return files
    }

    /// The files that another user may have written: what they say must not decide who plays, nor what happened.
    var foreignFiles: [SettingsFault] {
        var named = files
        // Written and not read, so a change of it does not cause a reload.
        if case .file(let path)? = gateway?.events {
            named.append(NamedFile(setting: "broker.events.to", path: path, isSecret: false))
        }
        var faults: [SettingsFault] = []
        for file in named {
            for detail in Self.foreignHands(at: file.path) {
                faults.append(SettingsFault(setting: file.setting, code: "foreign_file", detail: detail))
            }
        }
        return faults
    }

    /// Adds what reading the files has found to what was found before, without what says the same once more.
    ///
    /// `foreign` are the files that another user may have written, which readers of secrets refuse, too. Returns all
    /// faults.
    func faults(_ found: [SettingsFault], besides foreign: [SettingsFault]) -> [SettingsFault] {
        let told = Set(foreign.map(\.setting))
        // Lists of keys are read without a look at who may have written them.
        let files = files.filter { $0.isSecret && told.contains($0.setting) && !$0.setting.hasSuffix(".paths") }
        return foreign
            + found.filter { fault in
                !fault.code.hasPrefix("unreadable")
                    || !files.contains { fault.setting == $0.setting || fault.setting == $0.path }
            }
    }

    /// Says which files of a path another user may have written, and why.
    ///
    /// The path is a file or a folder. Each text has the path of such a file.
    static func foreignHands(at path: String) -> [String] {
        // What cannot be looked at is reported when it is read.
        ((try? Files.stamps(at: path).map(\.path)) ?? []).compactMap { file in
            (try? Files.foreignHand(in: file)).map { "\(file): \($0)" }
        }
    }

    /// The secret files that every user of the host may read.
    var openSecrets: [SettingsFault] {
        var warnings: [SettingsFault] = []
        for file in files where file.isSecret {
            for path in (try? Files.stamps(at: file.path).map(\.path)) ?? [] {
                guard (try? Files.isOpenBeyondGroup(path)) == true else { continue }
                warnings.append(
                    SettingsFault(
                        setting: file.setting, code: "open_secret",
                        detail: "\(path): users besides its owner can change it, or read it without being of its "
                            + "group; take that right away (chmod 600, or 640)"))
            }
        }
        return warnings
    }
}
#endif
