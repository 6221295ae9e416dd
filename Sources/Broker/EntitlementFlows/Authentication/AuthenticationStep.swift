#if Client
public import EntitlementValues
public import ServiceResponses

/// What comes next on the way to an authenticated user.
public enum AuthenticationStep: Sendable, Hashable {
    /// The user is signed in.
    case authenticated(SignIn)
    /// The user chooses a provider; hand the choice to `setSelectedProvider`.
    case chooseProvider(ProviderChoice)
    /// The user's browser opens an address.
    case openUserAgent(UserAgentVisit)
    /// The user types a code on another screen. The session asks by itself whether that was done.
    case showCode(ActivationCode)
    /// The device asks its sign-on partner; hand the answer to `partnerReplied`.
    case askPartner(PartnerQuestion)
    /// The provider is promotional temporary access, which needs an identity of the user.
    case needsIdentity(MVPDID)
}

/// A user who is signed in.
public struct SignIn: Sendable, Hashable {
    /// The provider.
    public let mvpd: MVPDID
    /// The first instant at which it does not count anymore; `nil` if that is not known yet.
    public let until: Timestamp?
    /// Why the user counts as signed in, by the broker's word; `nil` if an ordinary profile was there already.
    public let reason: SessionReason?
    /// Whether it is temporary access, which has no user but the device, and which the broker does not cut off.
    public let isTemporary: Bool

    /// Describes a user who is signed in.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - until: The first instant at which it does not count anymore.
    ///   - reason: Why the user counts as signed in, by the broker's word.
    ///   - isTemporary: Whether it is temporary access; with the reason `temporary` it is in any case.
    public init(
        mvpd: MVPDID,
        until: Timestamp? = nil,
        because reason: SessionReason? = nil,
        isTemporary: Bool = false
    ) {
        (self.mvpd, self.until, self.reason) = (mvpd, until, reason)
        self.isTemporary = isTemporary || reason == .temporary
    }
}

/// The providers that a user chooses from.
public struct ProviderChoice: Sendable, Hashable {
    /// The providers, in the order in which they are shown.
    public let providers: [MVPD]
    /// The provider of the last time, if it is among them.
    public let remembered: MVPDID?

    /// Describes a choice.
    ///
    /// - Parameters:
    ///   - providers: The providers, in the order in which they are shown.
    ///   - remembered: The provider of the last time.
    public init(among providers: [MVPD], remembered: MVPDID? = nil) {
        (self.providers, self.remembered) = (providers, remembered)
    }
}

/// Whether the user of a device is signed in, as far as its record tells.
public enum AuthenticationStatus: Sendable, Hashable {
    /// The user is signed in with a provider, until an instant that may not be known.
    case authenticated(SignIn)
    /// The user is not signed in.
    case notAuthenticated
    /// The broker was never asked for this device.
    case unknown
}

/// Where the answer to a question for the authentication comes from.
public enum StatusSource: Sendable, Hashable {
    /// From the device's record, without the network; if the broker was never asked for this device, it is asked once.
    case record
    /// From the device's record, without the network in any case.
    case localOnly
    /// From the broker, by one call.
    case broker
}

/// What a return to the foreground brought.
public struct ForegroundState: Sendable, Hashable {
    /// Whether the user is signed in.
    public let status: AuthenticationStatus
    /// A question to the device's sign-on partner, to be put without showing anything to the user; `nil` if there is none.
    public let question: PartnerQuestion?

    /// Describes a state.
    ///
    /// - Parameters:
    ///   - status: Whether the user is signed in.
    ///   - question: A question to the device's sign-on partner.
    public init(_ status: AuthenticationStatus, asking question: PartnerQuestion? = nil) {
        (self.status, self.question) = (status, question)
    }
}
#endif
