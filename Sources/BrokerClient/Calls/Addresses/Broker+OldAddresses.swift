#if Client
import TextCodecs

// Addresses of the time in which the operator's servers answered over plain HTTP. They still stand in old code and in
// old configurations of providers.
extension Broker {
    /// Reads the address of a service provider as the operator's library took it.
    ///
    /// The library took `http://`, `https://` or no scheme at all, and the path `/adobe-services` of its own protocol. What
    /// counts is the host. Plain HTTP to one of the operator's hosts is raised to `https`, with a warning in the log.
    ///
    /// - Parameter text: The address.
    /// - Returns: The origin.
    /// - Throws: `BrokerSettingsError`: `.malformedOrigin`, `.originWithMore` for another path, `.plainHTTP` for another
    ///   host.
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
    /// - Parameter addresses: The addresses; they are not checked otherwise.
    /// - Returns: The same, with `https` where it was plain HTTP to one of the operator's hosts. The log has one warning
    ///   if there was any.
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
