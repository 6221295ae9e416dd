#if Client
public import EntitlementValues
public import ServiceResponses

extension Broker {
    /// The address at which the user's browser signs in, or a client goes on, after a session was started.
    ///
    /// The broker writes addresses relative to its own. They are made absolute here, and those that a browser must not
    /// open are refused. The address usually holds the session's code: keep it out of logs.
    ///
    /// - Parameter session: The answer of a call that started or resumed a session.
    /// - Returns: An `https` address (`http` only to a broker on this machine); `nil` if the answer has none.
    /// - Throws: ``BrokerError/unsafeAddress(_:)``.
    public func address(of session: SessionResponse) throws(BrokerError) -> String? {
        try address(session.url)
    }

    /// The address at which the user's browser signs out.
    ///
    /// It is made absolute and checked as ``address(of:)-(SessionResponse)`` does. It may hold the provider's session:
    /// keep it out of logs.
    ///
    /// - Parameter step: A step of a logout.
    /// - Returns: An `https` address (`http` only to a broker on this machine); `nil` if the step has none.
    /// - Throws: ``BrokerError/unsafeAddress(_:)``.
    public func address(of step: LogoutStep) throws(BrokerError) -> String? {
        try address(step.url)
    }

    /// The address at which a browser signs in with the code of a session, made without asking the broker.
    ///
    /// A browser opens it, with none of this library's header fields, and is sent on to the provider. It is what
    /// ``address(of:)-(SessionResponse)`` usually returns; use it if only the code is at hand. Besides the code, which lets
    /// any registered application read the profile, it holds no secret.
    ///
    /// - Parameters:
    ///   - code: The code of a session that has all parameters.
    ///   - requestor: The brand.
    /// - Returns: The address.
    /// - Throws: `BrokerError.request` with ``RequestFault/badIdentifier(name:)``.
    public func signInAddress(
        for code: AuthenticationCode,
        requestor: RequestorID
    ) throws(BrokerError) -> String {
        do throws(RequestFault) {
            let form = RequestForm(path: [.requestor: requestor.rawValue, .code: code.text])
            return try "\(environment.api)" + form.target(at: .userAgent)
        } catch {
            throw .request(error)
        }
    }

    private func address(_ text: String?) throws(BrokerError) -> String? {
        guard let text else { return nil }
        do throws(AddressFault) {
            let address = try AddressResolver(api: environment.api).resolve(text)
            if address.hasPrefix("https:"), text.lowercased().hasPrefix("http:") { observer.noteRaisedAddress() }
            return address
        } catch {
            throw .unsafeAddress(error)
        }
    }
}
#endif
