#if Service
import BrokerMessages
package import DeviceRecords
import EntitlementFlows
import EntitlementValues
import OpenSSLBridge
import ServiceResponses
import TextCodecs

extension SessionEvent {
    /// The event as it leaves the gateway: its name, what happened, and the array of the operator's library for analytics.
    ///
    /// Tokens, codes, addresses, attributes and texts with codes in them are left out: an address holds a code, and the
    /// message of the status `REGCODE` is one. Values of metadata are attributes.
    func write(to object: inout JSONWriter) {
        object.member("event", name)
        switch self {
        case .requestorComplete(let isComplete): object.member("success", isComplete)
        case .authenticationStatus(let result): object.members(of: result)
        case .chooseProvider(let choice):
            object.member("providers", choice.providers.map(\.id.rawValue))
            object.member("remembered", ifPresent: choice.remembered?.rawValue)
        case .askPartner(let question): object.member("question", question.name)
        case .openUserAgent(let visit): object.member("purpose", visit.purpose.rawValue)
        case .showCode(let code): object.member("until", code.until.milliseconds)
        case .permitted(let playback):
            object.member("resource", playback.resource.rawValue)
            object.member("mvpd", playback.mvpd.rawValue)
            object.member("source", ifPresent: playback.source?.rawValue)
            object.member("cached", playback.isCached)
        case .tokenRequestFailed(let failure): object.members(of: failure)
        case .preauthorized(let resources): object.member("resources", resources.map(\.rawValue))
        case .selectedProvider(let provider): object.member("mvpd", ifPresent: provider?.id.rawValue)
        case .metadata(let answer): object.members(of: answer)
        case .tracking(let event): object.members(of: event)
        case .status(let status):
            object.member("status", status.code.rawValue)
            object.member("level", status.level.rawValue)
        case .missed(let count): object.member("count", count)
        }
    }

    /// The stable name of the event.
    var name: String {
        switch self {
        case .requestorComplete: "requestor_complete"
        case .authenticationStatus: "authentication_status"
        case .chooseProvider: "choose_provider"
        case .askPartner: "ask_partner"
        case .openUserAgent: "open_user_agent"
        case .showCode: "show_code"
        case .permitted: "permitted"
        case .tokenRequestFailed: "token_request_failed"
        case .preauthorized: "preauthorized"
        case .selectedProvider: "selected_provider"
        case .metadata: "metadata"
        case .tracking: "tracking"
        case .status: "status"
        case .missed: "missed"
        }
    }
}

extension PartnerQuestion {
    fileprivate var name: String {
        switch self {
        case .pick: "pick"
        case .confirm: "confirm"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of result: AuthenticationResult) {
        switch result {
        case .authenticated(let signIn):
            member("authenticated", true)
            member("mvpd", signIn.mvpd.rawValue)
            if let until = signIn.until { member("until", until.milliseconds) }
            member("reason", ifPresent: signIn.reason?.rawValue)
        default:
            member("authenticated", false)
            member("code", result.code)
        }
    }

    fileprivate mutating func members(of failure: TokenRequestFailure) {
        member("resource", failure.resource.rawValue)
        switch failure {
        case .denied(let denial):
            member("mvpd", ifPresent: denial.mvpd?.rawValue)
            member("code", denial.nameForApps)
        case .notAuthenticated: member("code", EntitlementFlowError.notAuthenticated.nameForApps)
        case .failed(_, let error): member("code", error.nameForApps)
        }
    }

    fileprivate mutating func members(of answer: MetadataAnswer) {
        switch answer.question {
        case .authenticationTTL: member("question", "authentication_ttl")
        case .authorizationTTL(let resource):
            member("question", "authorization_ttl")
            member("resource", resource.rawValue)
        case .deviceIdentifier: member("question", "device_identifier")
        case .userMetadata(let name):
            member("question", "user_metadata")
            member("attribute", ifPresent: name)
        }
        member("known", answer.value != nil)
    }

    fileprivate mutating func members(of event: TrackingEvent) {
        member("kind", event.kind.legacyName)
        member("success", event.isSuccess)
        member("mvpd", ifPresent: event.mvpd?.rawValue)
        member("array", json: .array(event.array))
    }
}

extension AuthenticationResult {
    /// Why the user is not signed in.
    fileprivate var code: String {
        switch self {
        case .authenticated: "authenticated"
        case .notAuthenticated: "not_authenticated"
        case .noProviderChosen: "no_provider_chosen"
        case .providerNotAvailable: "unknown_provider"
        case .failed(let error), .unconfirmed(let error): error.nameForApps
        }
    }
}

/// A name of a device in events: the same in all of them, and of no use for anything else.
///
/// Device keys have 128 random bits, so a plain hash of one cannot be turned back, nor be made without the key.
package struct DevicePseudonym: Sendable, Hashable {
    /// 32 hexadecimal digits.
    package let text: String

    /// Makes the pseudonym of a device, from its key or that of one of its sessions; `nil` if libcrypto failed.
    package init?(of session: DeviceKey) {
        let bytes = Array("tve events\u{0}\(session.deviceOfSession.rawValue)".utf8)
        guard let hash = try? bytes.withSpan({ bytes in try Digest.sha256.hash(bytes, in: 0..<bytes.count) }) else {
            return nil
        }
        text = Hex.encode(hash.prefix(16))
    }
}
#endif
