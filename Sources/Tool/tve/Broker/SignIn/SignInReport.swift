#if CLI && Client
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import TextCodecs

/// Who is signed in, as commands show it.
struct SignInReport {
    let signIn: SignIn
    let displayName: String?

    /// Asks the session for the name of the provider, which it knows if the broker's list told it; throws `.store`.
    init(_ signIn: SignIn, in session: EntitlementSession) async throws(EntitlementFlowError) {
        self.signIn = signIn
        let provider = try await session.selectedProvider()
        displayName = provider?.id == signIn.mvpd ? provider?.displayName : nil
    }

    /// One line for people.
    var line: String {
        let id = signIn.mvpd.rawValue.printable
        let name = displayName.map { "\($0.printable) (\(id))" } ?? id
        let until = signIn.until.map { "until \($0)" } ?? "the broker does not say until when"
        let reason =
            switch signIn.reason {
            case .temporary?: ", by temporary access"
            case .degraded?: ", since the provider's checks are switched off at present"
            default: ""
            }
        return "signed in with \(name)\(reason), \(until)\n"
    }

    /// The members of a JSON object: `mvpd`, `displayName`, `until` in milliseconds, `reason`.
    func write(to object: inout JSONWriter) {
        object.member("mvpd", signIn.mvpd.rawValue)
        object.member("displayName", ifPresent: displayName)
        object.member("until", ifPresent: signIn.until)
        object.member("reason", ifPresent: signIn.reason?.rawValue)
    }
}
#endif
