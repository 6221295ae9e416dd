#if Service
import BrokerClient
import HTTPTypes
import NIOCore
import StoreAddresses
import TextCodecs

extension ServiceSettings {
    /// What is allowed, and yet may be a mistake.
    public var warnings: [SettingsFault] {
        choicesOfClients + openListener + plainOrigins + gatewayWarnings + openSecrets + unreachableRules
    }

    /// What `--check` says besides: hosts without an address now, which may have one when the service starts.
    public var unresolvableHosts: [SettingsFault] {
        var hosts = [("public.host", publicAddress.host), ("internal.host", internalAddress.host)]
        if case .address(let address)? = decryption?.listener { hosts.append(("decryption.host", address.host)) }
        let stores = [
            ("store.address", store.address), ("sessions.store", sessions?.records), ("broker.store", gateway?.records),
        ]
        for (setting, address) in stores { hosts += (address?.hosts ?? []).map { (setting, $0) } }
        return hosts.filter { !Self.hasAddress($0.1) }.map { setting, host in
            // A store's address may have a password in it, and so may what was taken for its host.
            let name = setting.hasSuffix(".host") ? "\(host.printable) " : "the host "
            return SettingsFault(
                setting: setting, code: "unresolvable_host", detail: "\(name)has no address here: is the name right?")
        }
    }

    private static func hasAddress(_ host: String) -> Bool {
        (try? SocketAddress.makeAddressResolvingHost(host, port: 0)) != nil
    }

    /// What decides who plays, and what a client chooses if the proxy does not overwrite it.
    private var choicesOfClients: [SettingsFault] {
        var choices: [(setting: String, detail: String)] = []
        if !authz.isURISourceSet {
            choices.append(
                (
                    "authz.uri",
                    "is not set, so X-Original-URI counts: if the proxy sets another field, a client sends this "
                        + "one, and names one path while it plays another; say where your proxy puts the URI"
                ))
        }
        var fields: [(setting: String, name: HTTPField.Name, choice: String)] = []
        if case .header(let name) = authz.requestor { fields.append(("authz.requestorHeader", name, "requestor")) }
        if case .header(let name) = authz.resource { fields.append(("authz.resourceHeader", name, "resource")) }
        if !publicAddress.isLoopback { fields += fieldsOfClientAddresses }
        // On a loopback address, clients come by the proxy alone.
        let alone = publicAddress.isLoopback ? "" : ", and nothing else may reach public.host"
        choices += fields.map { setting, name, choice in
            (
                setting,
                "the proxy must set \(name.rawName) in place of what a client sent\(alone); else clients choose the "
                    + choice
            )
        }
        return choices.map { SettingsFault(setting: $0.setting, code: "client_decides", detail: $0.detail) }
    }

    /// An internal listener that other hosts can reach.
    private var openListener: [SettingsFault] {
        guard !internalAddress.isLoopback else { return [] }
        let revoking = sessions?.records == nil ? "" : ", and can revoke sessions"
        return [
            SettingsFault(
                setting: "internal.host", code: "open_internal",
                detail: "lets other hosts connect: who reaches it sees the status page and the metrics\(revoking); let "
                    + "only those who watch reach it")
        ]
    }

    /// Origins without TLS whose pages may use a viewer's cookies.
    private var plainOrigins: [SettingsFault] {
        guard let rules = sessions?.crossOrigin, rules.allowsCredentials else { return [] }
        let scheme = "http://"
        let plain = rules.origins.filter { origin in
            origin.hasPrefix(scheme) && !Address.isLoopback(origin.dropFirst(scheme.count).prefix { $0 != ":" })
        }
        guard !plain.isEmpty else { return [] }
        return [
            SettingsFault(
                setting: "sessions.corsOrigins", code: "plain_origin",
                detail:
                    "has an origin of http:// beside sessions.corsCredentials: anyone in a viewer's network can "
                    + "change its pages, and play as the viewer; name origins of https://")
        ]
    }

    /// The header fields with a client's address and port.
    ///
    /// On a loopback address they are no client's choice: the proxy adds the last entry, which is the one that counts, and
    /// with a port of its own a client stays at its address.
    private var fieldsOfClientAddresses: [(setting: String, name: HTTPField.Name, choice: String)] {
        // Without one of its own, the gateway has the field of the sessions.
        let ofSessions = sessions?.clientAddressHeader.map {
            ("sessions.clientAddressHeader", $0, "address they come from")
        }
        let ofApps = gateway?.clientAddressHeader.map { ("broker.clientAddressHeader", $0, "address they come from") }
        let port = gateway?.clientPortHeader.map { ("broker.clientPortHeader", $0, "port they come from") }
        return [ofSessions ?? ofApps, port].compactMap(\.self)
    }

    /// Lines of `authz.resources` that no path reaches.
    private var unreachableRules: [SettingsFault] {
        guard case .map(let map) = authz.resource else { return [] }
        return map.unreachableRules.map { number, first in
            SettingsFault(
                setting: "authz.resources", code: "unreachable_rule",
                detail: "no path reaches rule \(number), since rule \(first) takes all of its paths: put it before "
                    + "that one")
        }
    }

    private var gatewayWarnings: [SettingsFault] {
        guard let gateway else { return [] }
        var warnings: [SettingsFault] = []
        if gateway.publicURL.scheme == .https, gateway.clientAddressHeader == nil {
            warnings.append(
                SettingsFault(
                    setting: "broker.clientAddressHeader", code: "no_client_address",
                    detail: "is not set, although broker.publicURL is of https, which a proxy in front takes: all "
                        + "viewers would share the proxy's address, by which the broker counts requests, and one "
                        + "provider signs households in"))
        }
        if gateway.records.isInMemory {
            warnings.append(
                SettingsFault(
                    setting: "broker.store", code: "not_durable",
                    detail: "is in memory: every device has to register and sign in anew after a restart"))
        }
        return warnings
    }
}
#endif
