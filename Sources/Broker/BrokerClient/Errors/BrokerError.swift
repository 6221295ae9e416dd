#if Client
import BrokerMessages
public import DeviceRecords
import EntitlementValues
import HTTPTypes
public import ServiceResponses
public import TextCodecs

/// The reason why a call of the broker failed.
///
/// No description contains what the broker wrote for people, a token, a secret, a code or an identifier of a device. The
/// broker's texts are properties of `EnhancedError`.
@nonexhaustive
public enum BrokerError: Error, Sendable, Hashable {
    /// The request is not sent, because it is not complete.
    case request(RequestFault)
    /// A whole answer did not come. What is safe to repeat was repeated.
    case transport(TransportFailure)
    /// The broker takes no more requests from this client address at present, or the turn of this request comes after
    /// its time limit; `nil` if the broker did not say for how long.
    case throttled(retryAfter: Duration?)
    /// A call of ``RequestPriority/polling`` was not sent, because it would have had to wait.
    case pollSkipped(retryAfter: Duration)
    /// The broker refuses the call, with its error object and the HTTP status.
    case refused(EnhancedError, status: Int)
    /// The application's registration does not work; the application or its operator has to decide what to do.
    case registration(RegistrationRefusal)
    /// The broker does not take the access token that the application lent: the application renews it and asks again.
    case borrowedTokenRefused
    /// The broker, or a server before it, is out of service: the status is 408, 502, 503 or 504, without an error object of
    /// the broker. What is safe to repeat was repeated; `nil` if it did not say after how long to ask again.
    case unavailable(status: Int, retryAfter: Duration?)
    /// The answer is not what the endpoint answers with.
    case unreadable(UnreadableAnswer)
    /// The answer holds an address that a user agent must not open.
    case unsafeAddress(AddressFault)
    /// The device's record could not be read or changed.
    case store(DeviceRecordsError)
    /// The task was cancelled.
    case cancelled

    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .request(let fault): fault.code
        case .transport(let failure): failure.reason.rawValue
        case .throttled: "throttled"
        case .pollSkipped: "poll_skipped"
        case .refused: "refused"
        case .registration(let refusal): refusal.decision.rawValue
        case .borrowedTokenRefused: "borrowed_token_refused"
        case .unavailable: "unavailable"
        case .unreadable: "unreadable_answer"
        case .unsafeAddress: "unsafe_address"
        case .store(let error): error.code
        case .cancelled: "cancelled"
        }
    }
}

extension BrokerError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What happened, and what to do about it; of the broker's own words only code, status, action and trace.
    public var description: String {
        switch self {
        case .request(let fault): fault.description
        case .transport(let failure): "no answer from the broker: \(failure)"
        case .throttled(let wait?):
            "the broker takes no more requests from this client address; try again in \(wait.wholeSeconds) s"
        case .throttled(nil): "the broker takes no more requests from this client address; try again in some seconds"
        case .pollSkipped(let wait):
            "the poll was left out, because it would have had to wait \(wait.wholeSeconds) s; poll again later"
        case .refused(let error, let status):
            "the broker refused the call: \(error.facts(answeredWith: status)); \(error.advice)"
        case .registration(let refusal): refusal.description
        case .borrowedTokenRefused:
            "the broker refused the access token that the application lent; let it renew the token and ask again"
        case .unavailable(let status, let wait?):
            "the broker, or a server before it, is out of service: status \(status); try again in \(wait.wholeSeconds) s"
        case .unavailable(let status, nil):
            "the broker, or a server before it, is out of service: status \(status); try again later"
        case .unreadable(let answer):
            "the broker's answer cannot be read: \(answer); is it the broker that answers there?"
        case .unsafeAddress(let fault): "the broker's answer holds an address that must not be opened: \(fault)"
        case .store(let error): "the device's record: \(error)"
        case .cancelled: "the call was cancelled"
        }
    }

    /// The description: texts and unknown members of an error object may hold anything.
    public var debugDescription: String { description }

    /// A mirror without the error object, whose texts may hold anything.
    public var customMirror: Mirror { Mirror(self, children: ["code": code]) }
}

extension RegistrationRefusal: CustomStringConvertible, CustomReflectable {
    /// What the broker refused, and what to do about it.
    public var description: String {
        let what =
            switch step {
            case .registration: "the broker refused to register the application"
            case .accessToken: "the broker refused an access token"
            case .call: "the broker refused a call with a new access token"
            }
        return "\(what): \(facts); \(advice)"
    }

    /// A mirror without the error object, whose texts may hold anything.
    public var customMirror: Mirror {
        Mirror(self, children: ["step": step, "decision": decision, "status": status])
    }

    private var facts: String {
        if let enhancedError { return enhancedError.facts(answeredWith: status) }
        return "status \(status)" + (reason.map { ", \(RegistrationErrorCode($0).shown)" } ?? "")
    }

    private var advice: String {
        switch decision {
        case .registerAnew where isOfResets:
            "reset again, which registers anew for resets; if that is refused, too, \(Self.adviceOfResets)"
        case .replaceStatement where isOfResets, .askForPermission where isOfResets: Self.adviceOfResets
        case .registerAnew where isOfBrand:
            "check the brand, and whether the application may use it; a registration anew, which ends all logins of the device, "
                + "may be of no use"
        case .registerAnew:
            "decide whether to forget the device's credentials and register anew, which ends all of its logins"
        case .replaceStatement: "ask the broker's operator for a new software statement with the scope of REST API V2"
        case .correctRedirectURI: "register the redirect URI with the broker's operator, or correct it"
        case .askForPermission: "ask the broker's operator to permit the application to use REST API V2"
        case .reportDefect: "this is a defect of the client or of the broker; report it"
        }
    }

    private static let adviceOfResets =
        "give resets a software statement of the brand with the scope \(AccessScope.temporaryAccess.rawValue), which the broker's "
        + "operator issues; the logins of the device are not concerned"
}

extension EnhancedError {
    /// Code, status, action and trace in one line, without the texts for people.
    fileprivate func facts(answeredWith status: Int) -> String {
        var parts = [code?.shown ?? "no code", "status \(status)"]
        if let inner = self.status, inner != status { parts.append("status \(inner) in the body") }
        if let action { parts.append("action \(action.shown)") }
        if let trace { parts.append("trace \(trace.shownIfTrace)") }
        return parts.joined(separator: ", ")
    }

    /// What may resolve the error.
    fileprivate var advice: String {
        switch action {
        case .authentication: "let the user sign in"
        case .authorization: "ask for authorization again"
        case .retry: "try again later"
        case .configuration: "let the broker's operator check the configuration"
        case .applicationRegistration: "decide whether to register anew"
        default: "quote code and trace to the broker's support if the request is right"
        }
    }
}

extension String {
    /// The text if it looks like the identifier of an answer, which is a UUID: hexadecimal digits and hyphens.
    fileprivate var shownIfTrace: String {
        let isPlain = (1...36).contains(utf8.count) && utf8.allSatisfy { "0123456789abcdefABCDEF-".utf8.contains($0) }
        return isPlain ? self : "(a text that is not shown)"
    }
}

/// An answer that is not what the endpoint answers with; its body is not kept.
public struct UnreadableAnswer: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The type and subtype of the body, in lower case; `nil` if there is none, or if it is not well-formed.
    public let contentType: String?
    /// What is wrong with the body; `nil` if its content type already told that it is not JSON, or if it can be read, and
    /// is not the answer of this status.
    public let fault: ServiceResponseError?

    /// Where in the body the fault is; `nil` if it is about the whole body.
    public var place: JSONLocation? { fault?.path }

    /// Describes an answer, for tests of what an application does about it.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - contentType: The type and subtype of the body, in lower case.
    ///   - fault: What is wrong with the body.
    public init(status: Int, contentType: String? = nil, fault: ServiceResponseError? = nil) {
        (self.status, self.contentType, self.fault) = (status, contentType, fault)
    }

    /// Describes an answer, and what is wrong with its body.
    package init(_ answer: HTTPAnswer, fault: ServiceResponseError? = nil) {
        (status, self.fault) = (answer.head.status.code, fault)
        contentType = answer.mediaType
    }
}

extension UnreadableAnswer: CustomStringConvertible {
    /// The status, the content type, and what is wrong at which place, without values and names that the broker chooses.
    public var description: String {
        let type = contentType ?? "no content type"
        return "status \(status), \(type)" + (fault.map { ": \($0.hidingNames)" } ?? "")
    }
}
#endif
