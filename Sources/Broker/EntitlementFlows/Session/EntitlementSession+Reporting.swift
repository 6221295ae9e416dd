#if Client
import BrokerMessages
import EntitlementValues
import ServiceResponses

extension EntitlementSession {
    /// Tells the code of a failure, if the operator's library told one.
    func tellStatus(of error: EntitlementFlowError, in call: LegacyCall) {
        if let status = SessionStatus(of: error, in: call) { tell(.status(status)) }
    }

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
            tellFailure(of: error, ending: pending)
            throw error
        }
    }

    /// Tells that an authentication has failed, and ends the authorization that waited for it.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - request: The authorization; `nil` if the sign-in can go on, so that what waits for it stays.
    func tellFailure(of error: EntitlementFlowError, ending request: PendingAuthorization?) {
        switch error {
        case .cancelled, .superseded: return
        case .unknownProvider: tell(.authenticationStatus(.providerNotAvailable))
        case .notAuthenticated: tell(.authenticationStatus(.notAuthenticated))
        default: tell(.authenticationStatus(.failed(error)))
        }
        tellStatus(of: error, in: .authentication)
        track(.authentication, isSuccess: false, mvpd: nil)
        end(request, with: error)
    }

    /// Tells that the browser came back, and the broker could not be asked whether the user is signed in; nothing has ended.
    func tellUnconfirmed(because error: EntitlementFlowError) {
        tell(.authenticationStatus(.unconfirmed(error)))
        tellStatus(of: error, in: .authentication)
        track(.authentication, isSuccess: false, mvpd: nil)
    }

    /// Tells that the user is signed in.
    func tell(_ signIn: SignIn, isCached: Bool = false) {
        tell(.authenticationStatus(.authenticated(signIn)))
        let reason = signIn.isTemporary ? .temporary : signIn.reason
        if let status = SessionStatus(signedInBecause: reason) { tell(.status(status)) }
        track(.authentication, isSuccess: true, mvpd: signIn.mvpd, guid: guid(of: signIn), isCached: isCached)
    }

    /// Ends the waits for a sign-in with its success, tells it, and carries the authorization on that waited for it.
    ///
    /// It runs inside of a command.
    ///
    /// - Parameters:
    ///   - signIn: Who is signed in.
    ///   - requestor: The requestor.
    ///   - isTold: Whether the sign-in is told; not if the user was not asked for it. What waited for it is.
    ///   - endsWatch: Whether the waits end; not if they are for another sign-in.
    func succeed(
        with signIn: SignIn,
        requestor: RequestorID,
        telling isTold: Bool = true,
        endingWatch endsWatch: Bool = true
    ) async {
        if endsWatch { endWatch(with: .success(signIn)) }
        if isTold { tell(signIn) }
        await carryOn(pending, requestor: requestor)
    }

    /// Decides an authorization that waits for a sign-in, if it is still the one that waits: for the client that asked for
    /// it, whatever has found the sign-in.
    func carryOn(_ request: PendingAuthorization?, requestor: RequestorID) async {
        guard let request, request === pending else { return }
        pending = nil
        var asked = request.context
        // The partner may have signed the user in meanwhile.
        asked.options.partnerStatus = context.options.partnerStatus
        try? await run(in: asked) { () throws(EntitlementFlowError) in await decide(request, requestor: requestor) }
    }
}
#endif
