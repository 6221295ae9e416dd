#if Service
import EntitlementValues
import HTTPTypes
import PlaybackSessions
import StoreAddresses
import TextCodecs

extension ServiceSettings {
    /// How playback sessions are signed, presented, counted and revoked.
    struct Sessions: Sendable {
        /// What happens to a session if the store of revocations cannot tell.
        enum StoreFailure: String, CaseIterable {
            case refuse, pass
        }

        let keyFiles: [String]
        let issuer: String
        let lifetimes: SessionLifetimes
        let cookie: SessionCookie
        /// The query parameter of the original request that may hold a session; `nil` if none may.
        let parameter: String?
        /// The header field with the client's address; `nil` if sessions are not bound to an address.
        let clientAddressHeader: HTTPField.Name?
        /// Where revocations and streams are kept; `nil` if sessions cannot be revoked.
        let records: ReplayStoreAddress?
        /// The text of `records`, to compare.
        let recordsText: String?
        /// How many streams a subscriber may play; `nil` if they are not counted.
        let streamLimit: Int?
        /// Whether a good session passes if the store of revocations cannot tell.
        let passesWithoutStore: Bool
        /// The forms of grants for edges; `nil` if sessions come without.
        let edges: Edges?
        /// `nil` if pages of other origins may not ask.
        let crossOrigin: CrossOriginRules?

        /// Reads the group `sessions`; `nil` if `sessions.keyFiles` is not set.
        init?(from reader: inout SettingsReader) {
            issuer = reader.text("sessions.issuer") ?? "tve"
            lifetimes = Self.lifetimes(from: &reader)
            cookie = SessionCookie(from: &reader)
            parameter = reader.parameter("sessions.parameter")
            clientAddressHeader = reader.clientHeader("sessions.clientAddressHeader")
            (records, recordsText) = Self.records(from: &reader)
            let limit = reader.number("sessions.streams", in: 0...SessionRegistry.maximumStreamLimit, default: 0)
            streamLimit = limit == 0 ? nil : limit
            passesWithoutStore = reader.choice("sessions.storeFailure", default: StoreFailure.refuse) == .pass
            crossOrigin = CrossOriginRules(from: &reader)
            edges = Edges(from: &reader, issuer: issuer)
            reader.report(unused: ["sessions.streams", "sessions.storeFailure"], without: "sessions.store")
            let others = SettingName.all.map(\.name).filter { $0.hasPrefix("sessions.") && $0 != "sessions.keyFiles" }
            reader.report(
                unused: others.filter { name in !reader.faults.contains { $0.setting == name } },
                without: "sessions.keyFiles")
            guard let keyFiles = reader.list("sessions.keyFiles") else { return nil }
            self.keyFiles = keyFiles
        }

        private static func lifetimes(from reader: inout SettingsReader) -> SessionLifetimes {
            let session = reader.number("sessions.lifetimeSeconds", in: 1...86_400, default: 4 * 3600)
            let longest = Int(SessionLifetimes.maximumCeiling.milliseconds / 1000)
            let ceiling = reader.number("sessions.ceilingSeconds", in: 1...longest, default: max(session, 12 * 3600))
            let lifetimes = try? SessionLifetimes(
                session: .seconds(Int64(session)), ceiling: .seconds(Int64(ceiling)))
            if lifetimes == nil {
                reader.report(.conflict, of: "sessions.ceilingSeconds", detail: "is less than sessions.lifetimeSeconds")
            }
            return lifetimes ?? .standard
        }

        private static func records(from reader: inout SettingsReader) -> (ReplayStoreAddress?, String?) {
            guard let text = reader.text("sessions.store"), text != "none" else { return (nil, nil) }
            let address = reader.reading("sessions.store") { () throws(ReplayStoreAddressError) in
                try ReplayStoreAddress(text)
            }
            return (address, address == nil ? nil : text)
        }

        /// The client that a request comes from, as far as sessions are bound to one.
        ///
        /// It has its address in one spelling, without its port. Throws if an address is required, and the fields do
        /// not state one.
        func client(of fields: HTTPFields) throws(StatedClientFault) -> SessionClient {
            guard let clientAddressHeader else { return .unbound }
            return .address(try fields.client(statedIn: clientAddressHeader).address.text)
        }
    }
}

extension ServiceSettings {
    /// Which forms of grants sessions come with, for edges that check by themselves.
    struct Edges: Sendable {
        /// The secrets of links; empty if there are no links.
        let linkSecretFiles: [String]
        let linkMount: String
        /// The secrets of tokens; empty if there are no tokens.
        let tokenSecretFiles: [String]
        let tokenName: String
        let tokenSaltFile: String?
        let tokenEscapesInput: Bool
        /// Policies with SHA-1 and with SHA-256, if they are set.
        let policies: [Policies]
        /// The keys of Common Access Tokens; empty if there are none.
        let catKeyFiles: [String]
        let catHost: String?
        let catAudience: String?
        /// The name of the service in Common Access Tokens, as in sessions.
        let issuer: String

        /// The settings of keys that an edge may have, with their files.
        var secretFiles: [(setting: String, files: [String])] {
            [
                ("sessions.legacyLinkSecretFiles", linkSecretFiles),
                ("sessions.edgeTokenSecretFiles", tokenSecretFiles), ("sessions.catKeyFiles", catKeyFiles),
            ]
        }

        /// Reads the settings of grants; `nil` if no form is set.
        init?(from reader: inout SettingsReader, issuer: String) {
            self.issuer = issuer
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
            policies = [true, false].compactMap { Policies(from: &reader, usingLegacySHA1: $0) }
            reader.report(unused: ["sessions.legacyLinkMount"], without: "sessions.legacyLinkSecretFiles")
            reader.report(
                unused: ["sessions.edgeTokenName", "sessions.edgeTokenSaltFile", "sessions.edgeTokenPlainInput"],
                without: "sessions.edgeTokenSecretFiles")
            catKeyFiles = reader.list("sessions.catKeyFiles") ?? []
            (catHost, catAudience) = (reader.text("sessions.catHost"), reader.text("sessions.catAudience"))
            reader.report(unused: ["sessions.catHost", "sessions.catAudience"], without: "sessions.catKeyFiles")
            if linkSecretFiles.isEmpty, tokenSecretFiles.isEmpty, policies.isEmpty, catKeyFiles.isEmpty { return nil }
        }
    }

    /// One form of signed policies: `sessions.policy…` or `sessions.legacyPolicy…`.
    struct Policies: Sendable {
        let usesLegacySHA1: Bool
        /// The key pairs, each an element `ID FILE` of ``keyFilesName``.
        private(set) var keyPairs: [(id: String, file: String)] = []
        let origin: String
        /// The names of the two settings.
        let keyFilesName, originName: String

        /// Reads the settings; `nil` if there are no such policies.
        init?(from reader: inout SettingsReader, usingLegacySHA1 usesLegacySHA1: Bool) {
            let prefix = usesLegacySHA1 ? "sessions.legacyPolicy" : "sessions.policy"
            (keyFilesName, originName) = ("\(prefix)KeyFiles", "\(prefix)Origin")
            self.usesLegacySHA1 = usesLegacySHA1
            origin = reader.text(originName) ?? ""
            for text in reader.list(keyFilesName) ?? [] {
                let parts = text.split(separator: " ", maxSplits: 1)
                guard parts.count == 2 else {
                    reader.report(
                        .badValue, of: keyFilesName,
                        detail:
                            "has an element that is not a key pair ID and a file, as in \"K2JCJMDEHXQW5F /etc/tve/secrets/cdn.pem\""
                    )
                    continue
                }
                keyPairs.append((id: String(parts[0]), file: String(parts[1])))
            }
            reader.report(unused: [originName], without: keyFilesName)
            if keyPairs.isEmpty { return nil }
            if origin.isEmpty {
                reader.report(
                    .missing, of: originName,
                    detail: "name the scheme and the host of signed addresses, as in https://d1.cloudfront.net")
            }
        }
    }
}
#endif
