#if Service
import EntitlementValues
import HTTPTypes
import MediaTokens
import PlaybackSessions
import TextCodecs
import TokenRedemption

/// Decides whether a request that a proxy asks about may pass.
struct Authorizer {
    let configuration: ActiveConfiguration
    /// `nil` if a token may be used any number of times.
    let store: (any ReplayStore)?
    /// `nil` if sessions cannot be revoked.
    let registry: SessionRegistry?
    let now: Timestamp

    /// Decides on a request, and redeems its token if that is good.
    ///
    /// The checks run in a fixed order: first what the request is for, then a session, which may be used many times,
    /// and last a token, which may be used once. `pathSuffix` is the part of the request target after `/v1/authz`. A
    /// session that is refused counts only without a token. One that cannot be checked now may be good, and a refusal would
    /// end its playback: so it also counts beside a token that is refused.
    func outcome(for fields: HTTPFields, pathSuffix: Substring) async -> AccessOutcome {
        let uri = originalURI(fields, pathSuffix: pathSuffix)
        let expectations: TokenExpectations
        do throws(RequestRefusal) {
            expectations = TokenExpectations(
                requestor: try requestor(fields), resource: .exactly(try resource(fields, uri: uri)))
        } catch {
            return AccessOutcome(error)
        }
        let bySession = await sessionOutcome(fields, uri: uri, expecting: expectations)
        if let bySession, bySession.grant != nil { return bySession }
        let byToken = await tokenOutcome(fields, uri: uri, expecting: expectations)
        guard let bySession else { return byToken ?? AccessOutcome(.noCredential) }
        guard let byToken, !(bySession.isUndecided && byToken.isRefusal) else { return bySession }
        return byToken
    }

    /// The outcome of the token of a request, which is redeemed if it is good; `nil` if there is none.
    private func tokenOutcome(
        _ fields: HTTPFields,
        uri: OriginalURI,
        expecting expectations: TokenExpectations
    ) async -> AccessOutcome? {
        let tokens = tokens(fields, uri: uri)
        guard tokens.count < 2 else { return AccessOutcome(.twoTokens) }
        guard let token = tokens.first else { return nil }
        var verdict = configuration.verifier.verdict(on: token, expecting: expectations, at: now)
        if let store { verdict = await verdict.redeemed(in: store, at: now) }
        return AccessOutcome(verdict, of: token)
    }

    // MARK: The original request

    private func originalURI(_ fields: HTTPFields, pathSuffix: Substring) -> OriginalURI {
        let rules = configuration.settings.authz
        switch rules.uriSource {
        // The settings do not say which of the two the proxy sets: one of them is the client's own.
        case .originalURI where !rules.isURISourceSet && fields.contains(.forwardedURI): return OriginalURI("")
        case .originalURI: return OriginalURI(Substring(fields.onlyValue(of: .originalURI) ?? ""))
        case .forwardedURI: return OriginalURI(Substring(fields.onlyValue(of: .forwardedURI) ?? ""))
        case .path: return OriginalURI(pathSuffix)
        }
    }

    private func requestor(_ fields: HTTPFields) throws(RequestRefusal) -> Expectation<RequestorID> {
        switch configuration.settings.authz.requestor {
        case .anyOf(let requestors): return .anyOf(requestors)
        case .header(let name):
            guard let text = fields.onlyValue(of: name) else { throw .noRequestor }
            return .exactly(RequestorID(text))
        }
    }

    private func resource(_ fields: HTTPFields, uri: OriginalURI) throws(RequestRefusal) -> ResourceID {
        switch configuration.settings.authz.resource {
        case .map(let map):
            guard let found = uri.segments.flatMap(map.resource) else { throw .noResource }
            return found
        case .header(let name):
            guard let text = fields.onlyValue(of: name) else { throw .noResource }
            return ResourceID(text)
        }
    }

    private func tokens(_ fields: HTTPFields, uri: OriginalURI) -> [String] {
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
        if let parameter = configuration.settings.authz.tokenParameter {
            tokens += uri.query.tokens(of: parameter)
        }
        return tokens
    }

    // MARK: Sessions

    /// The outcome of the first good session of a request, else of one that cannot be checked now, else of the first one
    /// that is bad; `nil` if there is none.
    private func sessionOutcome(
        _ fields: HTTPFields,
        uri: OriginalURI,
        expecting expectations: TokenExpectations
    ) async -> AccessOutcome? {
        guard let settings = configuration.settings.sessions else { return nil }
        let cookie = expectations.resource.expected.first.flatMap(settings.cookie.name(for:))
        var texts = cookie.map(fields.cookies(named:)) ?? []
        if let parameter = settings.parameter { texts += uri.query.values(of: parameter) }
        guard let first = texts.first else { return nil }
        guard let rules = configuration.sessions else { return AccessOutcome(undecidedWithoutKeys: first) }
        guard let client = try? settings.client(of: fields) else {
            return AccessOutcome(PlaybackSessionError.otherClient, of: first)
        }
        let expectations = PlaybackExpectations(
            requestor: expectations.requestor, resource: expectations.resource, client: client)
        let found = await texts.firstGoodSession { text throws(PlaybackSessionError) in
            try await grant(of: text, by: rules, expecting: expectations)
        }
        return found.map { text, result in
            switch result {
            case .success(let grant): AccessOutcome(grant, of: text)
            case .failure(let error): AccessOutcome(error, of: text)
            }
        }
    }

    private func grant(
        of text: String,
        by rules: SessionRules,
        expecting expectations: PlaybackExpectations
    ) async throws(PlaybackSessionError) -> AccessGrant {
        let session = try rules.verifier.verify(text, expecting: expectations, at: now)
        try await rules.asking(registry) { registry throws(PlaybackSessionError) in try await registry.check(session) }
        return AccessGrant(session)
    }
}

extension HTTPFields {
    /// The value of a field that occurs exactly once and is not empty; else `nil`.
    func onlyValue(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { return nil }
            found = field.value
        }
        return found == "" ? nil : found
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

    /// A name from this file, which is known to be valid.
    init(known name: String) {
        // The type has no literal initialiser; `server` would appear only if a name above were not valid.
        self = HTTPField.Name(name) ?? .server
    }
}
#endif
