#if Service
import BrokerClient
import BrokerMessages
import HTTPTypes
import HostSystem
import SealedRecords
import StoreAddresses
import TextCodecs

extension ServiceSettings {
    /// The settings of the gateway: the group `broker`.
    package struct Gateway: Sendable {
        /// What happens to a new device if the service that attests apps does not answer.
        enum AttestationFailure: String, CaseIterable, Sendable {
            case refuse, pass
        }

        /// Where the broker is.
        let origin: BrokerOrigin
        /// The authorities of a test server; `nil` for those of the machine.
        let authorityFile: String?
        /// Where browsers and apps find this gateway.
        let publicURL: BrokerOrigin
        /// Where the devices' records are.
        let records: ReplayStoreAddress
        /// The text of `records`, to compare.
        let recordsText: String
        /// The header field in which the trusted proxy says where a request comes from; `nil` for the connection itself.
        let clientAddressHeader: HTTPField.Name?
        /// The header field in which the trusted proxy says the client's port.
        let clientPortHeader: HTTPField.Name?
        /// Which pages of other origins may ask, without cookies; `nil` if none may.
        let crossOrigin: CrossOriginRules?
        /// For how many days a device token is good.
        package let tokenDays: Int
        /// How many devices an address may register in a minute.
        let devicesPerMinute: Int
        /// How many activation codes an address may try in a minute.
        let codesPerMinute: Int
        /// The service that attests apps; `nil` if none is asked.
        let attestation: GatewayAddress?
        let attestationFailure: AttestationFailure
        /// Where events go; `nil` if they go nowhere.
        let events: EventsDestination?
        /// The files with keys and statements, and the apps that these belong to.
        let files: Files

        /// The apps.
        var apps: [App] { files.apps }

        private static let required = [
            ("broker.publicURL", "name the address under which browsers and apps find this service"),
            ("broker.store", "say where the devices' records are kept: \(ReplayStoreAddress.forms)"),
            ("broker.keyFile", "name a file of sealing keys; make one with: tve devices keys FILE"),
        ]

        /// Reads the group `broker`; `nil` if `broker.origin` is not set.
        ///
        /// `files` are those that were found named; `nil` without a broker. `ids` are the apps of the configuration.
        init?(from reader: inout SettingsReader, files: Files?, apps ids: [String]) {
            let origin = Self.origin("broker.origin", from: &reader)
            let publicURL = Self.origin("broker.publicURL", from: &reader)
            authorityFile = reader.text("broker.caFile")
            let records = Self.records(from: &reader)
            (clientAddressHeader, clientPortHeader) = Self.clientHeaders(from: &reader)
            crossOrigin = CrossOriginRules(gatewayFrom: &reader)
            tokenDays = reader.number("broker.deviceTokenDays", in: 1...400, default: 30)
            devicesPerMinute = reader.number("broker.devicesPerMinute", in: 1...60_000, default: 10)
            codesPerMinute = reader.number("broker.codesPerMinute", in: 1...60_000, default: 10)
            attestation = GatewayAddress("broker.attestationURL", from: &reader)
            attestationFailure = reader.choice("broker.attestationFailure", default: .refuse)
            reader.report(unused: ["broker.attestationFailure"], without: "broker.attestationURL")
            events = EventsDestination("broker.events.to", from: &reader)
            guard let files else {
                let names = SettingName.all.map(\.name).filter { $0.hasPrefix("broker.") && $0 != "broker.origin" }
                reader.report(
                    unused: names.filter { name in !reader.faults.contains { $0.setting == name } },
                    without: "broker.origin")
                if let id = ids.first, !reader.isInDoubt("broker.origin") {
                    reader.report(.conflict, of: "broker.apps.\(id)", detail: "has no effect without broker.origin")
                }
                return nil
            }
            for (name, detail) in Self.required where !reader.isSet(name) {
                reader.report(.missing, of: name, detail: detail)
            }
            if ids.isEmpty { reader.report(.missing, of: "broker.apps", detail: "describe at least one app") }
            guard let origin, let publicURL, let records else { return nil }
            (self.origin, self.publicURL, self.files) = (origin, publicURL, files)
            (self.records, recordsText) = records
        }

        private static func origin(_ name: String, from reader: inout SettingsReader) -> BrokerOrigin? {
            guard let text = reader.text(name) else { return nil }
            do throws(BrokerSettingsError) {
                return try BrokerOrigin(parsing: text)
            } catch .plainHTTP {
                reader.report(
                    .badValue, of: name, detail: "begins with http://, which is accepted for this machine only")
            } catch {
                reader.report(.badValue, of: name, detail: "is not of the form https://HOST or https://HOST:PORT")
            }
            return nil
        }

        private static func records(from reader: inout SettingsReader) -> (ReplayStoreAddress, String)? {
            guard let text = reader.text("broker.store") else { return nil }
            let address = reader.reading("broker.store") { () throws(ReplayStoreAddressError) in
                try ReplayStoreAddress(text)
            }
            return address.map { ($0, text) }
        }

        /// The header fields of the trusted proxy: one for the address, the same as that of playback sessions.
        private static func clientHeaders(
            from reader: inout SettingsReader
        ) -> (address: HTTPField.Name?, port: HTTPField.Name?) {
            let own = reader.clientHeader("broker.clientAddressHeader")
            let ofSessions = reader.unreportedText("sessions.clientAddressHeader").flatMap { HTTPField.Name($0) }
            if let own, let ofSessions, own != ofSessions {
                reader.report(
                    .conflict, of: "broker.clientAddressHeader",
                    detail: "is another one than sessions.clientAddressHeader; a client has one address")
            }
            let port = reader.header("broker.clientPortHeader")
            if port != nil, own == nil, ofSessions == nil {
                reader.report(
                    .conflict, of: "broker.clientPortHeader", detail: "has no effect without broker.clientAddressHeader"
                )
            }
            return (own ?? ofSessions, port)
        }

        /// Whether the rate counters are shared by all replicas.
        var sharesCounters: Bool { records.isRedis }
    }
}

extension ServiceSettings.Gateway {
    /// The files that the settings name: the ring of keys, and the apps' statements.
    ///
    /// They are read even if other settings are at fault, so that all faults are reported together.
    struct Files: Sendable {
        /// The ring that seals records and tokens; `nil` if the setting is missing, which is a fault.
        let keyFile: String?
        let apps: [App]

        /// Reads the settings; `nil` without a broker.
        ///
        /// `ids` are the apps of the configuration.
        init?(from reader: inout SettingsReader, apps ids: [String]) {
            guard reader.isSet("broker.origin") else { return nil }
            keyFile = reader.text("broker.keyFile")
            apps = ids.map { App($0, from: &reader) }
        }

        /// The paths, which a reload looks at.
        var paths: [String] { [keyFile].compactMap(\.self) + apps.map(\.statementFile) }

        /// What the files say.
        struct Secrets: Sendable {
            let ring: SealingKeys
            /// The statement of each app, by its id.
            let statements: [String: SoftwareStatement]
        }

        /// Reads the ring and the statements; `nil` if a file is at fault, or a setting is missing.
        ///
        /// What is wrong with the files is added to `faults`.
        func read(faults: inout [SettingsFault]) -> Secrets? {
            let (ring, statements) = (ring(faults: &faults), statements(faults: &faults))
            guard let ring, statements.count == apps.count else { return nil }
            return Secrets(ring: ring, statements: statements)
        }

        /// Reads the ring; `nil` if a fault was added, or the setting is missing.
        private func ring(faults: inout [SettingsFault]) -> SealingKeys? {
            guard let keyFile else { return nil }
            return faults.reading("broker.keyFile") { () throws(SealingError) in
                try SealingKeys(contentsOfFile: keyFile)
            }
        }

        /// Reads the statements, by the ids of the apps; one that is at fault is left out.
        private func statements(faults: inout [SettingsFault]) -> [String: SoftwareStatement] {
            var statements: [String: SoftwareStatement] = [:]
            for app in apps { statements[app.id] = Self.statement(of: app, faults: &faults) }
            return statements
        }

        private static func statement(
            of app: App,
            faults: inout [SettingsFault]
        ) -> SoftwareStatement? {
            let setting = "broker.apps.\(app.id).statementFile"
            // Reported as missing already.
            guard !app.statementFile.isEmpty else { return nil }
            let content = faults.reading(setting) { () throws(FileFailure) in
                try HostSystem.Files.read(app.statementFile, maximumSize: SoftwareStatement.maximumFileSize)
                    .withSpan { [UInt8](copying: $0) }
            }
            guard let content else { return nil }
            let statement = faults.reading(setting) { () throws(BrokerRequestError) in
                try SoftwareStatement(fileContent: content)
            }
            guard let statement else { return nil }
            let claims = statement.unverifiedClaims
            guard claims.hasV2Scope || claims.scopes.isEmpty else {
                faults.append(
                    SettingsFault(
                        setting: setting, code: "statement_scope",
                        detail:
                            "the statement does not have the scope \(AccessScope.apiV2.rawValue); get a new one for "
                            + "REST API V2 from the operator"))
                return nil
            }
            return statement
        }
    }
}

/// The address of a service of the programmer's own: an origin and a path.
package struct GatewayAddress: Sendable, Hashable {
    let origin: BrokerOrigin
    /// The path with the query, which begins with a slash.
    let path: String

    /// Reads a setting by its name; `nil` if it is not set, or not an address of https.
    init?(_ name: String, from reader: inout SettingsReader) {
        guard let text = reader.text(name) else { return nil }
        guard let address = GatewayAddress(text) else {
            reader.report(
                .badValue, of: name,
                detail: "is not an address such as https://HOST/PATH; http:// is accepted for this machine only")
            return nil
        }
        self = address
    }

    /// Reads an address; `nil` if it is not one.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), !text.contains("#"),
            let start = text.firstRange(of: "://")?.upperBound
        else { return nil }
        let end = text[start...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        guard let origin = try? BrokerOrigin(parsing: String(text[..<end])) else { return nil }
        self.origin = origin
        path = text[end...].hasPrefix("/") ? String(text[end...]) : "/" + text[end...]
    }
}
#endif
