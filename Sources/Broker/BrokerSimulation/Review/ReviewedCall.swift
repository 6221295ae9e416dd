#if Client
import BrokerMessages
package import EntitlementValues
import HostSystem
import OpenSSLBridge
import ServiceResponses
import TextCodecs

/// A request and its answer as a recorder has them.
package struct RecordedExchange: Sendable {
    package var requested: Timestamp
    package var answered: Timestamp
    package var method: String
    /// The address as it was asked for; without scheme and host, that of the simulator.
    package var address: String
    package var fields: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    package var status: Int
    package var answerFields: [(name: String, value: String)] = []
    package var answerBody: [UInt8] = []

    /// The value of a header field of the request, whose names are alike in upper and lower case.
    func field(_ name: String) -> String? { Self.value(of: name, in: fields) }

    /// The value of a header field of the answer.
    func answerField(_ name: String) -> String? { Self.value(of: name, in: answerFields) }

    private static func value(of name: String, in fields: [(name: String, value: String)]) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }?.value
    }
}

/// What stands for a secret or an identifier in a review.
struct Pseudonym: Hashable, Sendable {
    fileprivate let code: UInt64
}

/// Makes pseudonyms: the same for the same text, and useless without the key, which is random and goes with the review.
struct Pseudonyms: Sendable {
    private let key: AuthenticationKey

    init() throws(OpenSSLFailure) {
        key = AuthenticationKey(WipedBytes(try randomBytes(32)), digest: .sha256)
    }

    func name(_ bytes: [UInt8]) throws(OpenSSLFailure) -> Pseudonym {
        Pseudonym(code: try key.code(of: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    func name(_ text: String?) throws(OpenSSLFailure) -> Pseudonym? {
        guard let text, !text.isEmpty else { return nil }
        return try name(Array(text.utf8))
    }

    /// Names the place that an address leads to: its query and fragment do not count.
    ///
    /// An address without scheme and host is one at `base`, which is another address.
    func place(_ address: String, from base: String = "") throws(OpenSSLFailure) -> Pseudonym? {
        let address = WebAddress(address)
        let origin = address.origin.isEmpty ? WebAddress(base).origin : address.origin
        return try name("\(origin)\(address.path)")
    }
}

/// An address, taken apart without a look at its escapes.
struct WebAddress {
    /// Scheme, host and port in lower case, the standard port left out, or a scheme alone; empty if the address is relative.
    private(set) var origin = ""
    /// The host in lower case, without brackets.
    private(set) var host: Substring = ""
    private(set) var path = "/"
    private(set) var query = ""

    init(_ text: String) {
        var rest = text.prefix { $0 != "#" }
        if let question = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: question)...])
            rest = rest[..<question]
        }
        let scheme = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }.lowercased()
        if rest.dropFirst(scheme.count).hasPrefix("://") {
            rest = rest.dropFirst(scheme.count + 3)
            let start = rest.firstIndex(of: "/") ?? rest.endIndex
            var authority = rest[..<start].lowercased()[...]
            if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
            for (known, port) in [("https", ":443"), ("http", ":80")] where scheme == known && authority.hasSuffix(port)
            {
                authority = authority.dropLast(port.count)
            }
            host =
                authority.hasPrefix("[")
                ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
            origin = "\(scheme)://\(authority)"
            rest = rest[start...]
        } else if !scheme.isEmpty, rest.dropFirst(scheme.count).hasPrefix(":") {
            // An application's own scheme needs no slashes (RFC 8252 §7.1).
            (origin, rest) = ("\(scheme):", rest.dropFirst(scheme.count + 1))
        }
        if !rest.isEmpty { path = String(rest) }
    }
}

/// That an address was opened, by whomever.
struct ReviewedVisit: Sendable {
    let place: Pseudonym?
    let requested: Timestamp
    /// Where the answer sent the browser on to.
    let next: Pseudonym?
    let answered: Timestamp

    init(_ exchange: RecordedExchange, _ names: Pseudonyms) throws(OpenSSLFailure) {
        (requested, answered) = (exchange.requested, exchange.answered)
        place = try names.place(exchange.address)
        let location = 300..<400 ~= exchange.status ? exchange.answerField("location") : nil
        next = try location.flatMap { location throws(OpenSSLFailure) in
            try names.place(location, from: exchange.address)
        }
    }
}

/// A call of the API as the rules of acceptance see it: times, pseudonyms and names, and nothing else.
struct ReviewedCall: Sendable {
    struct Judgement: Sendable {
        let resource: Pseudonym
        let isPermitted: Bool
        let action: EnhancedErrorAction?
    }

    struct SeenProfile: Sendable {
        let mvpd: Pseudonym
        let type: ProfileType?
        let notAfter: Timestamp
    }

    struct SeenSession: Sendable {
        let action: SessionAction
        let reason: SessionReason
        let lifetime: TimeToLive?
    }

    /// What is left to open after a logout; `nil` if it is the platform's.
    struct SeenLogout: Sendable {
        let mvpd: Pseudonym
        let place: Pseudonym?
        let isPartner: Bool
    }

    /// Its number in the report, from 1.
    var number = 0
    /// The number of its device, which is found once all calls are known.
    var device = 0
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
    /// Whether credentials or token say that they have the scope of version 2; `nil` if they do not say.
    private(set) var hasScope: Bool?
    private(set) var lacksScope = false
    private(set) var resources: [Pseudonym] = []
    private(set) var judgements: [Judgement] = []
    private(set) var profiles: [SeenProfile] = []
    private(set) var session: SeenSession?
    private(set) var logouts: [SeenLogout] = []
    private(set) var errorCode: EnhancedErrorCode?
    private(set) var errorAction: EnhancedErrorAction?
    private(set) var registrationError: RegistrationErrorCode?
    private(set) var retryAfter: TimeToLive?
    /// The names of the three fields that it lacks of those that every call has.
    private(set) var missingFields: [String] = []
    /// The names of fields and parameters that no endpoint has.
    private(set) var unknownNames: [String] = []

    var isSuccess: Bool { 200..<300 ~= status }
    /// Whether a status of the client's errors is a decision, and not about the token or the number of calls.
    var isDecided: Bool { status != 401 && status != 429 }
    var denials: [Judgement] { judgements.filter { !$0.isPermitted } }
    /// Whether it begins a sign-in, or goes on with one.
    var isSession: Bool {
        endpoint == .startSession || endpoint == .resumeSession || endpoint == .startPartnerSession
    }
    /// What may resolve its errors.
    var actions: [EnhancedErrorAction] { [errorAction].compactMap(\.self) + denials.compactMap(\.action) }

    /// The longest list of resources or profiles that is kept of one call.
    private static let longestList = 64
    /// The most names that are kept of one call; a report shows ten in all.
    private static let mostNames = 8

    /// Takes a call; `nil` if the exchange is none of this API.
    ///
    /// Throws if libcrypto cannot make its pseudonyms: then it must not be kept.
    init?(_ exchange: RecordedExchange, _ names: Pseudonyms) throws(OpenSSLFailure) {
        let address = WebAddress(exchange.address)
        guard exchange.status > 0, exchange.method != "OPTIONS" else { return nil }
        let match = Route.segments(of: address.path).map { Route.find(exchange.method, $0) } ?? .unknown
        let route: Route? = if case .route(let route) = match { route } else { nil }
        guard route != nil || Route.isLimited(path: address.path[...]) else { return nil }
        (requested, answered, status) = (exchange.requested, exchange.answered, exchange.status)
        endpoint = route?.endpoint
        isService = address.path.hasPrefix("/api/v2/") && endpoint?.family != .browser
        isBrowser = exchange.field(UserAgent.name).map(UserAgent.isOfBrowser) == true
        request = try names.name(Array("\(exchange.method) \(address.path)?\(address.query)\n".utf8) + exchange.body)
        requestor = try names.name(route?.requestor?.rawValue)
        mvpd = try names.name(route?.mvpd?.rawValue)
        code = try names.name(route?[.code])
        retryAfter = Self.retryAfter(exchange)
        let parameters = Parameters(exchange, address)
        if endpoint?.family != .browser { try read(exchange, parameters, names) }
        guard let endpoint else { return }
        try readRequest(at: endpoint, parameters, names)
        if isSuccess {
            try readAnswer(exchange, at: endpoint, names)
        } else if status >= 400 {
            try readRefusal(exchange, names)
        }
    }

    // MARK: The request

    private mutating func read(
        _ exchange: RecordedExchange,
        _ parameters: Parameters,
        _ names: Pseudonyms
    ) throws(OpenSSLFailure) {
        identifier = try names.name(exchange.field(DeviceIdentifier.name))
        if let value = exchange.field(BearerToken.name) {
            let text = value.split(separator: " ").last.map(String.init) ?? value
            token = try names.name(text)
            hasScope = Self.scope(inToken: text)
        }
        if isService {
            missingFields = [BearerToken.name, DeviceIdentifier.name, DeviceInfo.name].filter {
                exchange.field($0) == nil
            }
        }
        let fields = exchange.fields.map(\.name).filter { name in
            let name = name.lowercased()
            return ["ap-", "ad-", "adobe-", "x-"].contains { name.hasPrefix($0) } && !Self.knownFields.contains(name)
        }
        let unknown = fields + parameters.names.filter { !Parameters.known.contains($0) }
        unknownNames = unknown.prefix(Self.mostNames).map(Self.shown)
    }

    /// A name, unless it could be a value that somebody put in the place of a name: codes and identifiers of devices have
    /// many digits, or capitals alone.
    private static func shown(_ name: String) -> String {
        let text = name.utf8
        let isName =
            text.count <= 32 && text.allSatisfy(\.isURLSafe) && text.count(where: \.isASCIIDigit) <= 2
            && (text.contains(UInt8(ascii: "-")) || text.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 })
        return isName ? name : "(a name that is not shown)"
    }

    /// The fields of the reference, and those of the operator's own libraries.
    private static let knownFields = Set(RequestField.allCases.flatMap(\.names).map { $0.lowercased() })

    private static func scope(inToken text: String) -> Bool? {
        (try? SoftwareStatement(text)).flatMap { hasScope($0.unverifiedClaims.scopes) }
    }

    /// Whether some scopes have that of version 2; `nil` if there are none, or if they are those of a tool for resets.
    private static func hasScope(_ scopes: [AccessScope]) -> Bool? {
        if scopes.contains(.apiV2) { return true }
        return scopes.isEmpty || scopes.contains(.temporaryAccess) ? nil : false
    }

    private mutating func readRequest(
        at endpoint: BrokerEndpoint,
        _ parameters: Parameters,
        _ names: Pseudonyms
    ) throws(OpenSSLFailure) {
        switch endpoint {
        case .register: statement = try names.name(parameters["software_statement"])
        case .token: client = try names.name(parameters["client_id"])
        case .startSession, .resumeSession:
            mvpd = try names.name(parameters["mvpd"])
            redirect = try parameters["redirectUrl"].flatMap { url throws(OpenSSLFailure) in try names.place(url) }
        case .authorize, .preauthorize:
            let request = try? DecisionsRequest(parsing: parameters.body.span)
            for resource in (request?.resources ?? []).prefix(Self.longestList) {
                if let name = try names.name(resource.rawValue.trimmed) { resources.append(name) }
            }
        default: break
        }
    }

    // MARK: The answer

    private mutating func readAnswer(
        _ exchange: RecordedExchange,
        at endpoint: BrokerEndpoint,
        _ names: Pseudonyms
    ) throws(OpenSSLFailure) {
        let body = exchange.answerBody
        switch endpoint {
        case .register:
            guard let credentials = try? ClientCredentials(parsing: body.span) else { return }
            client = try names.name(credentials.clientID)
            hasScope = Self.hasScope(credentials.scopes)
        case .token:
            guard let answer = try? AccessToken(parsing: body.span) else { return }
            issued = try names.name(answer.bearer.text)
            issuedUntil = answered + answer.lifetime
            hasScope = Self.scope(inToken: answer.bearer.text)
        case .startSession, .resumeSession, .startPartnerSession:
            guard let answer = try? SessionResponse(parsing: body.span) else { return }
            if let code = answer.code { self.code = try names.name(code.text) }
            let lifetime = answer.notBefore.flatMap { start in answer.notAfter.map { $0 - start } }
            session = SeenSession(action: answer.actionName, reason: answer.reason, lifetime: lifetime)
        case .profiles, .profile, .profileByCode, .createPartnerProfile:
            guard let answer = try? ProfilesResponse(parsing: body.span) else { return }
            for profile in answer.profiles.prefix(Self.longestList) {
                guard let mvpd = try names.name(profile.mvpd.rawValue) else { continue }
                profiles.append(SeenProfile(mvpd: mvpd, type: profile.type, notAfter: profile.notAfter))
            }
        case .authorize, .preauthorize:
            guard let answer = try? DecisionsResponse(parsing: body.span) else { return }
            for decision in answer.decisions.prefix(Self.longestList) {
                // A sample of the reference has white space around the resource.
                guard let resource = try names.name(decision.resource.rawValue.trimmed) else { continue }
                let action = decision.error?.actionOrDocumented
                judgements.append(
                    Judgement(resource: resource, isPermitted: decision.isAuthorized, action: action))
                if errorCode == nil { (errorCode, errorAction) = (decision.error?.code, action) }
            }
        case .logout:
            guard let answer = try? LogoutResponse(parsing: body.span) else { return }
            for step in answer.logouts.prefix(Self.longestList) {
                guard let mvpd = try names.name(step.key.rawValue) else { continue }
                let place = try step.url.flatMap { url throws(OpenSSLFailure) in
                    try names.place(url, from: exchange.address)
                }
                logouts.append(
                    SeenLogout(mvpd: mvpd, place: place, isPartner: step.actionName == .partnerLogout))
            }
        default: break
        }
    }

    private mutating func readRefusal(
        _ exchange: RecordedExchange,
        _ names: Pseudonyms
    ) throws(OpenSSLFailure) {
        let body = exchange.answerBody
        if let error = try? EnhancedError(parsing: body.span) {
            errorCode = error.code
            errorAction = error.actionOrDocumented
        } else if let error = try? RegistrationError(parsing: body.span) {
            registrationError = error.error
        }
        let words = [exchange.answerField("www-authenticate"), registrationError?.rawValue, errorCode?.rawValue]
        lacksScope =
            (status == 401 || status == 403) && words.contains { $0?.contains("insufficient_scope") == true }
        // A refusal of the whole request denies each resource; neither a token that has ended nor a failure is one.
        guard status < 500, status != 401, status != 429 else { return }
        judgements = resources.map { Judgement(resource: $0, isPermitted: false, action: errorAction) }
    }

    /// What `Retry-After` says (RFC 9110 §10.2.3): seconds, or a date.
    private static func retryAfter(_ exchange: RecordedExchange) -> TimeToLive? {
        guard let text = exchange.answerField("retry-after")?.trimmed else { return nil }
        if let seconds = Int64(text), 0...31_536_000 ~= seconds { return .seconds(seconds) }
        guard let instant = Timestamp(httpDate: text) else { return nil }
        let sent = exchange.answerField("date").flatMap { Timestamp(httpDate: $0) } ?? exchange.answered
        return max(.zero, instant - sent)
    }
}

/// The parameters of a request: those of the query, and those of a form or a JSON object in the body.
private struct Parameters {
    private(set) var names: [String] = []
    private var values: [String: String] = [:]
    let body: [UInt8]

    subscript(name: String) -> String? { values[name] }

    /// Those of all endpoints.
    static let known: Set<String> = [
        "software_statement", "redirect_uri", "client_id", "client_secret", "grant_type", "refresh_token",
        "access_token", "profile", "mvpd", "domainName", "redirectUrl", "SAMLResponse", "resources", "requestor_id",
        "mvpd_id", "device_id", "key",
    ]

    init(_ exchange: RecordedExchange, _ address: WebAddress) {
        body = exchange.body
        read(form: address.query)
        let isForm = exchange.field("content-type")?.lowercased().hasPrefix(FormFields.mediaType) == true
        if isForm {
            read(form: String(decoding: body, as: UTF8.self))
        } else if let object = try? JSONObject(body.span, in: body.span.afterByteOrderMark) {
            for member in object.members.list {
                names.append(member.name)
                values[member.name] = member.value.kind == .string ? member.value.string(in: body.span) : nil
            }
        }
    }

    /// A part without `=` is no parameter: it may be a value that was sent in the place of a form.
    private mutating func read(form: String) {
        for part in form.split(separator: "&").prefix(FormFields.maximumFields) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let name = Self.decoded(pair[0]) else { continue }
            names.append(name)
            if let value = Self.decoded(pair[1]), !value.isEmpty { values[name] = value }
        }
    }

    private static func decoded(_ text: Substring) -> String? {
        let bytes = Array(text.utf8)
        return Percent.decode(bytes.span, in: 0..<bytes.count, plusIsSpaceFrom: 0)
            .flatMap { $0.withSpan { String(validating: $0) } }
    }
}

extension String {
    /// The text without the white space around it.
    fileprivate var trimmed: String {
        withBytes { bytes in String(copying: bytes.extracting(bytes.trimmingWhiteSpace(0..<bytes.count))) }
    }
}
#endif
