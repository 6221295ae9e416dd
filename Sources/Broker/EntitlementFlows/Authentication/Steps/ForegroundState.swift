#if Client

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
