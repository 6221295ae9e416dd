#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import Hummingbird
import ServiceResponses
import TextCodecs

extension DeviceCall {
    /// How long the broker's word counts that no user is signed in: the operator's checklist wants it asked again no sooner.
    private static let answerTime = TimeToLive.minutes(5)

    /// `PUT /v1/partner`: what the device's sign-on partner says, at the app's start and when it comes to the foreground.
    ///
    /// It is kept until it ends, and rides on calls of the broker. The broker is asked once for the profile, since the
    /// partner may have signed the user in meanwhile; not again if it said less than five minutes ago that there is none, as
    /// when the user is asked for permission in the middle of a sign-in.
    func takePartnerStatus() async throws -> Response {
        let body = try await call.body(taking: ["status"])
        guard let status = try body.partnerStatus() else { throw RequestError.badRequest("status is missing") }
        let now = now
        try await changeRecord { device in device.partner = DevicePartner(status, at: now) }
        var silent = options
        silent.partnerStatus = status
        silent.partnerSignIn = .silent
        let found = try await withSession(options: silent) { session in
            try await session.synchronize(partner: status, notAskingAgainFor: Self.answerTime)
        }
        if let question = found.question {
            // Another status may have come meanwhile, or a sign-in, whose question the next reply answers.
            let asked = DevicePartner(status, at: now)
            let isNoted = try await changeRecord { device in
                guard device.partner == asked, device.signIns.open == nil else { return false }
                device.partner?.isAskedSilently = true
                return true
            }
            return response(isNoted ? AuthenticationStep.askPartner(question) : nil)
        }
        guard case .authenticated(let signIn) = found.status else { return response(nil) }
        return response(AuthenticationStep.authenticated(signIn))
    }

    /// `POST /v1/authentication/partner`: what the device's sign-on partner answered to a question.
    func takePartnerReply() async throws -> Response {
        let names: Set = ["status", "response", "unsupportedProvider", "outcome", "returnTo"]
        let body = try await call.body(taking: names)
        let (reply, now) = (try body.partnerReply(), now)
        var wanted = SignInRequest()
        wanted.returnTo = try returnAddress(body)
        wanted.hasCookie = isByCookie
        let status = try body.partnerStatus()
        let flow = try SignInFlow(of: self, partner: status)
        let wasSilent = try await changeRecord { device in
            let wasSilent = device.partner?.isAskedSilently ?? false
            device.partner?.isAskedSilently = false
            if let status { device.partner = DevicePartner(status, at: now) }
            return wasSilent
        }
        let step = try await flow.signIn(wanted, first: GatewayDevice(of: token)) { session in
            try await session.partnerReplied(reply, toSilentQuestion: wasSilent)
        }
        return response(step)
    }
}

extension GatewayBody {
    /// What the partner's framework says; `nil` if the member is absent.
    fileprivate func partnerStatus() throws(RequestError) -> PartnerFrameworkStatus? {
        guard let json = try objectText("status") else { return nil }
        return try rethrowing(PartnerFrameworkStatus(json: json)) { (error: BrokerHeaderError) in
            RequestError.badRequest("status: \(error)")
        }
    }

    /// What the partner answered: one of the forms that a reply may have.
    fileprivate func partnerReply() throws(RequestError) -> PartnerReply {
        // The longest answer that the broker is sent, in Base64.
        let response = try identifier("response", upTo: PartnerProfileRequest.maximumLength * 2)
        let status = try partnerStatus()
        let (unsupported, outcome) = (try identifier("unsupportedProvider"), try identifier("outcome"))
        switch (status, response, unsupported, outcome) {
        case (let status?, nil, nil, nil): return .status(status)
        case (let status?, let text?, nil, nil): return .answer(status, response: PartnerResponse(text))
        case (_, nil, let id?, nil): return .unsupported(mappingID: id)
        case (_, nil, nil, "other"): return .otherProvider
        case (_, nil, nil, "cancelled"): return .cancelled
        default:
            throw .badRequest(
                "a reply is status, status with response, unsupportedProvider, or outcome (other or cancelled)")
        }
    }
}

/// What a device's sign-on partner said last, which rides on calls of the broker until it ends.
struct DevicePartner: Sendable, Hashable {
    let status: PartnerFrameworkStatus
    /// The first instant at which it does not count anymore.
    let until: Timestamp
    /// Whether the device was asked to put a question to the partner without showing anything.
    var isAskedSilently = false

    /// How long a status counts that has no end of its own: one without a provider.
    private static let lifetime = TimeToLive.hours(1)

    /// Takes what the partner says.
    init(_ status: PartnerFrameworkStatus, at now: Timestamp) {
        (self.status, until) = (status, status.provider.expires ?? now + Self.lifetime)
    }

    /// The status as long as it counts; `nil` after that.
    func status(at now: Timestamp) -> PartnerFrameworkStatus? { now < until ? status : nil }

    /// Whether the partner's picker may be shown when the status is too old to count: not to a user who denied permission.
    var mayBeAsked: Bool { [.granted, .notDetermined].contains(status.permission.accessStatus) }

    // MARK: Content

    /// Writes the members of its object.
    func write(to object: inout JSONWriter) {
        object.member("status", status.json)
        object.member("until", until.milliseconds)
        if isAskedSilently { object.member("asked", true) }
    }

    /// Reads what ``write(to:)`` wrote.
    init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        let json = try object.requiredIdentifier("status", in: text)
        guard let status = try? PartnerFrameworkStatus(json: json) else {
            throw JSONFault(.wrongType(.identifier), at: object.location + "status", "is not a status")
        }
        self.status = status
        until = try object.requiredInstant("until", in: text)
        isAskedSilently = try object.boolean("asked", in: text) ?? false
    }
}
#endif
