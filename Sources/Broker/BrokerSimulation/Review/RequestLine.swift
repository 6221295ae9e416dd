#if Client
import ServiceResponses
package import TextCodecs

/// One recorded call for people who look for what went wrong.
package struct RequestLine: Sendable {
    private let call: ReviewedCall

    init(_ call: ReviewedCall) { self.call = call }

    /// Time, endpoint, status, error code, what the code means, and the action, each in its column.
    package var columns: [String] {
        [String(call.number), "\(call.requested)", endpoint, String(call.status)] + error.map(\.text)
    }

    /// The same as JSON; what there is not is left out.
    package func write(to object: inout JSONWriter) {
        object.member("number", call.number)
        object.member("time", "\(call.requested)")
        object.member("endpoint", endpoint)
        object.member("status", call.status)
        for part in error where !part.text.isEmpty { object.member(part.name, part.text) }
    }

    private var endpoint: String { call.endpoint?.rawValue ?? "unknown" }

    /// What is known of the error; only documented names, since any other text is the sender's.
    private var error: [(name: String, text: String)] {
        [
            ("code", call.errorCode?.shown ?? call.registrationError?.shown ?? ""),
            ("meaning", call.errorCode?.meaning?.words ?? ""), ("action", call.errorAction?.shown ?? ""),
        ]
    }
}

extension EnhancedErrorMeaning {
    /// For people, in a few words.
    fileprivate var words: String {
        switch self {
        case .profileGone: "the sign-in has ended"
        case .userNotAccepted: "the provider does not accept the user any more"
        case .denied: "the user may not watch this"
        case .deniedAtHome: "the rules for the home network do not allow it"
        case .deniedByDegradation: "a rule of degraded operation does not allow it"
        case .accessTimeOver: "the time of temporary access is over"
        case .accessUsedUp: "temporary access is used up"
        case .providerUnknown: "no such provider for this brand"
        case .identityMissing: "promotional access lacks the identity"
        case .codeEnded: "the code has ended, or is mistyped"
        case .partnerUndetermined: "the platform has not asked the user yet"
        case .partnerDenied: "the user does not share the platform's sign-in"
        case .partnerStatusBad: "the platform's status names no provider"
        case .partnerRequestBad: "the platform's answer is wrong"
        case .clientEnded: "token or client are not valid any more"
        case .otherBrand: "the client is of another brand"
        case .resourcesBad: "the resources are malformed, or too many"
        case .requestorUnknown: "no such brand"
        case .redirectRefused: "the address to return to is not allowed"
        case .deviceBad: "a field about the device is missing or malformed"
        case .providerNotReached: "the provider could not be asked"
        case .brokerFailed: "the broker failed"
        case .misconfigured: "the operator's configuration is wrong"
        }
    }
}
#endif
