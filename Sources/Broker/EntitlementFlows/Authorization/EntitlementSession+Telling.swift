#if Client
import BrokerClient
import EntitlementValues
import MediaTokens

// A request for authorization, and what is told of its end.
extension EntitlementSession {
    /// Asks for a decision, and tells it.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - decider: Who decides.
    ///   - requestor: The requestor.
    ///   - tellsStatus: Whether the status of the authentication is told first.
    ///   - endsWithSignIn: Whether a sign-in follows if the broker says that the user is not signed in anymore. Nothing is
    ///     told then, and the answer is the failure `.notAuthenticated`.
    /// - Returns: The decision, or why there is none.
    func decision(
        on resource: ResourceID,
        by decider: Decider,
        requestor: RequestorID,
        tellsStatus: Bool = false,
        endsWithSignIn: Bool = false
    ) async -> Result<AuthorizationOutcome, EntitlementFlowError> {
        do throws(EntitlementFlowError) {
            let ruling = try await ruling(on: resource, by: decider, requestor: requestor)
            switch ruling {
            case .permitted(let playback):
                if tellsStatus { tell(.authenticationStatus(.authenticated(decider.signIn))) }
                tell(playback, by: decider.signIn)
                return .success(.permitted(playback))
            case .denied(let denial):
                if tellsStatus { tell(.authenticationStatus(.authenticated(decider.signIn))) }
                tell(.denied(denial), by: decider.signIn)
                return .success(.denied(denial))
            case .signedOut(let denial):
                // Who has used temporary access up is told so, and chooses a provider the next time.
                if endsWithSignIn, denial.error?.saysThatAccessIsUsedUp != true { return .failure(.notAuthenticated) }
                if tellsStatus { tell(.authenticationStatus(.notAuthenticated)) }
                tell(.denied(denial), by: decider.signIn)
                return .success(.denied(denial))
            }
        } catch {
            if tellsStatus, error != .superseded { tell(.authenticationStatus(.authenticated(decider.signIn))) }
            tell(.failed(resource, error), by: decider.signIn)
            return .failure(error)
        }
    }

    /// Tells of a permit: `setToken`, the status of a rule or of temporary access, and tracking.
    private func tell(_ playback: AuthorizedPlayback, by signIn: SignIn) {
        tell(.permitted(playback))
        if let status = SessionStatus(permittedBy: playback.source) { tell(.status(status)) }
        tell(
            .tracking(
                TrackingEvent(
                    .authorization, isSuccess: true, mvpd: playback.mvpd, guid: playback.token.guid ?? guid(of: signIn),
                    isCached: playback.isCached, on: TrackedDevice(context.info))))
    }

    /// Tells of a request for authorization that did not end with a permit: `tokenRequestFailed`, status, tracking.
    ///
    /// - Parameters:
    ///   - failure: How it ended.
    ///   - signIn: The sign-in with the provider that was asked; `nil` if there was none to ask.
    func tell(_ failure: TokenRequestFailure, by signIn: SignIn?) {
        tell(.tokenRequestFailed(failure))
        if let status = failure.status { tell(.status(status)) }
        tell(
            .tracking(
                TrackingEvent(
                    .authorization, isSuccess: false, mvpd: signIn?.mvpd, guid: guid(of: signIn),
                    refusal: failure.namedError.rawValue, details: failure.details,
                    on: TrackedDevice(context.info))))
    }
}

extension PlaybackToken {
    /// The user, by the name that tracking has used; `nil` unless the token is verified.
    fileprivate var guid: String? { verified?.sessionGUID.rawValue }
}
#endif
