#if Client
public import EntitlementValues

/// A request for authorization that waits until the user has signed in.
///
/// One waits in a session; a newer one takes its place, and this one ends as superseded.
public final class PendingAuthorization: Sendable {
    /// The resource.
    public let resource: ResourceID

    /// What the device said of itself and wanted when it asked.
    let context: CallContext
    private let promise = Promise<AuthorizationOutcome>()

    package init(of resource: ResourceID, in context: CallContext) {
        (self.resource, self.context) = (resource, context)
    }

    /// Waits for the decision.
    ///
    /// - Returns: The decision.
    /// - Throws: `EntitlementFlowError`; `.superseded` if the session asked for another resource or the sign-in was
    ///   cancelled, `.cancelled` if the calling task was.
    public func outcome() async throws(EntitlementFlowError) -> AuthorizationOutcome { try await promise.value() }

    /// Whether a task waits for the decision.
    package var isAwaited: Bool { promise.isAwaited }

    /// Ends the wait; later ends change nothing.
    func end(with answer: Result<AuthorizationOutcome, EntitlementFlowError>) { promise.end(with: answer) }
}
#endif
