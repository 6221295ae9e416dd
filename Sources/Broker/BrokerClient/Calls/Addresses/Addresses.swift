#if Client
public import EntitlementValues
public import ServiceResponses
import TextCodecs

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
        let form = RequestForm(path: [.requestor: requestor.rawValue, .code: code.text])
        return try "\(environment.api)" + rethrowing(form.target(at: .userAgent), as: BrokerError.request)
    }

    private func address(_ text: String?) throws(BrokerError) -> String? {
        guard let text else { return nil }
        let resolver = AddressResolver(api: environment.api)
        let address = try rethrowing(resolver.resolve(text), as: BrokerError.unsafeAddress)
        if address.hasPrefix("https:"), text.lowercased().hasPrefix("http:") { observer.noteRaisedAddress() }
        return address
    }
}

// Addresses of the time in which the operator's servers answered over plain HTTP. They still stand in old code and in
// old configurations of providers.
extension Broker {
    /// Reads the address of a service provider as the operator's library took it.
    ///
    /// The library took `http://`, `https://` or no scheme at all, and the path `/adobe-services` of its own protocol.
    /// What counts is the host. Plain HTTP to one of the operator's hosts is raised to `https`, with a warning in the
    /// log.
    ///
    /// Throws `.malformedOrigin`, `.originWithMore` for another path, and `.plainHTTP` for another host.
    ///
    /// Source: the operator's reference of its library for browsers, `setRequestor`.
    package func origin(ofServiceProvider text: String) throws(BrokerSettingsError) -> BrokerOrigin {
        var address = text.contains("://") ? text : "https://" + text
        if address.hasSuffix("/") { address.removeLast() }
        if address.hasSuffix(Self.oldPath) { address.removeLast(Self.oldPath.count) }
        guard let raised = raisedToHTTPS(address) else { return try BrokerOrigin(parsing: address) }
        let origin = try BrokerOrigin(parsing: raised)
        observer.noteRaisedAddress()
        return origin
    }

    /// Raises addresses that are shown or loaded, such as those of logos: a page over `https` would not load them.
    ///
    /// Plain HTTP to one of the operator's hosts becomes `https`; nothing else is checked. The log has one warning if
    /// there was any.
    package func raisingToHTTPS(_ addresses: [String?]) -> [String?] {
        let raised = addresses.map { address in address.flatMap { raisedToHTTPS($0) } }
        if raised.contains(where: { $0 != nil }) { observer.noteRaisedAddress() }
        return zip(addresses, raised).map { $1 ?? $0 }
    }

    private static let oldPath = "/adobe-services"

    /// The address with `https`; `nil` unless it is plain HTTP to one of the operator's hosts, without a port.
    private func raisedToHTTPS(_ text: String) -> String? {
        let scheme = text.utf8.prefix(7)
        guard String(decoding: Array(scheme), as: UTF8.self).lowercased() == "http://" else { return nil }
        let rest = text.utf8.dropFirst(7)
        let host = String(decoding: Array(rest.prefix { !"/?#".utf8.contains($0) }), as: UTF8.self).lowercased()
        guard AddressResolver.isOperator(host) else { return nil }
        return "https://" + String(decoding: Array(rest), as: UTF8.self)
    }
}
#endif
