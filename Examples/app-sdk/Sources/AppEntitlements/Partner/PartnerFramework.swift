/// The single sign-on of the device's system; on Apple's systems ``SubscriberAccount`` is it.
@MainActor
public protocol PartnerFramework: AnyObject {
    /// Says whether the viewer lets the app use the account, and which provider it is at.
    ///
    /// - Parameter mayInterrupt: Whether the viewer may be asked for permission, as in `getAuthentication`; nothing else is
    ///   shown.
    /// - Returns: The status; `nil` if the partner cannot say.
    func status(mayInterrupt: Bool) async -> PartnerStatus?

    /// Puts a question to the partner.
    ///
    /// - Parameter question: The question.
    /// - Returns: The reply.
    func ask(_ question: PartnerQuestion) async -> PartnerReply
}
