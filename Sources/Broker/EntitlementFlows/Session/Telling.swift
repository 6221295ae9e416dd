#if Client
package import BrokerMessages
package import EntitlementValues
import MediaTokens
import OpenSSLBridge
import ServiceResponses
import TextCodecs

/// What a session tells of an outcome: its events, in their order.
package struct Telling: Sendable {
    private let info: DeviceInfo
    private let identifier: DeviceIdentifier

    /// For a call, by what the device says of itself in it, and by its identifier.
    package init(of info: DeviceInfo, _ identifier: DeviceIdentifier) {
        (self.info, self.identifier) = (info, identifier)
    }

    // MARK: Requestor

    package func requestorFailed(_ error: EntitlementFlowError) -> [SessionEvent] {
        [.requestorComplete(false)] + status(of: error, in: .setRequestor)
    }

    // MARK: Authentication

    package func signedIn(_ signIn: SignIn, isCached: Bool = false) -> [SessionEvent] {
        let reason = signIn.isTemporary ? .temporary : signIn.reason
        let event = tracking(
            .authentication, isSuccess: true, mvpd: signIn.mvpd, guid: guid(of: signIn), isCached: isCached)
        return [.authenticationStatus(.authenticated(signIn))] + status(SessionStatus(signedInBecause: reason)) + [
            event
        ]
    }

    /// Answers the question for the status.
    package func notSignedIn(isCached: Bool, hasUsedUpAccess: Bool = false) -> [SessionEvent] {
        [
            .authenticationStatus(.notAuthenticated), .status(SessionStatus(.notAuthenticated)),
            tracking(.authentication, isSuccess: false, isCached: isCached),
        ] + status(hasUsedUpAccess ? SessionStatus(.temporaryAccessEnded) : nil)
    }

    /// Tells of a sign-in that has ended, which the app did not ask about.
    package func notSignedInAnymore(hasUsedUpAccess: Bool) -> [SessionEvent] {
        [.authenticationStatus(.notAuthenticated)]
            + status(hasUsedUpAccess ? SessionStatus(.temporaryAccessEnded) : nil)
            + [tracking(.authentication, isSuccess: false)]
    }

    /// Tells that an authentication has failed; nothing if it was given up.
    package func failed(_ error: EntitlementFlowError) -> [SessionEvent] {
        switch error {
        case _ where error.isGivenUp: []
        case .unknownProvider: failed(error, as: .providerNotAvailable)
        case .notAuthenticated: failed(error, as: .notAuthenticated)
        default: failed(error, as: .failed(error))
        }
    }

    /// Tells that the browser came back, and the broker could not be asked whether the user is signed in; nothing has ended.
    package func unconfirmed(because error: EntitlementFlowError) -> [SessionEvent] {
        failed(error, as: .unconfirmed(error))
    }

    private func failed(_ error: EntitlementFlowError, as result: AuthenticationResult) -> [SessionEvent] {
        [.authenticationStatus(result)] + status(of: error, in: .authentication)
            + [tracking(.authentication, isSuccess: false)]
    }

    package func picker(_ choice: ProviderChoice) -> [SessionEvent] {
        [.chooseProvider(choice), .status(SessionStatus(.notAuthenticated))]
    }

    package func chosen(_ mvpd: MVPDID) -> [SessionEvent] {
        [tracking(.providerSelection, isSuccess: true, mvpd: mvpd)]
    }

    package func cancelled() -> [SessionEvent] {
        [.authenticationStatus(.noProviderChosen), .status(SessionStatus(.pickerCancelled))]
    }

    // MARK: Partner

    package func partnerPickerClosed() -> [SessionEvent] {
        [.status(SessionStatus(.pickerCancelled)), .authenticationStatus(.noProviderChosen)]
    }

    /// Tells why the account of the device cannot be used.
    package func partnerRefused(in framework: PartnerFrameworkStatus) -> [SessionEvent] {
        status(SessionStatus(partnerAccess: framework.permission.accessStatus))
    }

    // MARK: Authorization

    /// Tells what was decided.
    package func decided(_ decided: Decided) -> [SessionEvent] {
        switch decided {
        case .permitted(let playback, let signIn): permitted(playback, by: signIn)
        case .denied(let denial, let signIn): refused(.denied(denial), by: signIn)
        case .notSignedIn(let resource): refused(.notAuthenticated(resource))
        case .failed(let resource, let error, let signIn): refused(.failed(resource, error), by: signIn)
        }
    }

    /// Tells, before a decision, what it says of the sign-in: nothing if another one took its place.
    package func signIn(by decided: Decided) -> [SessionEvent] {
        switch decided {
        case .denied(let denial, _) where denial.endsSignIn: [.authenticationStatus(.notAuthenticated)]
        case .permitted(_, let signIn), .denied(_, let signIn): [.authenticationStatus(.authenticated(signIn))]
        case .notSignedIn: [.authenticationStatus(.notAuthenticated)]
        case .failed(_, let error, nil): [.authenticationStatus(.failed(error))]
        case .failed(_, .superseded, _): []
        case .failed(_, _, let signIn?): [.authenticationStatus(.authenticated(signIn))]
        }
    }

    private func permitted(_ playback: AuthorizedPlayback, by signIn: SignIn) -> [SessionEvent] {
        let event = tracking(
            .authorization, isSuccess: true, mvpd: playback.mvpd, guid: playback.token.guid ?? guid(of: signIn),
            isCached: playback.isCached)
        return [.permitted(playback)] + status(SessionStatus(permittedBy: playback.source)) + [event]
    }

    /// Tells of a request for authorization that did not end with a permit; without a sign-in, no provider is named.
    private func refused(_ failure: TokenRequestFailure, by signIn: SignIn? = nil) -> [SessionEvent] {
        let event = TrackingEvent(
            .authorization, isSuccess: false, mvpd: signIn?.mvpd, guid: guid(of: signIn),
            refusal: failure.namedError.rawValue, details: failure.details, on: TrackedDevice(info))
        return [.tokenRequestFailed(failure)] + status(failure.status) + [.tracking(event)]
    }

    /// Tells that an authorization no longer waits.
    ///
    /// It is told as not authenticated after what took its place: a logout, another sign-in or requestor, an erasure.
    package func pendingEnded(_ resource: ResourceID, with error: EntitlementFlowError) -> [SessionEvent] {
        switch error {
        case .notAuthenticated, .superseded: [.tokenRequestFailed(.notAuthenticated(resource))]
        default: [.tokenRequestFailed(.failed(resource, error))]
        }
    }

    package func preauthorized(_ answer: Preauthorization) -> [SessionEvent] {
        let isCut = answer.answers.contains { $0.error?.code == .tooManyResources }
        return [.preauthorized(answer.permitted)] + status(isCut ? SessionStatus(.preauthorizationFailed) : nil)
    }

    package func preauthorizationFailed(_ error: EntitlementFlowError) -> [SessionEvent] {
        let code: StatusCode = error == .notAuthenticated ? .notAuthenticated : .preauthorizationFailed
        let events: [SessionEvent] = [.preauthorized([]), .status(SessionStatus(code))]
        return switch error {
        // The reason is that of `setRequestor`.
        case .requestorNotSet, .noOrigin: events + status(of: error, in: .preauthorization)
        default: events
        }
    }

    // MARK: Logout

    /// Tells what is left to do after a logout; without a page to open, it is done.
    package func loggedOut(_ steps: [SignOutStep], leaving signIn: SignIn?) -> [SessionEvent] {
        let visit = steps.lazy.compactMap(\.visit).first
        let staysWithPartner = steps.contains { if case .leavePartnerAccount = $0 { true } else { false } }
        let warning = SessionStatus(.partnerAccountStays, message: Self.partnerAccountMessage)
        return (visit.map { [.openUserAgent($0)] } ?? []) + status(staysWithPartner ? warning : nil)
            + (visit == nil ? logoutDone(leaving: signIn) : [])
    }

    /// Tells that a logout is done; after a logout at one provider, the user may be signed in with another.
    package func logoutDone(leaving signIn: SignIn?) -> [SessionEvent] {
        [.authenticationStatus(signIn.map { .authenticated($0) } ?? .notAuthenticated)]
    }

    package func logoutFailed(_ error: EntitlementFlowError) -> [SessionEvent] { status(of: error, in: .logout) }

    private static let partnerAccountMessage =
        "The device's own account is still signed in with the provider, and signs in again at the next start. "
        + "To sign out for good, remove the provider's account in the settings of the device."

    // MARK: Parts

    private func status(_ status: SessionStatus?) -> [SessionEvent] { status.map { [.status($0)] } ?? [] }

    /// The code of a failure, if the operator's library told one.
    private func status(of error: EntitlementFlowError, in call: LegacyCall) -> [SessionEvent] {
        status(SessionStatus(of: error, in: call))
    }

    private func tracking(
        _ kind: TrackingEvent.Kind,
        isSuccess: Bool,
        mvpd: MVPDID? = nil,
        guid: String? = nil,
        isCached: Bool = false
    ) -> SessionEvent {
        .tracking(
            TrackingEvent(
                kind, isSuccess: isSuccess, mvpd: mvpd, guid: guid, isCached: isCached, on: TrackedDevice(info)))
    }

    /// The name that tracking has used of a user whom no verified media token names; `nil` if it is not known, or if the
    /// system's policy forbids MD5.
    ///
    /// Profiles do not tell it. Temporary access has no user but the device, and the name is the MD5 of its
    /// identifier, in hexadecimal digits.
    private func guid(of signIn: SignIn?) -> String? {
        guard signIn?.isTemporary == true else { return nil }
        return (try? insecureMD5(Array(identifier.text.utf8))).map { Hex.encode($0) }
    }
}

extension PlaybackToken {
    /// The user, by the name that tracking has used; `nil` unless the token is verified.
    fileprivate var guid: String? { verified?.sessionGUID.rawValue }
}
#endif
