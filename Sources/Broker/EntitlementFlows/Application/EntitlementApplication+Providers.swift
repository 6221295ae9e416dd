#if Client
public import BrokerClient
import BrokerMessages
public import EntitlementValues
public import ServiceResponses

extension EntitlementApplication {
    /// The providers that users of a platform choose from, without a device of theirs.
    ///
    /// For a list that is shown before a device is known to the broker. Sessions of devices of the same platform share it:
    /// it is asked for every two minutes at most, at the caller's origin.
    ///
    /// - Parameters:
    ///   - requestor: The brand.
    ///   - caller: Who asks: a device of the application's own, which says of itself what the user's device does: by that
    ///     the broker tells platforms apart.
    ///   - profile: The name of an application profile (``SessionOptions/profile``).
    /// - Returns: The providers, in the broker's order.
    /// - Throws: `.broker`, `.cancelled`.
    public func providers(
        requestor: RequestorID,
        for caller: Caller,
        profile: String? = nil
    ) async throws(EntitlementFlowError) -> [MVPD] {
        let key = SharedAnswers.ListKey(
            origin: caller.broker.environment.api, requestor: requestor, platform: caller.device.info.platform,
            profile: profile)
        do throws(BrokerError) {
            return try await shared.list(key, by: caller).mvpds
        } catch {
            throw EntitlementFlowError(error)
        }
    }
}

extension DeviceInfo {
    /// The parts that name the platform.
    var platform: [String] {
        let keys: [DeviceInfo.Key] = [.primaryHardwareType, .manufacturer, .model, .osName, .osFamily, .osVendor]
        return keys.map { self[$0] ?? "" }
    }
}
#endif
