#if Client
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing

/// What each code of the broker says about the user's sign-in.
@Suite struct SignInErrorTests {
    /// The documented codes of which something is said, without an action of the broker or with one.
    private static func codes(
        action: EnhancedErrorAction? = nil, of which: (EnhancedError) -> Bool
    ) -> Set<EnhancedErrorCode> {
        EnhancedErrorCode.documented.filter { which(EnhancedError(action: action, status: 403, code: $0)) }
    }

    @Test(arguments: [nil, .noAction, .retry, .configuration] as [EnhancedErrorAction?])
    func `Some codes end the sign-in, whatever the action`(action: EnhancedErrorAction?) {
        #expect(
            Self.codes(action: action, of: \.endsSignIn) == [
                "authenticated_profile_missing", "authenticated_profile_expired", "authenticated_profile_invalidated",
                "authorization_denied_by_session_invalidated", "identity_not_recognized_by_mvpd",
                "temporary_access_duration_limit_exceeded",
            ])
    }

    @Test func `Two codes do not end the sign-in; of all others, the action can say so`() {
        let ending = Self.codes(action: .authentication, of: \.endsSignIn)
        #expect(
            EnhancedErrorCode.documented.subtracting(ending) == [
                "authorization_denied_by_hba_policies", "temporary_access_resources_limit_exceeded",
            ])
        for code in ["new_code", nil] as [EnhancedErrorCode?] {
            #expect(EnhancedError(action: .authentication, status: 403, code: code).endsSignIn)
            #expect(!EnhancedError(action: .noAction, status: 403, code: code).endsSignIn)
            #expect(!EnhancedError(status: 401, code: code).endsSignIn)
        }
    }

    @Test func `A denial proves that the user is signed in, unless it ends the sign-in`() {
        let denials: Set<EnhancedErrorCode> = [
            "authorization_denied_by_mvpd", "preauthorization_denied_by_mvpd",
            "authorization_denied_by_parental_controls", "authorization_denied_by_degradation_rule",
            "authorization_denied_by_degradation_configuration_change", "authorization_denied_by_hba_policies",
        ]
        #expect(Self.codes(of: \.provesSignIn) == denials)
        #expect(
            Self.codes(action: .authentication, of: \.provesSignIn) == ["authorization_denied_by_hba_policies"])
        #expect(EnhancedError(status: 403, code: "authorization_denied_by_new_rule").provesSignIn)
        #expect(!EnhancedError(status: 403, code: "new_code").provesSignIn)
        #expect(!EnhancedError(status: 403).provesSignIn)
    }

    /// The decision about a resource: permitted, or denied with a code.
    private static func decision(permitted: Bool = false, _ code: EnhancedErrorCode? = nil) -> Decision {
        Decision(
            resource: "news", serviceProvider: "REF30", mvpd: "M", isAuthorized: permitted,
            error: code.map { EnhancedError(status: 403, code: $0) })
    }

    @Test func `One decision tells of the sign-in, and that it has ended counts for more than that it lasts`() {
        let permit = Self.decision(permitted: true)
        let (ended, denied): (Decision, Decision) = (
            Self.decision(.authenticatedProfileExpired), Self.decision(.authorizationDeniedByMVPD)
        )
        let silent = [Self.decision(), Self.decision(.internalServerError)]
        #expect(SignInEvidence(of: []) == .unclear && SignInEvidence(of: silent) == .unclear)
        #expect(SignInEvidence(of: silent + [permit]) == .signedIn && SignInEvidence(of: [denied]) == .signedIn)
        #expect(SignInEvidence(of: [permit, ended, denied]) == .signedOut)
        // A permit counts, whatever else went wrong with it.
        let warned = Self.decision(permitted: true, .authenticatedProfileExpired)
        #expect(SignInEvidence(of: [warned]) == .signedIn)
    }

    @Test(arguments: [nil, .noAction, .authentication] as [EnhancedErrorAction?])
    func `Errors of a call say what has ended`(action: EnhancedErrorAction?) {
        #expect(
            Self.codes(action: action, of: \.saysThatAccessIsUsedUp) == [
                "temporary_access_duration_limit_exceeded", "temporary_access_resources_limit_exceeded",
            ])
        #expect(
            Self.codes(action: action, of: \.saysThatProviderIsUnknown) == [
                "invalid_parameter_mvpd", "invalid_integration",
            ])
        #expect(
            Self.codes(action: action, of: \.saysThatCodeHasEnded) == [
                "invalid_parameter_code", "invalid_authentication_session",
            ])
        for code in ["new_code", nil] as [EnhancedErrorCode?] {
            let error = EnhancedError(action: action, status: 403, code: code)
            #expect(!error.saysThatAccessIsUsedUp && !error.saysThatProviderIsUnknown && !error.saysThatCodeHasEnded)
        }
    }
}
#endif
