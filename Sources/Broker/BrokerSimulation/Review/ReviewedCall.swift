#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import OpenSSLBridge
import ServiceResponses
import TextCodecs

/// A call of the API as the rules of acceptance see it: times, pseudonyms and names, and nothing else.
struct ReviewedCall: Sendable {
    struct Judgement: Sendable {
        let resource: Pseudonym
        let isPermitted: Bool
        let action: EnhancedErrorAction?
    }

    struct SeenProfile: Sendable {
        let mvpd: Pseudonym
        let isTemporary: Bool
        let since: Timestamp
        let until: Timestamp
    }

    struct SeenSession: Sendable {
        let action: SessionAction
        let lifetime: TimeToLive?
    }

    /// A step that is left after a logout; its place is `nil` if there is nothing to open.
    struct SeenLogout: Sendable {
        let mvpd: Pseudonym
        let place: Pseudonym?
        let isPartner: Bool
    }

    /// Its number in the report, from 1.
    var number = 0
    /// The number of its device, which is found once all calls are known.
    var device = 0
    /// The client that made it, or its token if no call says whose that is.
    var holder: Pseudonym?
    let requested: Timestamp
    let answered: Timestamp
    /// The endpoint; `nil` if the API has none for the path and method.
    let endpoint: BrokerEndpoint?
    let status: Int
    /// The whole request: method, address and body.
    let request: Pseudonym
    /// Whether it is one of version 2 that an application makes.
    let isService: Bool
    let isBrowser: Bool

    private(set) var identifier: Pseudonym?
    private(set) var requestor: Pseudonym?
    private(set) var mvpd: Pseudonym?
    private(set) var code: Pseudonym?
    /// The access token that came along.
    private(set) var token: Pseudonym?
    /// The access token in the answer, and when it ends.
    private(set) var issued: Pseudonym?
    private(set) var issuedUntil: Timestamp?
    private(set) var client: Pseudonym?
    private(set) var statement: Pseudonym?
    /// Where the browser comes back to.
    private(set) var redirect: Pseudonym?
    /// Whether credentials, token or refusal say that there is the scope of version 2; `nil` if they do not say.
    private(set) var hasScope: Bool?
    private(set) var resources: [Pseudonym] = []
    private(set) var judgements: [Judgement] = []
    private(set) var profiles: [SeenProfile] = []
    private(set) var session: SeenSession?
    private(set) var logouts: [SeenLogout] = []
    private(set) var errorCode: EnhancedErrorCode?
    private(set) var errorAction: EnhancedErrorAction?
    private(set) var registrationError: RegistrationErrorCode?
    private(set) var retryAfter: TimeToLive?
    /// Whether its answer should have a body, but the recording has none, or one that cannot be read.
    private(set) var isOpaque = false
    /// The names of the three fields that it lacks of those that every call has.
    private(set) var missingFields: [String] = []
    /// The names of fields and parameters that no endpoint has.
    private(set) var unknownNames: [String] = []

    var isSuccess: Bool { 200..<300 ~= status }
    /// Whether its status is not about the token or the number of calls.
    var isDecided: Bool { status != 401 && status != 429 }
    /// Whether it was refused for what it asks; neither a token that has ended nor a failure is a refusal.
    var isRefused: Bool { 400..<500 ~= status && isDecided }
    /// Whether it begins a sign-in, or goes on with one.
    var isSession: Bool { isAt(.startSession, .resumeSession, .startPartnerSession) }
    var namesDevice: Bool { identifier != nil && requestor != nil }
    var denials: [Judgement] { judgements.filter { !$0.isPermitted } }
    /// What may resolve its errors.
    var actions: [EnhancedErrorAction] { [errorAction].compactMap(\.self) + denials.compactMap(\.action) }

    /// How many elements its lists have.
    var size: Int { resources.count + judgements.count + profiles.count + logouts.count }

    /// The places that a rule asks for, whether and when they were opened.
    var places: [Pseudonym] { (logouts.map(\.place) + [redirect]).compactMap(\.self) }

    func isAt(_ endpoints: BrokerEndpoint...) -> Bool { endpoints.contains { $0 == endpoint } }

    /// Whether it brought a permit.
    func permits(at endpoint: BrokerEndpoint) -> Bool { isAt(endpoint) && judgements.contains(where: \.isPermitted) }

    /// The longest list of resources or profiles that is kept of one call.
    private static let longestList = 64

    /// Takes a call; `nil` if the exchange is none of this API.
    ///
    /// Throws if libcrypto cannot make its pseudonyms: then it must not be kept.
    init?(_ exchange: RecordedExchange, _ names: Pseudonyms) throws(OpenSSLFailure) {
        let address = exchange.address
        guard exchange.status > 0, exchange.method != "OPTIONS" else { return nil }
        let match = Route.segments(of: address.path).map { Route.find(exchange.method, $0) } ?? .unknown
        let route: Route? = if case .route(let route) = match { route } else { nil }
        guard route != nil || Route.isLimited(path: address.path[...]) else { return nil }
        (requested, answered, status) = (exchange.requested, exchange.answered, exchange.status)
        endpoint = route?.endpoint
        isService = address.path.hasPrefix("/api/v2/") && endpoint?.family != .browser
        isBrowser = exchange.field(UserAgent.name).map(UserAgent.isOfBrowser) == true
        request = try names.name(exchange.request)
        requestor = try names.name(route?.requestor?.rawValue)
        mvpd = try names.name(route?.mvpd?.rawValue)
        code = try names.name(route?[.code])
        if endpoint?.family != .browser { try readRequest(exchange, names) }
        retryAfter = Self.retryAfter(exchange)
        guard endpoint != nil else { return }
        if isSuccess {
            isOpaque = try !readAnswer(exchange, names) && status != 204
        } else if status >= 400 {
            isOpaque = !readRefusal(exchange) && isRefused && endpoint?.family != .browser
        }
    }

    // MARK: The request

    private mutating func readRequest(_ exchange: RecordedExchange, _ names: Pseudonyms) throws(OpenSSLFailure) {
        identifier = try names.name(exchange.field(DeviceIdentifier.name))
        if let value = exchange.field(BearerToken.name), !value.isEmpty {
            let text = value.split(separator: " ").last.map(String.init) ?? value
            token = try names.name(text)
            hasScope = Self.scope(inToken: text)
        }
        let needed = isService ? [BearerToken.name, DeviceIdentifier.name, DeviceInfo.name] : []
        missingFields = needed.filter { exchange.field($0)?.isEmpty != false }
        let parameters = RequestParameters(exchange)
        unknownNames = parameters.unknownNames(with: exchange.fields)
        switch endpoint {
        case .register: statement = try names.name(parameters["software_statement"])
        case .token: client = try names.name(parameters["client_id"])
        case .startSession, .resumeSession:
            mvpd = try names.name(parameters["mvpd"])
            redirect = try names.place(parameters["redirectUrl"].map { WebAddress($0) })
        case .authorize, .preauthorize:
            guard let request = try? DecisionsRequest(parsing: exchange.body.span) else { return }
            for resource in request.resources.prefix(Self.longestList) {
                resources.append(try names.name(resource.trimmed.rawValue))
            }
        default: break
        }
    }

    private static func scope(inToken text: String) -> Bool? {
        (try? SoftwareStatement(text)).flatMap { hasScope($0.unverifiedClaims.scopes) }
    }

    /// Whether some scopes have that of version 2; `nil` if there are none, or if they are those of a tool for resets.
    private static func hasScope(_ scopes: [AccessScope]) -> Bool? {
        if scopes.contains(.apiV2) { return true }
        return scopes.isEmpty || scopes.contains(.temporaryAccess) ? nil : false
    }

    // MARK: The answer

    /// Reads what an answer says; `false` if it cannot be read.
    private mutating func readAnswer(
        _ exchange: RecordedExchange,
        _ names: Pseudonyms
    ) throws(OpenSSLFailure) -> Bool {
        let body = exchange.answerBody
        switch endpoint {
        case .register:
            guard let credentials = try? ClientCredentials(parsing: body.span) else { return false }
            client = try names.name(credentials.clientID)
            hasScope = Self.hasScope(credentials.scopes)
        case .token:
            guard let answer = try? AccessToken(parsing: body.span) else { return false }
            issued = try names.name(answer.bearer.text)
            issuedUntil = answered + answer.lifetime
            hasScope = Self.scope(inToken: answer.bearer.text)
        case .startSession, .resumeSession, .startPartnerSession:
            guard let answer = try? SessionResponse(parsing: body.span) else { return false }
            if let code = answer.code { self.code = try names.name(code.text) }
            let lifetime = answer.notBefore.flatMap { start in answer.notAfter.map { $0 - start } }
            session = SeenSession(action: answer.actionName, lifetime: lifetime)
            if answer.reason == .temporary, let mvpd {
                let until = answered + (lifetime ?? .minutes(30))
                profiles = [SeenProfile(mvpd: mvpd, isTemporary: true, since: answered, until: until)]
            }
        case .profiles, .profile, .profileByCode, .createPartnerProfile:
            guard let answer = try? ProfilesResponse(parsing: body.span) else { return false }
            for profile in answer.profiles.prefix(Self.longestList) {
                let (mvpd, isTemporary) = (try names.name(profile.mvpd.rawValue), profile.type == .temporary)
                profiles.append(
                    SeenProfile(mvpd: mvpd, isTemporary: isTemporary, since: answered, until: profile.notAfter))
            }
        case .authorize, .preauthorize:
            guard let answer = try? DecisionsResponse(parsing: body.span) else { return false }
            for decision in answer.decisions.prefix(Self.longestList) {
                // A sample of the reference has white space around the resource.
                let resource = try names.name(decision.resource.trimmed.rawValue)
                let action = decision.error?.actionOrDocumented
                judgements.append(Judgement(resource: resource, isPermitted: decision.isAuthorized, action: action))
                if errorCode == nil { (errorCode, errorAction) = (decision.error?.code, action) }
            }
        case .logout:
            guard let answer = try? LogoutResponse(parsing: body.span) else { return false }
            for step in answer.logouts.prefix(Self.longestList) {
                let mvpd = try names.name(step.key.rawValue)
                let place = try names.place(step.url.map { WebAddress($0, from: exchange.address) })
                logouts.append(SeenLogout(mvpd: mvpd, place: place, isPartner: step.actionName == .partnerLogout))
            }
        default: break
        }
        return true
    }

    /// Reads what a refusal says; `false` if it cannot be read.
    private mutating func readRefusal(_ exchange: RecordedExchange) -> Bool {
        let body = exchange.answerBody
        let error = try? EnhancedError(parsing: body.span)
        (errorCode, errorAction) = (error?.code, error?.actionOrDocumented)
        if error == nil { registrationError = (try? RegistrationError(parsing: body.span))?.error }
        let words = [exchange.answerField("www-authenticate"), registrationError?.rawValue, errorCode?.rawValue]
        let lacksScope = words.contains { $0?.contains("insufficient_scope") == true }
        if status == 401 || status == 403, lacksScope { hasScope = false }
        guard error != nil || registrationError != nil || lacksScope else { return false }
        // A refusal of the whole request denies each resource.
        if isRefused {
            judgements = resources.map { Judgement(resource: $0, isPermitted: false, action: errorAction) }
        }
        return true
    }

    /// What `Retry-After` says (RFC 9110 §10.2.3): seconds, or a date.
    private static func retryAfter(_ exchange: RecordedExchange) -> TimeToLive? {
        guard let text = exchange.answerField("retry-after") else { return nil }
        if let seconds = Int64(text), 0...31_536_000 ~= seconds { return .seconds(seconds) }
        guard let instant = Timestamp(httpDate: text) else { return nil }
        let sent = exchange.answerField("date").flatMap { Timestamp(httpDate: $0) } ?? exchange.answered
        return max(.zero, instant - sent)
    }
}

/// The parameters of a request: those of the query, and those of a form or a JSON object in the body.
struct RequestParameters {
    private var list: [(name: String, value: String?)] = []

    /// The value of a parameter, if it is a text with something in it; the last one of a name counts.
    subscript(name: String) -> String? { list.last { $0.name == name && $0.value?.isEmpty == false }?.value }

    init(_ exchange: RecordedExchange) {
        read(form: exchange.address.query)
        let body = exchange.body
        if exchange.field("content-type")?.lowercased().hasPrefix(FormFields.mediaType) == true {
            read(form: String(decoding: body, as: UTF8.self))
        } else if let object = try? JSONObject(body.span, in: body.span.afterByteOrderMark) {
            list += object.members.list.map { member in
                (member.name, member.value.kind == .string ? member.value.string(in: body.span) : nil)
            }
        }
    }

    /// Reads the first fields of a form; the rest is not even split, since it may be very long.
    ///
    /// A part without a value is not a parameter: it may be a value itself, such as Base64, sent in the place of a form.
    private mutating func read(form: String) {
        for part in form.split(separator: "&", maxSplits: FormFields.maximumFields).prefix(FormFields.maximumFields) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[1].contains(where: { $0 != "=" }), let name = Self.decoded(pair[0]) else {
                continue
            }
            list.append((name, Self.decoded(pair[1])))
        }
    }

    private static func decoded(_ text: Substring) -> String? {
        let bytes = Array(text.utf8)
        return Percent.decode(bytes.span, in: 0..<bytes.count, plusIsSpaceFrom: 0)
            .flatMap { $0.withSpan { String(validating: $0) } }
    }

    // MARK: Unknown names

    /// The most names that are kept of one call; a report shows ten in all.
    private static let mostNames = 8

    /// The names of header fields and parameters that no endpoint has.
    func unknownNames(with fields: [(name: String, value: String)]) -> [String] {
        let special = fields.map(\.name).filter { name in
            let name = name.lowercased()
            return Self.prefixes.contains { name.hasPrefix($0) } && !Self.knownFields.contains(name)
        }
        let unknown = special + list.map(\.name).filter { !Self.known.contains($0) }
        return unknown.prefix(Self.mostNames).map(Self.shown)
    }

    /// The beginnings of fields that are the operator's, or nobody's.
    private static let prefixes = ["ap-", "ad-", "adobe-", "x-"]

    /// Those of all endpoints.
    private static let known: Set<String> = [
        "software_statement", "redirect_uri", "client_id", "client_secret", "grant_type", "refresh_token",
        "access_token", "profile", "mvpd", "domainName", "redirectUrl", "SAMLResponse", "resources", "requestor_id",
        "mvpd_id", "device_id", "key",
    ]

    /// The fields of the reference, and those of the operator's own libraries.
    private static let knownFields = Set(RequestField.allCases.flatMap(\.names).map { $0.lowercased() })

    /// A name, unless it could be a value that the application sent in the place of a name.
    ///
    /// A name is of words that may begin with a capital and go on in lower case, with two digits at most.
    private static func shown(_ name: String) -> String {
        let prefix = prefixes.first { name.lowercased().hasPrefix($0) } ?? ""
        let text = Array(name.utf8.dropFirst(prefix.utf8.count))
        func isSmall(_ byte: UInt8) -> Bool { byte.isASCIILetter && byte & 0x20 != 0 }
        let isName =
            name.utf8.count <= 32 && text.allSatisfy(\.isURLSafe) && text.count(where: \.isASCIIDigit) <= 2
            && text.contains(where: isSmall)
            && zip(text, text.dropFirst() + [0]).allSatisfy { isSmall($0) || !$0.isASCIILetter || isSmall($1) }
        return isName ? name : "(a name that is not shown)"
    }
}
#endif
