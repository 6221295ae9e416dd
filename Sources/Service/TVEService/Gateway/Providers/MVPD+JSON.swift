#if Service
import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

extension MVPD {
    /// The name that people are shown.
    var nameForPeople: String { displayName ?? id.rawValue }

    /// The provider as apps see it.
    ///
    /// - Parameter hasPartnerFlags: Whether it has what a device with a sign-on partner needs.
    /// - Returns: The members of the JSON object.
    func object(withPartnerFlags hasPartnerFlags: Bool) -> JSONWriter {
        var object = JSONWriter()
        object.member("id", id.rawValue)
        object.member("name", nameForPeople)
        if let logoURL, logoURL.hasPrefix("https://") { object.member("logo", logoURL) }
        if isTemporaryAccess == true { object.member("temporary", true) }
        guard hasPartnerFlags else { return object }
        var partner = JSONWriter()
        if let platformMappingID { partner.member("mappingId", platformMappingID) }
        if let boardingStatus { partner.member("boardingStatus", boardingStatus.rawValue) }
        if let enablesPlatformServices { partner.member("platformServices", enablesPlatformServices) }
        if let appearsInPlatformPicker { partner.member("inPlatformPicker", appearsInPlatformPicker) }
        if let enforcesPlatformPermissions { partner.member("enforcesPermission", enforcesPlatformPermissions) }
        object.member("partner", partner)
        return object
    }
}

extension DeviceInfo {
    /// How the device is named on another screen: its maker and model, or else its kind.
    var nameForPeople: String {
        let kind = self[.primaryHardwareType].map { Self.kinds[$0] ?? $0 }
        let maker = self[.manufacturer] ?? self[.vendor]
        let model = [maker, self[.model]].compactMap(\.self).joined(separator: " ")
        guard !model.isEmpty else { return kind ?? "Device" }
        return kind.map { "\(model) (\($0))" } ?? model
    }

    private static let kinds = [
        "TV": "TV", "SetTopBox": "set-top box", "GamesConsole": "games console", "MediaPlayer": "media player",
        "MobilePhone": "phone", "Tablet": "tablet", "Desktop": "computer", "Projector": "projector",
    ]
}
#endif
