#if Client
public import DeviceRecords
import EntitlementValues
public import ServiceResponses

extension MVPD {
    /// The properties of the operator's class `MVPD`.
    ///
    /// They are `ID`, `displayName`, `logoURL`, `enablePlatformServices` (`false` if the broker does not say) and
    /// `boardingStatus` (`nil`, `PICKER`, `SUPPORTED`, or a text that is not known).
    public var legacyDictionary: LegacyValue { ChosenProvider(self).legacyDictionary }
}

extension ChosenProvider {
    /// The properties of the operator's class `MVPD`, as in the list of providers.
    public var legacyDictionary: LegacyValue {
        .dictionary([
            "ID": .text(id.rawValue),
            "displayName": LegacyValue(displayName),
            "logoURL": LegacyValue(logoURL),
            "enablePlatformServices": .boolean(enablesPlatformServices ?? false),
            "boardingStatus": LegacyValue(boardingStatus?.rawValue),
        ])
    }
}
#endif
