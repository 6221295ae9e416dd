#if Client
import EntitlementValues
import ServiceResponses

extension Exchange {
    /// `GET /SP/configuration`: the brand's domains and providers.
    ///
    /// What concerns a platform's sign-on is only shown to devices of that platform.
    func configuration(of requestor: SimulatedRequestor, _ world: SimulatedWorld) -> Reply {
        let isPartnerPlatform = headers.deviceInfo?.isOfPartnerPlatform ?? false
        let mvpds = requestor.mvpds.compactMap { id in
            world.mvpd(id).map { MVPD($0, withPartner: isPartnerPlatform) }
        }
        let configuration = RequestorConfiguration(
            id: requestor.id, name: requestor.name,
            domains: requestor.domains.map { ConfiguredDomain(name: $0, isMVPDInitiated: false) }, mvpds: mvpds)
        return .json(ConfigurationResponse(requestor: configuration).encoded())
    }
}

extension MVPD {
    fileprivate init(_ mvpd: SimulatedMVPD, withPartner showsPartner: Bool) {
        let partner = showsPartner ? mvpd.partner : nil
        self.init(
            id: mvpd.id,
            displayName: mvpd.displayName,
            logoURL: mvpd.logoURL,
            isTemporaryAccess: mvpd.temporaryAccess != nil,
            isProxy: mvpd.proxy != nil,
            boardingStatus: (partner?.boarding).map { BoardingStatus($0.rawValue) },
            platformMappingID: partner?.mappingID,
            enablesPlatformServices: partner?.isEnabled,
            appearsInPlatformPicker: partner?.isInPlatformPicker,
            enforcesPlatformPermissions: partner?.enforcesPermissions,
            authenticatesPerAggregator: false,
            allowsPassiveAuthentication: false,
            authenticatesPerBrowserSession: false)
    }
}
#endif
