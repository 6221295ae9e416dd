#if Client
public import EntitlementValues

/// At which providers a user is signed out.
public enum LogoutScope: Sendable, Hashable {
    /// At all that the device's record knows, as the operator's library did it.
    case all
    /// At one, as the broker's API does it.
    case mvpd(MVPDID)
}

/// What is left to do for a user who was signed out.
public enum SignOutStep: Sendable, Hashable {
    /// The user's browser ends the provider's own session; it comes back to the application's address in the end.
    case openUserAgent(UserAgentVisit)
    /// The user leaves the account in the settings of the device: the device's sign-on partner signs in again otherwise.
    case leavePartnerAccount(MVPDID)
    /// Nothing is left to do.
    case done

    /// The page that the browser opens; `nil` if it opens none.
    var visit: UserAgentVisit? { if case .openUserAgent(let visit) = self { visit } else { nil } }
}

/// How a logout ended: the device's record is cleared in any case.
public struct LogoutOutcome: Sendable, Hashable {
    /// What is left to do, in this order and one after the other; at least one step.
    public let steps: [SignOutStep]
    /// The providers for which the broker did not confirm the logout, each with the reason.
    ///
    /// The logout there is tried again with the next sign-in, question for the status or logout, and an older profile is
    /// not taken over until then.
    public let unconfirmed: [UnconfirmedLogout]

    /// Describes the end of a logout.
    ///
    /// - Parameters:
    ///   - steps: What is left to do.
    ///   - unconfirmed: The providers for which the broker did not confirm the logout.
    public init(leaving steps: [SignOutStep], unconfirmed: [UnconfirmedLogout] = []) {
        (self.steps, self.unconfirmed) = (steps, unconfirmed)
    }
}

/// A logout that the broker did not confirm.
public struct UnconfirmedLogout: Sendable, Hashable {
    /// The provider.
    public let mvpd: MVPDID
    /// Why the broker did not confirm it.
    public let error: EntitlementFlowError

    /// Describes a logout that failed.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - error: Why the broker did not confirm it.
    public init(mvpd: MVPDID, because error: EntitlementFlowError) { (self.mvpd, self.error) = (mvpd, error) }
}
#endif
