#if Service
import BrokerMessages
import SealedRecords

/// What the gateway's settings and files say, as a configuration holds it.
struct GatewayRules: Sendable {
    let settings: ServiceSettings.Gateway
    let ring: SealingKeys
    /// The statement of each app, by its id.
    let statements: [String: SoftwareStatement]

    /// Reads the files, also if the settings have faults.
    ///
    /// - Parameters:
    ///   - settings: The settings; `nil` if something is wrong with them, which is reported already.
    ///   - files: The files that they name.
    ///   - faults: Takes what is wrong with the files.
    init?(_ settings: ServiceSettings.Gateway?, reading files: GatewayFiles, faults: inout [SettingsFault]) {
        let (ring, statements) = (files.ring(faults: &faults), files.statements(faults: &faults))
        guard let settings, let ring, statements.count == files.apps.count else { return nil }
        (self.settings, self.ring, self.statements) = (settings, ring, statements)
    }
}
#endif
