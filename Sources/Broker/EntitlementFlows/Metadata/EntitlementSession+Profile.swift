#if Client
import BrokerMessages
import DeviceRecords
import EntitlementValues
public import ServiceResponses

extension EntitlementSession {
    /// The profile of the user who is signed in, with all attributes as the broker sent them.
    ///
    /// Encrypted attributes stay encrypted; decrypt what is needed of them with
    /// `UserMetadata.decrypted(with:)`.
    ///
    /// - Parameter source: Where the answer comes from. By default the broker is asked, with one call, only if the profile
    ///   is not known, or if it was never asked for this device, and nothing is told. ``StatusSource/broker`` asks it in
    ///   any case, and events tell what has changed.
    /// - Returns: The profile; `nil` if the user is not signed in, or, for ``StatusSource/localOnly``, if it is not known.
    /// - Throws: `EntitlementFlowError`.
    public func profile(_ source: StatusSource = .record) async throws(EntitlementFlowError) -> Profile? {
        try await requestorCommand { call throws(EntitlementFlowError) in
            switch source {
            case .record: return try await recordWithProfile(call)?.profile?.profile
            case .localOnly:
                let record = try await record(call)
                return record.signIn(at: application.time.now) == nil ? nil : record.profile?.profile
            case .broker:
                let answer = try await foreground(call)
                return answer.signIn == nil ? nil : answer.record.profile?.profile
            }
        }
    }
}
#endif
