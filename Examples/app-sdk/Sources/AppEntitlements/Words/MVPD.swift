/// A provider, with the properties of the operator's class of this name.
public struct MVPD: Sendable, Hashable, Codable {
    /// The provider's identifier, `ID` in the operator's class.
    public let id: String
    /// What to call the provider.
    public let displayName: String
    /// The address of the logo, `https`; `nil` if there is none.
    public let logoURL: String?
    /// Whether it signs in by the partner of the device's system.
    public let enablePlatformServices: Bool
    /// `PICKER`, `SUPPORTED`, or another text of the broker; `nil` if it says none.
    public let boardingStatus: String?
    /// What the partner of the device's system calls the provider; `nil` if it does not know it.
    public let platformMappingID: String?
    /// Whether it gives temporary access.
    public let isTemporaryAccess: Bool

    /// Names a provider of which nothing else is known.
    init(id: String) {
        (self.id, displayName, logoURL) = (id, id, nil)
        (enablePlatformServices, boardingStatus, platformMappingID, isTemporaryAccess) = (false, nil, nil, false)
    }

    private init?(_ value: JSONValue) {
        guard let id = value["id"]?.text, let name = value["name"]?.text else { return nil }
        let partner = value["partner"]
        (self.id, displayName, logoURL) = (id, name, value["logo"]?.text)
        enablePlatformServices = partner?["platformServices"]?.boolean ?? false
        boardingStatus = partner?["boardingStatus"]?.text
        platformMappingID = partner?["mappingId"]?.text
        isTemporaryAccess = value["temporary"]?.boolean ?? false
    }

    /// Reads a list of providers; elements that are not providers are left out.
    static func list(_ value: JSONValue?) -> [MVPD] { (value?.elements ?? []).compactMap(MVPD.init) }
}
