/// What an error means.
///
/// Codes that have the same meaning are told apart by nothing but their documented action, and by name where one of them
/// alone matters.
package enum EnhancedErrorMeaning: Sendable, Hashable, CaseIterable {
    // MARK: The user

    /// There is no profile of the user, or not anymore.
    case profileGone
    /// The provider does not accept the user of the profile anymore.
    case userNotAccepted
    /// The provider, or a rule in its place, does not let the user watch.
    case denied
    /// The rules for the home network do not let the user watch.
    case deniedAtHome
    /// A rule of degraded operation does not let the user watch.
    case deniedByDegradation
    /// The time of temporary access is over.
    case accessTimeOver
    /// The resources of temporary access are used up.
    case accessUsedUp
    /// The provider is unknown, or not integrated with the service provider.
    case providerUnknown
    /// Temporary access needs an identity of the user.
    case identityMissing
    /// The code or the session of a sign-in has ended.
    case codeEnded

    // MARK: The single sign-on partner

    /// It is not known whether the user permits access to the partner's account.
    case partnerUndetermined
    /// The user does not permit access to the partner's account.
    case partnerDenied
    /// The partner's status does not name the provider, or not anymore.
    case partnerStatusBad
    /// The partner or its response is wrong.
    case partnerRequestBad

    // MARK: The application

    /// The client's credentials are not valid anymore.
    case clientEnded
    /// The client's credentials are for another service provider.
    case otherBrand
    /// The list of resources is missing, malformed or too long.
    case resourcesBad
    /// The service provider is missing or unknown.
    case requestorUnknown
    /// The address to return to is missing or not allowed.
    case redirectRefused
    /// What the device says of itself is missing or malformed.
    case deviceBad

    // MARK: The service

    /// The provider could not be asked.
    case providerNotReached
    /// The service failed.
    case brokerFailed
    /// The service is misconfigured.
    case misconfigured
}
