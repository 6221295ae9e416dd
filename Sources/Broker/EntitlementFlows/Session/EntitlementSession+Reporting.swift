#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// Runs a part of an authentication, and tells its failure.
    ///
    /// A call that was cancelled tells nothing, and neither does one of which another took the place: that one tells.
    ///
    /// - Parameter body: The part.
    /// - Returns: What it returned.
    /// - Throws: What it threw.
    func reporting<Answer: Sendable>(
        _ body: () async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        do throws(EntitlementFlowError) {
            return try await body()
        } catch {
            tellFailure(of: error, ending: state.pending)
            throw error
        }
    }

    /// Tells that an authentication has failed, and ends the authorization that waited for it.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - request: The authorization; `nil` if none waits.
    func tellFailure(of error: EntitlementFlowError, ending request: PendingAuthorization?) {
        tell(telling.failed(error))
        end(state.signInFailed(error, for: request))
    }

    /// Ends the waits for a sign-in with its success, tells it, and carries the authorization on that waited for it.
    ///
    /// It runs inside of a command.
    ///
    /// - Parameters:
    ///   - signIn: Who is signed in.
    ///   - requestor: The requestor.
    ///   - isTold: Whether the sign-in is told; not if the user was not asked for it. What waited for it is.
    ///   - endsWait: Whether the waits end; not if they are for another sign-in.
    func succeed(
        with signIn: SignIn,
        requestor: RequestorID,
        telling isTold: Bool = true,
        endingWait endsWait: Bool = true
    ) async {
        end(state.signedIn(signIn, endingWait: endsWait))
        if isTold { tell(telling.signedIn(signIn)) }
        await carryOn(state.pending, requestor: requestor)
    }

    /// Decides an authorization that waits for a sign-in, if it is still the one that waits: for the client that asked for
    /// it, whatever has found the sign-in.
    func carryOn(_ request: PendingAuthorization?, requestor: RequestorID) async {
        guard let request = state.takePending(request) else { return }
        var asked = request.context
        // The partner may have signed the user in meanwhile.
        asked.options.partnerStatus = context.options.partnerStatus
        try? await run(in: asked) { () throws(EntitlementFlowError) in await decide(request, requestor: requestor) }
    }

    /// Ends what has ended, and tells it.
    func end(_ ended: SessionState.Ended) {
        if let (wait, verdict) = ended.wait { wait.stop(with: verdict) }
        guard let (request, error) = ended.pending else { return }
        request.end(with: .failure(error))
        tell(telling.pendingEnded(request.resource, with: error))
    }
}
#endif
