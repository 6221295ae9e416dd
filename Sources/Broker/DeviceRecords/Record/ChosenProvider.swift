public import EntitlementValues
public import ServiceResponses

/// The provider that a user chose, with what the broker's configuration said of it.
///
/// It is kept so that a returning user sees it on any host without the configuration.
public struct ChosenProvider: Sendable, Hashable {
    /// The provider.
    public let id: MVPDID
    /// Its name for people.
    public let displayName: String?
    /// The address of its logo.
    public let logoURL: String?
    /// Whether single sign-on through the device's platform is enabled for it.
    public let enablesPlatformServices: Bool?
    /// Its state of introduction at the device's single sign-on partner.
    public let boardingStatus: BoardingStatus?
    /// Whether it stands for temporary access without signing in: its decisions are not asked for twice.
    public let isTemporary: Bool?
    /// The origin of the broker that the provider is pinned to; `nil` if there is only one.
    public let origin: String?
    /// Members that this library does not know, from a newer release.
    var unknownFields: [JSONField]

    /// Describes a provider.
    ///
    /// - Parameters:
    ///   - id: The provider.
    ///   - displayName: Its name for people.
    ///   - logoURL: The address of its logo.
    ///   - enablesPlatformServices: Whether single sign-on through the device's platform is enabled for it.
    ///   - boardingStatus: Its state of introduction at the device's single sign-on partner.
    ///   - isTemporary: Whether it stands for temporary access without signing in.
    ///   - origin: The origin of the broker that it is pinned to.
    public init(
        id: MVPDID,
        displayName: String? = nil,
        logoURL: String? = nil,
        enablesPlatformServices: Bool? = nil,
        boardingStatus: BoardingStatus? = nil,
        isTemporary: Bool? = nil,
        origin: String? = nil
    ) {
        (self.id, self.displayName, self.logoURL) = (id, displayName, logoURL)
        (self.enablesPlatformServices, self.boardingStatus) = (enablesPlatformServices, boardingStatus)
        (self.isTemporary, self.origin, unknownFields) = (isTemporary, origin, [])
    }

    /// Takes what is kept of a provider out of the configuration.
    ///
    /// - Parameters:
    ///   - mvpd: The provider, as the broker lists it.
    ///   - origin: The origin of the broker that it is pinned to.
    public init(_ mvpd: MVPD, pinnedTo origin: String? = nil) {
        self.init(
            id: mvpd.id, displayName: mvpd.displayName, logoURL: mvpd.logoURL,
            enablesPlatformServices: mvpd.enablesPlatformServices, boardingStatus: mvpd.boardingStatus,
            isTemporary: mvpd.isTemporaryAccess, origin: origin)
    }
}
