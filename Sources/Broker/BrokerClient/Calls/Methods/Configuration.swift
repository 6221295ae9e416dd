#if Client
public import EntitlementValues
public import ServiceResponses

extension Caller {
    /// Asks which providers a requestor works with: what a picker shows.
    ///
    /// Ask only when a picker is shown, and keep the answer for 3 to 5 minutes. It depends on the device's platform, which the
    /// broker sees from the caller's device information.
    ///
    /// - Parameters:
    ///   - requestor: The brand.
    ///   - profile: The name of an application profile, which the broker takes without documenting it; usually `nil`.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The requestor's domains and providers.
    /// - Throws: `BrokerError`.
    public func configuration(
        requestor: RequestorID,
        profile: String? = nil,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> ConfigurationResponse {
        let form = RequestForm(
            path: [.requestor: requestor.rawValue], query: profile.map { [("profile", $0)] } ?? [])
        return try await call(.configuration, form, timeLimit: timeLimit)
    }
}
#endif
