#if Client
public import EntitlementValues

extension Broker {
    /// Lets temporary access begin anew.
    ///
    /// Operators of an application do this for tests and for customer care. It has no answer but its success, and it is
    /// repeated after a failure only if nothing was sent.
    ///
    /// - Parameters:
    ///   - scope: For which devices or identities.
    ///   - mvpd: The pseudo provider of the temporary access.
    ///   - requestor: The brand.
    ///   - caller: A registration that may reset; nothing of the device is sent.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Throws: `BrokerError`; ``RequestFault/noManagement`` before anything is sent if the broker's
    ///   ``BrokerEnvironment/management`` is not known.
    public func resetTemporaryAccess(
        _ scope: TemporaryAccessScope,
        mvpd: MVPDID,
        requestor: RequestorID,
        as caller: Caller,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) {
        let (endpoint, parameter) = (scope.endpoint, try scope.parameter)
        for (name, value) in [("requestor", requestor.rawValue), ("mvpd", mvpd.rawValue)] where value.isEmpty {
            throw .request(.badIdentifier(name: name))
        }
        let form = RequestForm(
            query: [("requestor_id", requestor.rawValue), ("mvpd_id", mvpd.rawValue), parameter])
        let request = try request(endpoint, form, known: KnownFields(of: caller))
        let call = BrokerCall(endpoint, request) { _ throws(BrokerError) in }
        try await perform(call, as: caller, priority: .foreground, timeLimit: timeLimit)
    }
}
#endif
