#if CLI && Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

/// Collects the findings of `tve broker check`.
struct BrokerExamination {
    private let conversation: BrokerConversation
    private(set) var findings: [Finding] = []

    init(_ conversation: BrokerConversation) { self.conversation = conversation }

    private mutating func add(
        _ severity: Finding.Severity,
        in check: String,
        _ detail: String,
        advice: String? = nil
    ) {
        findings.append(Finding(severity: severity, check: check, detail: detail, advice: advice))
    }

    // MARK: Without the broker

    mutating func checkStatement() {
        let claims = conversation.caller.broker.application.statement.unverifiedClaims
        let application = claims.subject.map { "application \($0)" } ?? "an application without a name"
        if claims.hasV2Scope {
            add(.ok, in: "statement", "\(application), scope \(AccessScope.apiV2.rawValue)")
        } else if claims.scopes.isEmpty {
            add(
                .warning, in: "statement", "\(application), without scopes in its claims",
                advice: "if calls are refused, let the operator give it the scope \(AccessScope.apiV2.rawValue)")
        } else {
            add(
                .problem, in: "statement", "\(application), without the scope \(AccessScope.apiV2.rawValue)",
                advice: "get a new statement for REST API V2 from the operator; one of version 1 cannot be used")
        }
        if claims.issuer == "simulator.invalid" {
            add(.warning, in: "statement", "issued by a simulator", advice: "use it with that simulator only")
        }
    }

    mutating func checkDeviceInfo() {
        let warnings = conversation.caller.device.info.warnings
        if warnings.isEmpty { add(.ok, in: "device", "its information is complete") }
        for warning in warnings {
            add(.warning, in: "device", "\(warning)", advice: "an unknown device gets a shorter TTL")
        }
    }

    // MARK: Registration and configuration

    /// Registers the device unless it is registered already; `nil` if the broker refuses the application.
    ///
    /// Throws `BrokerError` if the broker cannot be asked.
    mutating func registration() async throws -> ClientCredentials? {
        let caller = conversation.caller
        guard let credentials = try await answer(in: "registration", { try await caller.register() }) else {
            return nil
        }
        add(.ok, in: "registration", "this device has credentials")
        return credentials
    }

    /// Asks for the requestor's configuration; `nil` if the broker refuses it.
    ///
    /// Throws `BrokerError` if the broker cannot be asked.
    mutating func configuration() async throws -> RequestorConfiguration? {
        let conversation = conversation
        let answer = try await answer(in: "requestor") {
            try await conversation.caller.configuration(requestor: conversation.requestor)
        }
        guard let answer else { return nil }
        let providers = answer.requestor.mvpds.count
        if providers == 0 {
            add(
                .problem, in: "requestor", "it has no providers for this device",
                advice: "let the operator integrate some, or check --device-info")
        } else {
            add(.ok, in: "requestor", "\(providers) providers")
        }
        for fault in answer.faults { add(.warning, in: "requestor", "\(fault)", advice: "tell the operator") }
        return answer.requestor
    }

    /// Asks the broker, whose refusal is a problem of the set-up; an error of another kind leaves the question open.
    private mutating func answer<Answer>(
        in check: String,
        _ ask: () async throws -> Answer
    ) async throws -> Answer? {
        do {
            return try await ask()
        } catch let error as BrokerError {
            switch error {
            case .refused, .registration, .request: add(.problem, in: check, "\(error)")
            default: throw error
            }
            return nil
        }
    }

    // MARK: Addresses

    mutating func checkDomains(of requestor: RequestorConfiguration, domain: String?) {
        let names = requestor.domains.map(\.name)
        guard let domain else {
            return add(.ok, in: "domain", "registered: \(names.joined(separator: ", "))")
        }
        if names.contains(where: { $0.hasSameBytes(as: domain) }) {
            add(.ok, in: "domain", "\(domain) is registered")
        } else {
            add(
                .problem, in: "domain", "\(domain) is not among \(names.joined(separator: ", "))",
                advice: "let the operator add it to the requestor")
        }
    }

    mutating func checkRedirects(
        _ redirects: [String],
        of requestor: RequestorConfiguration,
        _ credentials: ClientCredentials
    ) {
        let schemes = credentials.redirectURIs.compactMap(\.scheme)
        for redirect in redirects {
            guard let scheme = redirect.scheme else {
                add(.problem, in: "redirect", "\(redirect) is not an absolute address", advice: "write SCHEME://…")
                continue
            }
            if scheme != "https", scheme != "http" {
                if schemes.contains(scheme) {
                    add(.ok, in: "redirect", "the scheme \(scheme) belongs to the application")
                } else {
                    add(
                        .warning, in: "redirect", "the scheme \(scheme) is not among those that the registration names",
                        advice: "let the operator confirm it")
                }
            } else if let host = redirect.host, requestor.domains.contains(where: { $0.covers(host) }) {
                add(.ok, in: "redirect", "\(host) belongs to a registered domain")
            } else {
                add(
                    .problem, in: "redirect", "\(redirect) does not belong to a registered domain",
                    advice: "let the operator add its host to the requestor's domains")
            }
        }
    }

    // MARK: Partner

    mutating func checkPartner(_ requestor: RequestorConfiguration, isExpected: Bool) {
        let ready = requestor.mvpds.count {
            $0.enablesPlatformServices == true && $0.boardingStatus == .supported && $0.platformMappingID != nil
        }
        if ready > 0 {
            add(.ok, in: "partner", "\(ready) providers sign in through the device's partner")
        } else {
            add(
                isExpected ? .problem : .ok, in: "partner", "the list names no providers for the device's partner",
                advice: isExpected
                    ? "send the information of such a device (--device-info), or let the operator enable them" : nil)
        }
    }

    // MARK: What arrives

    /// Starts a session, and looks at it: it shows the device and the connection as they arrived.
    ///
    /// The session names `domain`, and returns to `redirect`. `port` is the one that should arrive. Throws
    /// `BrokerError` if the broker cannot be asked.
    mutating func checkArrival(domain: String?, redirect: String?, port: Int64?) async throws {
        let conversation = conversation
        let session = try await answer(in: "session") {
            try await conversation.caller.startSession(
                SessionRequest(mvpd: nil, domain: domain, redirect: redirect), requestor: conversation.requestor)
        }
        guard let session else { return }
        guard let code = session.code else {
            return add(.warning, in: "session", "started, but without a code, so it cannot be looked at")
        }
        add(.ok, in: "session", "started without a provider")
        let status = try await answer(in: "session") {
            try await conversation.caller.session(code, requestor: conversation.requestor)
        }
        if let status { compare(status.device?.connection, port: port) }
    }

    private mutating func compareAddress(_ address: String?) {
        guard let address else {
            return add(.warning, in: "arrival", "the broker does not say which address arrived")
        }
        guard let wanted = conversation.caller.clientAddress else {
            return add(
                .ok, in: "arrival", "this machine's address arrived",
                advice: "state a device's with --client-address, as a server must")
        }
        if (try? ClientAddress(address)) == wanted {
            add(.ok, in: "arrival", "the device's address arrived")
        } else {
            add(
                .problem, in: "arrival", "another address than that of --client-address arrived",
                advice: "let no proxy change X-Forwarded-For on the way to the broker")
        }
    }

    private mutating func compare(_ connection: DeviceConnection?, port: Int64?) {
        compareAddress(connection?.address)
        guard let port else { return }
        if connection?.port == port {
            add(.ok, in: "arrival", "port \(port) arrived")
        } else {
            let found = connection?.port.map { "port \($0)" } ?? "no port"
            add(
                .problem, in: "arrival", "\(found) arrived instead of port \(port)",
                advice: "state it as connectionPort in the device's information")
        }
    }
}

extension ConfiguredDomain {
    /// Whether a host is the domain, or one below it.
    fileprivate func covers(_ host: String) -> Bool {
        let (name, host) = (name.lowercased(), host.lowercased())
        return host == name || host.hasSuffix("." + name)
    }
}

extension String {
    /// The scheme of an absolute address, in lower case.
    fileprivate var scheme: String? {
        guard let colon = firstIndex(of: ":"), self[colon...].hasPrefix("://") else { return nil }
        let scheme = self[..<colon]
        guard let first = scheme.utf8.first, first.isASCIILetter,
            scheme.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) })
        else { return nil }
        return scheme.lowercased()
    }

    /// The host of an absolute address without a user; `nil` if there is none.
    fileprivate var host: String? {
        guard let scheme else { return nil }
        let authority = dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        let host = authority.prefix { $0 != ":" }
        return host.isEmpty || authority.contains("@") || authority.contains("\\") ? nil : String(host)
    }
}
#endif
