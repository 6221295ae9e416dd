#if Service
import BrokerMessages
import HostSystem
import SealedRecords
import TextCodecs

/// The files that the gateway's settings name: the ring of keys, and the apps' statements.
///
/// They are read even if other settings are at fault, so that all faults are reported together.
struct GatewayFiles: Sendable {
    /// The ring that seals records and tokens; `nil` if the setting is missing, which is a fault.
    let keyFile: String?
    let apps: [GatewayAppSettings]

    /// Reads the settings; `nil` without a broker.
    ///
    /// - Parameters:
    ///   - reader: The settings.
    ///   - ids: The apps of the configuration.
    init?(from reader: inout SettingsReader, apps ids: [String]) {
        guard reader.isSet("broker.origin") else { return nil }
        keyFile = reader.text("broker.keyFile")
        apps = ids.map { GatewayAppSettings($0, from: &reader) }
    }

    /// The paths, which a reload looks at.
    var paths: [String] { [keyFile].compactMap(\.self) + apps.map(\.statementFile) }

    /// Reads the ring; `nil` if a fault was added, or the setting is missing.
    func ring(faults: inout [SettingsFault]) -> SealingKeys? {
        guard let keyFile else { return nil }
        do throws(SealingError) {
            return try SealingKeys(contentsOfFile: keyFile)
        } catch {
            faults.append(SettingsFault(setting: "broker.keyFile", code: error.code, detail: error.description))
            return nil
        }
    }

    /// Reads the statements, by the ids of the apps; one that is at fault is left out.
    func statements(faults: inout [SettingsFault]) -> [String: SoftwareStatement] {
        var statements: [String: SoftwareStatement] = [:]
        for app in apps { statements[app.id] = Self.statement(of: app, faults: &faults) }
        return statements
    }

    private static func statement(
        of app: GatewayAppSettings,
        faults: inout [SettingsFault]
    ) -> SoftwareStatement? {
        let setting = "broker.apps.\(app.id).statementFile"
        // Reported as missing already.
        guard !app.statementFile.isEmpty else { return nil }
        let content: [UInt8]
        do throws(FileFailure) {
            content = try Files.read(app.statementFile, maximumSize: SoftwareStatement.maximumFileSize)
                .withSpan { [UInt8](copying: $0) }
        } catch {
            faults.append(SettingsFault(reading: setting, error))
            return nil
        }
        do throws(BrokerRequestError) {
            let statement = try SoftwareStatement(fileContent: content)
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
        } catch {
            faults.append(SettingsFault(setting: setting, code: error.code, detail: error.description))
            return nil
        }
    }
}
#endif
