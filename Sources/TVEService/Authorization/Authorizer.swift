#if Service
import TokenRedemption
import EntitlementValues
import HTTPTypes
import MediaTokens

/// Answers a proxy that asks whether a request may pass.
struct Authorizer {
    let set: ActiveConfiguration
    let store: (any ReplayStore)?
    let now: Timestamp

    /// Sessions that are looked at in one request: a browser may send several cookies of one name.
    private static let maximumSessions = 4

    /// Decides on a request.
    ///
    /// What it must be for comes first, then a session, which may pass often, then a token, which may pass once.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the request.
    ///   - rest: What stands behind `/v1/authz` in its address.
    /// - Returns: The answer, a token spent where it is good.
    func decide(_ fields: HTTPFields, rest: Substring) async -> Outcome {
        let rules = set.settings.authz
        let address = OriginalURI(Self.address(rules.uriSource, fields, rest))
        let requestor: Expectation<RequestorID>
        switch rules.requestor {
        case .anyOf(let requestors): requestor = .anyOf(requestors)
        case .header(let name):
            guard let text = Self.single(fields, name) else {
                return Outcome(refusing: .invalidRequestorID, "no_requestor")
            }
            requestor = .exactly(RequestorID(text))
        }
        let resource: ResourceID
        switch rules.resource {
        case .map(let map):
            guard let found = address.segments.flatMap(map.resource) else {
                return Outcome(refusing: .invalidResourceID, "no_resource")
            }
            resource = found
        case .header(let name):
            guard let text = Self.single(fields, name) else {
                return Outcome(refusing: .invalidResourceID, "no_resource")
            }
            resource = ResourceID(text)
        }
        let expectations = TokenExpectations(requestor: requestor, resource: .exactly(resource))
        let bySession = session(fields, address, expectations)
        if let bySession, bySession.grant != nil { return bySession }
        let tokens = tokens(fields, address)
        guard tokens.count < 2 else {
            return Outcome(refusing: .invalidTokenFormat, "two_tokens")
        }
        guard let token = tokens.first else {
            return bySession
                ?? Outcome(refusing: .invalidTokenFormat, "no_token")
        }
        var verdict = set.verifier.verdict(on: token, expecting: expectations, at: now)
        if let store { verdict = await verdict.redeemed(in: store, at: now) }
        return Outcome(verdict, of: token)
    }

    // MARK: Where things stand

    private static func address(
        _ place: AuthzRules.AddressPlace,
        _ fields: HTTPFields,
        _ rest: Substring
    ) -> Substring {
        switch place {
        case .originalURI: Substring(single(fields, .originalURI) ?? "")
        case .forwardedURI: Substring(single(fields, .forwardedURI) ?? "")
        case .path: rest
        }
    }

    /// The value of a field that stands there once and is not empty.
    private static func single(_ fields: HTTPFields, _ name: HTTPField.Name) -> String? {
        var found: String?
        for field in fields where field.name == name {
            guard found == nil else { return nil }
            found = field.value
        }
        return found == "" ? nil : found
    }

    private func tokens(_ fields: HTTPFields, _ address: OriginalURI) -> [String] {
        var tokens: [String] = []
        for field in fields {
            switch field.name {
            case .mediaToken: tokens.append(field.value)
            case .authorization:
                let scheme = field.value.prefix { $0 != " " }
                guard scheme.lowercased() == "mediatoken" else { continue }
                tokens.append(String(field.value.dropFirst(scheme.count + 1)))
            default: break
            }
        }
        if let parameter = set.settings.authz.tokenParameter {
            tokens += address.values(of: parameter)
        }
        return tokens
    }

    // MARK: Sessions

    /// What the sessions of a request are good for: the first good one, else the first; `nil` where there is none.
    private func session(
        _ fields: HTTPFields,
        _ address: OriginalURI,
        _ expectations: TokenExpectations
    ) -> Outcome? {
        guard let settings = set.settings.sessions, let keys = set.sessionKeys else { return nil }
        var texts: [String] = []
        for field in fields where field.name == .cookie {
            texts += Self.cookies(field.value, named: settings.cookie).map(String.init)
        }
        if let parameter = settings.parameter { texts += address.values(of: parameter) }
        if texts.isEmpty { return nil }
        guard let client = Self.client(fields, settings) else {
            return Outcome(SessionFault.altered, of: texts[0])
        }
        let outcomes = texts.prefix(Self.maximumSessions).lazy.map { outcome($0, client, keys, expectations) }
        return outcomes.first { $0.grant != nil } ?? outcomes.first
    }

    private func outcome(
        _ text: String,
        _ client: String,
        _ keys: SessionKeys,
        _ expectations: TokenExpectations
    ) -> Outcome {
        do throws(SessionFault) {
            let session = try keys.session(text, from: client, at: now)
            guard expectations.requestor.accepts(session.requestor) else {
                throw SessionFault(
                    status: .invalidRequestorID, code: "requestor_mismatch",
                    detail: "the playback session is for another requestor")
            }
            guard expectations.resource.accepts(session.resource) else {
                throw SessionFault(
                    status: .invalidResourceID, code: "resource_mismatch",
                    detail: "the playback session is for another resource")
            }
            return Outcome(session, of: text)
        } catch {
            return Outcome(error, of: text)
        }
    }

    /// The client's address, which is empty where sessions are not bound to it; `nil` where it should be known and is not.
    static func client(_ fields: HTTPFields, _ settings: ServiceSettings.Sessions) -> String? {
        guard let header = settings.clientAddressHeader else { return "" }
        return single(fields, header)
    }

    private static func cookies(_ value: String, named name: String) -> [Substring] {
        value.split(separator: ";").compactMap { part in
            let part = part.drop { $0 == " " }
            let found = part.prefix { $0 != "=" }
            return found == name ? part.dropFirst(found.count + 1) : nil
        }
    }
}

extension HTTPField.Name {
    static let mediaToken = HTTPField.Name(known: "X-Media-Token")
    static let originalURI = HTTPField.Name(known: "X-Original-URI")
    static let forwardedURI = HTTPField.Name(known: "X-Forwarded-Uri")
    static let resultStatus = HTTPField.Name(known: "X-TVE-Status")
    static let resultMVPD = HTTPField.Name(known: "X-TVE-MVPD")
    static let resultSession = HTTPField.Name(known: "X-TVE-Session")
    static let resultResource = HTTPField.Name(known: "X-TVE-Resource")
    static let resultExpires = HTTPField.Name(known: "X-TVE-Expires")

    /// A name that is written here and is one.
    private init(known name: String) {
        // No literal initialiser; `server` can only appear if the literal above is no field name.
        self = HTTPField.Name(name) ?? .server
    }
}
#endif
