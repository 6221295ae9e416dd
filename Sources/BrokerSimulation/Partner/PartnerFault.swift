#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

extension PartnerFrameworkStatus? {
    /// Why the status of a device platform cannot be used; `nil` if it can.
    ///
    /// A status without an end counts as expired.
    func partnerFault(at now: Timestamp) -> EnhancedErrorCode? {
        guard let status = self else { return .invalidHeaderPFSPermissionAccessNotPresent }
        switch status.permission.accessStatus {
        case .granted: break
        case .notDetermined: return .invalidHeaderPFSPermissionAccessNotDetermined
        default: return .invalidHeaderPFSPermissionAccessNotGranted
        }
        guard let id = status.provider.mappingID, !id.isEmpty else { return .invalidHeaderPFSProviderIDNotDetermined }
        guard let end = status.provider.expires, now < end else { return .invalidHeaderPFSProviderInfoExpired }
        return nil
    }
}

extension SimulatedWorld {
    /// The provider of a platform's id.
    func mvpd(ofMapping id: String) -> SimulatedMVPD? {
        mvpds.first { $0.partner?.mappingID.utf8.elementsEqual(id.utf8) ?? false }
    }
}
#endif
