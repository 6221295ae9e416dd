#if Service
import PlaybackSessions

extension ServiceSettings {
    /// Which forms of grants sessions come with, for edges that check by themselves.
    struct Edges: Sendable {
        /// A key pair of signed policies, as `sessions.legacyPolicyKeyFiles` has it: `ID FILE`.
        struct KeyPair: Sendable {
            let id: String
            let file: String
        }

        /// The secrets of links; empty if there are no links.
        let linkSecretFiles: [String]
        let linkMount: String
        /// The secrets of tokens; empty if there are no tokens.
        let tokenSecretFiles: [String]
        let tokenName: String
        let tokenSaltFile: String?
        let tokenEscapesInput: Bool
        /// The key pairs of policies; empty if there are no policies.
        let policyKeyPairs: [KeyPair]
        let policyOrigin: String

        /// The files of all forms.
        var files: [String] {
            linkSecretFiles + tokenSecretFiles + [tokenSaltFile].compactMap(\.self) + policyKeyPairs.map(\.file)
        }

        /// Reads the settings of grants; `nil` if no form is set.
        init?(from reader: inout SettingsReader) {
            linkSecretFiles = reader.list("sessions.legacyLinkSecretFiles") ?? []
            linkMount = reader.text("sessions.legacyLinkMount") ?? "/s"
            if (try? EdgePath(file: linkMount)) == nil {
                reader.report(
                    .badValue, of: "sessions.legacyLinkMount",
                    detail: "is not a path that begins with a slash, does not end with one, and needs no escape")
            }
            tokenSecretFiles = reader.list("sessions.edgeTokenSecretFiles") ?? []
            tokenName = reader.parameter("sessions.edgeTokenName") ?? "__token__"
            tokenSaltFile = reader.text("sessions.edgeTokenSaltFile")
            tokenEscapesInput = !reader.bool("sessions.edgeTokenPlainInput")
            policyKeyPairs = Self.keyPairs(from: &reader)
            policyOrigin = reader.text("sessions.legacyPolicyOrigin") ?? ""
            if !policyKeyPairs.isEmpty, policyOrigin.isEmpty {
                reader.report(
                    .missing, of: "sessions.legacyPolicyOrigin",
                    detail: "name the scheme and the host of signed addresses, as in https://d1.cloudfront.net")
            }
            reader.report(unused: ["sessions.legacyLinkMount"], without: "sessions.legacyLinkSecretFiles")
            reader.report(
                unused: ["sessions.edgeTokenName", "sessions.edgeTokenSaltFile", "sessions.edgeTokenPlainInput"],
                without: "sessions.edgeTokenSecretFiles")
            reader.report(unused: ["sessions.legacyPolicyOrigin"], without: "sessions.legacyPolicyKeyFiles")
            if linkSecretFiles.isEmpty, tokenSecretFiles.isEmpty, policyKeyPairs.isEmpty { return nil }
        }

        private static func keyPairs(from reader: inout SettingsReader) -> [KeyPair] {
            let name = "sessions.legacyPolicyKeyFiles"
            var pairs: [KeyPair] = []
            for text in reader.list(name) ?? [] {
                let parts = text.split(separator: " ", maxSplits: 1)
                guard parts.count == 2 else {
                    reader.report(
                        .badValue, of: name,
                        detail:
                            "has an element that is not a key pair ID and a file, as in \"K2JCJMDEHXQW5F /etc/tve/secrets/cdn.pem\""
                    )
                    continue
                }
                pairs.append(KeyPair(id: String(parts[0]), file: String(parts[1])))
            }
            return pairs
        }
    }
}
#endif
