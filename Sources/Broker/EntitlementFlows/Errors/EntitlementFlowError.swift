#if Client
public import BrokerClient
public import DeviceRecords
public import EntitlementValues
public import ServiceResponses
import TextCodecs
public import TokenRedemption

/// The reason why a call of a session failed.
@nonexhaustive
public enum EntitlementFlowError: Error, Sendable, Hashable {
    /// A requestor is not set yet: call `setRequestor` first.
    case requestorNotSet
    /// None of the origins answered, each for a cause of its own, in the order of the call.
    case noOrigin([OriginFailure])
    /// A call of the broker failed.
    case broker(BrokerError)
    /// The user is not signed in.
    case notAuthenticated
    /// The provider is not among those of the requestor.
    case unknownProvider(MVPDID)
    /// The provider is promotional temporary access, and the user's identity is not known: hand it to
    /// `getAuthentication`.
    case identityNeeded(MVPDID)
    /// The session does not do this, for the reason named.
    case unsupported(UnsupportedCall)
    /// The code of a sign-in has ended before the user signed in.
    case codeEnded
    /// The user, or the application, gave the sign-in up, or a later call took the place of this one.
    case superseded
    /// The media token that the broker sent is not good.
    case token(ResponseTokenError)
    /// Whether the token was used before could not be told, so it does not count.
    case redemption(ReplayStoreError)
    /// The device's record could not be read or changed.
    case store(DeviceRecordsError)
    /// The broker named a next step that this library does not know.
    case unknownStep(String)
    /// The server shuts down: nothing begins here anymore, and another process goes on with the device.
    case shutDown
    /// The task was cancelled.
    case cancelled
}

/// Why an origin of the broker did not answer.
public struct OriginFailure: Sendable, Hashable {
    /// The origin.
    public let origin: BrokerOrigin
    /// Why it did not answer.
    public let error: BrokerError

    /// Describes a failure.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - error: Why it did not answer.
    public init(at origin: BrokerOrigin, because error: BrokerError) { (self.origin, self.error) = (origin, error) }
}

extension EntitlementFlowError {
    /// Takes a failed call of the broker: a cancelled one is a cancelled call of the session.
    init(_ error: BrokerError) {
        self = error == .cancelled ? .cancelled : .broker(error)
    }

    /// Whether an authentication was given up rather than failed: it was cancelled, or another one took its place.
    ///
    /// That tells nothing, since the other one tells, and ends nothing but itself.
    var isGivenUp: Bool { self == .cancelled || self == .superseded }
}

/// What the operator's library could do, or took, and a server cannot.
@nonexhaustive
public enum UnsupportedCall: String, Sendable, Hashable, CaseIterable {
    /// A server shows no browser, so `handleSVC: false` would be a promise that cannot be kept.
    case handlingBrowser = "handles_browser"
    /// A member of the data that has no place in the broker's API.
    case unknownData = "unknown_data"
    /// Featured providers that are not among the supported ones.
    case featuredNotSupported = "featured_not_supported"
    /// The address of a service provider that is not one of a server, has another path than that of the older protocol,
    /// or is plain HTTP.
    case malformedServiceProvider = "malformed_service_provider"
    /// A partner's answer that is neither XML nor Base64 of it.
    case malformedResponse = "malformed_partner_response"
}

extension EntitlementFlowError {
    /// The stable name of the error, for programs and log searches.
    public var code: String {
        switch self {
        case .requestorNotSet: "requestor_not_set"
        case .noOrigin: "no_origin"
        case .broker(let error): error.code
        case .notAuthenticated: "not_authenticated"
        case .unknownProvider: "unknown_provider"
        case .identityNeeded: "identity_needed"
        case .unsupported(let call): "unsupported_\(call.rawValue)"
        case .codeEnded: "code_ended"
        case .superseded: "superseded"
        case .token(let error): error.code
        case .redemption: "redemption_unknown"
        case .store(let error): error.code
        case .unknownStep: "unknown_step"
        case .shutDown: "shut_down"
        case .cancelled: "cancelled"
        }
    }
}

extension EntitlementFlowError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What happened, and what to do about it.
    ///
    /// It holds neither a token nor a code, an identifier of a device, an attribute, or a text that the broker or a
    /// provider wrote for people.
    public var description: String {
        switch self {
        case .requestorNotSet: "the requestor is not set yet; call setRequestor first, and see whether it succeeds"
        case .noOrigin(let failures): Self.description(of: failures)
        case .broker(let error): error.description
        case .notAuthenticated: "the user is not signed in; call getAuthentication"
        case .unknownProvider(let mvpd):
            "the provider \(mvpd.rawValue.printable) is not among those of the requestor; "
                + "let the user choose one of the list"
        case .identityNeeded(let mvpd):
            "the provider \(mvpd.rawValue.printable) is promotional access, which needs an identity of the user; "
                + "hand it to getAuthentication"
        case .unsupported(let call): call.description
        case .codeEnded: "the sign-in's code ended before the user signed in; call getAuthentication for a new one"
        case .superseded: "the sign-in was given up, or a later call took the place of this one; nothing is left to do"
        case .token(.notAuthorized):
            "the broker sent no media token, because it does not authorize; nothing may be played"
        case .token(let error): "the broker's media token is not good, so nothing may be played: \(error)"
        case .redemption(let error):
            "whether the media token was used before is not known, so it does not count: \(error); ask again"
        case .store(let error): "the device's record: \(error)"
        case .unknownStep(let name):
            "the broker wants the step \(name.shownIfName), which this release does not know; use a newer one"
        case .shutDown: "the server shuts down; ask again, so that another process goes on with the device"
        case .cancelled: "the call was cancelled"
        }
    }

    /// The description.
    public var debugDescription: String { description }

    /// A mirror of the stable name: inner errors may hold texts of the broker.
    public var customMirror: Mirror { Mirror(self, children: ["code": code]) }

    private static func description(of failures: [OriginFailure]) -> String {
        guard !failures.isEmpty else { return "no origin was named; name at least one" }
        return "no origin answers for the requestor: " + failures.map(\.description).joined(separator: "; ")
    }
}

extension OriginFailure: CustomStringConvertible {
    /// The origin, and why it did not answer.
    public var description: String { "\(origin): \(error)" }
}

extension UnsupportedCall: CustomStringConvertible {
    /// What a server cannot do, why, and what takes its place.
    public var description: String {
        switch self {
        case .handlingBrowser:
            "handleSVC: false asks the library to show a browser, and a server has none; leave it out, and open "
                + "the address of each step on the device"
        case .unknownData:
            "the data has a member that has no place in the broker's API; only the identity for promotional temporary "
                + "access has one"
        case .featuredNotSupported:
            "a featured provider is not among the supported ones; name it in both lists, or in neither"
        case .malformedServiceProvider:
            "the address of a service provider is not one of a server, or is plain HTTP to a host that is not the "
                + "operator's; name it as https://HOST"
        case .malformedResponse:
            "the partner's answer is neither XML nor Base64 of it; hand over the text of the framework as it is"
        }
    }
}

extension String {
    /// The text if it looks like a name of the broker's: lower case with underscores or hyphens.
    fileprivate var shownIfName: String {
        let isName =
            (1...64).contains(utf8.count)
            && utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "_")
                    || $0 == UInt8(ascii: "-")
            }
        return isName ? self : "(a text that is not shown)"
    }
}
#endif
