/// A header field that some of the broker's endpoints take, and others do not.
///
/// The name of a platform's token differs by platform, so this is a column of the reference, not the name of a field.
package enum RequestField: Sendable, Hashable, CaseIterable {
    case authorization
    case deviceIdentifier
    case deviceInfo
    case clientAddress
    case platformToken
    case serviceToken
    case partnerStatus
    case temporaryIdentity
    case visitorIdentifier

    /// The names that the field may have; one, but for a platform's token.
    package var names: [String] {
        switch self {
        case .authorization: [BearerToken.name]
        case .deviceIdentifier: [DeviceIdentifier.name]
        case .deviceInfo: [DeviceInfo.name]
        case .clientAddress: [ClientAddress.name]
        case .platformToken: PlatformToken.names
        case .serviceToken: [ServiceToken.name]
        case .partnerStatus: [PartnerFrameworkStatus.name]
        case .temporaryIdentity: [TemporaryIdentity.name]
        case .visitorIdentifier: [VisitorIdentifier.name]
        }
    }
}
