#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// Runs a part of an authentication, tells its failure, and throws it.
    ///
    /// A call that was cancelled tells nothing, and neither does one of which another took the place: that one tells.
    func reporting<Answer: Sendable>(
        _ context: CallContext,
        _ body: () async throws(EntitlementFlowError) -> Answer
    ) async throws(EntitlementFlowError) -> Answer {
        do throws(EntitlementFlowError) {
            return try await body()
        } catch {
            tellFailure(of: error, ending: state.pending, context)
            throw error
        }
    }

    /// Tells that an authentication has failed, and ends the authorization that waited for it, if one did.
    func tellFailure(of error: EntitlementFlowError, ending request: PendingAuthorization?, _ context: CallContext) {
        tell(telling(context).failed(error), context)
        end(state.signInFailed(error, for: request), context)
    }

    /// Ends the wait for a sign-in with its success, tells it, and carries the authorization on that waited for it.
    ///
    /// It runs inside of a command. `isTold` says whether the sign-in is told; not if the user was not asked for it.
    /// What waited for it is told in any case. `endsWait` says whether the wait ends; not if it is for another
    /// sign-in.
    func succeed(
        with signIn: SignIn,
        _ call: SessionCall,
        telling isTold: Bool = true,
        endingWait endsWait: Bool = true
    ) async {
        end(state.signedIn(signIn, endingWait: endsWait), call.context)
        if isTold { tell(telling(call.context).signedIn(signIn), call.context) }
        await carryOn(state.pending, call)
    }

    /// Decides an authorization that waits for a sign-in, if it is still the one that waits: for the client that asked for
    /// it, whatever has found the sign-in.
    func carryOn(_ request: PendingAuthorization?, _ call: SessionCall) async {
        guard let request = state.takePending(request) else { return }
        var asked = SessionCall(for: call.requestor, in: request.context)
        // The partner may have signed the user in meanwhile.
        asked.context.options.partnerStatus = call.context.options.partnerStatus
        await decide(request, asked)
    }

    /// Ends what has ended, and tells it.
    func end(_ ended: SessionState.Ended, _ context: CallContext) {
        if let (wait, verdict) = ended.wait { wait.stop(with: verdict) }
        guard let (request, error) = ended.pending else { return }
        request.end(with: .failure(error))
        tell(telling(context).pendingEnded(request.resource, with: error), context)
    }
}
#endif
