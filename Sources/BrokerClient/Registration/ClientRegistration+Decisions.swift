#if Client
public import BrokerMessages
import DeviceRecords
import EntitlementValues

// What the application decides. Calls register a device by themselves only if it never was.
extension ClientRegistration {
    /// Registers the device unless it is registered already.
    ///
    /// Calls do so by themselves; this is for start-up, and for tools.
    ///
    /// - Parameters:
    ///   - clientAddress: The client's address, by which the broker counts requests; `nil` puts the request into the count
    ///     of this server itself.
    ///   - timeLimit: How long it may take in all; the limit of the broker's settings if none is given.
    /// - Returns: The device's credentials, which are stored.
    /// - Throws: `BrokerError`.
    public func register(
        at clientAddress: ClientAddress?,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> ClientCredentials {
        let deadline = broker.time.uptime + (timeLimit ?? broker.settings.timeLimit)
        let registration = await broker.time.running(untilUptime: deadline) { [self] in
            await Result(of: { () throws(BrokerError) in
                try await registered(device, at: clientAddress, before: deadline).credentials
            })
        }
        if Task.isCancelled { throw .cancelled }
        // The request goes on if others wait for it.
        guard let registration else { throw .transport(TransportFailure(.timeout, mayHaveBeenSent: true)) }
        return try registration.get()
    }

    /// Forgets the device's credentials and access token, so that the next call registers it anew.
    ///
    /// **All logins of the device end with its credentials.** Do this only if the broker refuses them
    /// (``RegistrationRefusal/Decision/registerAnew``) and the user may be asked to sign in again, or if the device is
    /// given up.
    ///
    /// - Returns: Whether there were credentials.
    /// - Throws: `BrokerError.store` or `.cancelled`.
    @discardableResult
    public func forget() async throws(BrokerError) -> Bool {
        let known = try await known
        if let known {
            let scope = scope
            try await change { $0.forget(known.credentials, for: scope) }
        }
        dropToken()
        return known != nil
    }
}
#endif
