#if Client
public import EntitlementValues
public import MediaTokens
public import ServiceResponses
import TVETesting

/// One way in which a request goes wrong on demand.
///
/// Each has a name, such as `malformed:truncated`; control calls and the header `X-Sim-Scenario` take it.
public enum Scenario: Sendable, Hashable {
    /// The answer is an error with this code, and the action and status that are documented for it.
    ///
    /// At registration and for access tokens, the codes of RFC 7591 and RFC 6749 bring their own form, with status 400.
    case error(EnhancedErrorCode)
    /// The answer is an HTML page with this status, as from a proxy before the broker.
    case status(Int)
    /// Every decision is a denial with this code.
    case decision(EnhancedErrorCode)
    /// The answer cannot be read, or only by a tolerant client.
    case malformed(MalformedAnswer)
    /// Media tokens have a defect.
    case token(MediaTokenDefect)
    /// The network fails.
    case network(NetworkFault)
    /// The request is one too many; with so many seconds in `Retry-After`, or without.
    case throttled(retryAfter: Int?)
    /// The browser gets a page with a form that sends itself, status 200, in place of a redirect, as some providers answer.
    case form

    /// The name.
    public var name: String {
        switch self {
        case .error(let code): "error:\(code.rawValue)"
        case .status(let status): "status:\(status)"
        case .decision(let code): "decision:\(code.rawValue)"
        case .malformed(let malformation): "malformed:\(malformation.rawValue)"
        case .token(let defect): "token:\(defect.rawValue)"
        case .network(let fault): "network:\(fault.name)"
        case .throttled(nil): "throttled"
        case .throttled(let seconds?): "throttled:\(seconds)"
        case .form: "form"
        }
    }

    /// Finds a scenario by its name.
    ///
    /// - Parameter name: The name; `nil` is returned if no scenario has it.
    public init?(named name: String) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let argument = parts.count == 2 ? parts[1] : nil
        let found: Scenario? =
            switch (parts[0], argument) {
            case ("error", let code?) where !code.isEmpty: .error(EnhancedErrorCode(code))
            case ("decision", let code?) where !code.isEmpty: .decision(EnhancedErrorCode(code))
            case ("status", let text?):
                Int(text).flatMap { (400...599).contains($0) ? .status($0) : nil }
            case ("malformed", let text?): MalformedAnswer(rawValue: text).map { .malformed($0) }
            case ("token", let text?): MediaTokenDefect(rawValue: text).map { .token($0) }
            case ("network", let text?): NetworkFault(named: text).map { .network($0) }
            case ("form", nil): .form
            case ("throttled", nil): .throttled(retryAfter: nil)
            case ("throttled", let text?):
                Int(text).flatMap { (0...86_400).contains($0) ? .throttled(retryAfter: $0) : nil }
            default: nil
            }
        guard let found else { return nil }
        self = found
    }
}

/// A fault of the network, which the transport or the listener carries out: the simulator itself has no connections.
public enum NetworkFault: Sendable, Hashable {
    /// The answer comes late.
    case delay(TimeToLive)
    /// The connection ends before the broker has the request: nothing happened.
    case dropRequest
    /// The connection ends before the answer: the broker has done what was asked for.
    case dropAnswer
    /// The connection ends after the head of the answer, and before its body.
    case resetAfterHead

    /// The name: `delay:1500` (milliseconds), `drop-request`, `drop-answer` or `reset-after-head`.
    public var name: String {
        switch self {
        case .delay(let delay): "delay:\(delay.milliseconds)"
        case .dropRequest: "drop-request"
        case .dropAnswer: "drop-answer"
        case .resetAfterHead: "reset-after-head"
        }
    }

    /// Finds a fault by its name.
    ///
    /// - Parameter name: The name; `nil` is returned if no fault has it, or the delay is longer than an hour.
    public init?(named name: String) {
        switch name {
        case "drop-request": self = .dropRequest
        case "drop-answer": self = .dropAnswer
        case "reset-after-head": self = .resetAfterHead
        default:
            guard name.utf8.starts(with: "delay:".utf8), let milliseconds = Int64(name.dropFirst(6)),
                (0...3_600_000).contains(milliseconds)
            else { return nil }
            self = .delay(TimeToLive(milliseconds: milliseconds))
        }
    }
}

/// What is wrong, or only unusual, with the media tokens that a simulator issues.
public enum MediaTokenDefect: String, Sendable, CaseIterable {
    /// One symbol of the signature is changed.
    case badSignature = "bad-signature"
    /// Signed with a key of the same size that is not the simulator's.
    case otherKey = "other-key"
    /// Signed with another key, of 1024 bits, as real tokens were until at least 2021.
    ///
    /// A verifier that is given ``BrokerSimulator/weakMediaPEM`` shows what it says of such keys.
    case weakKey = "weak-key"
    /// For another brand.
    case otherRequestor = "other-requestor"
    /// For another resource.
    case otherResource = "other-resource"
    /// A document of another service that has the same root element.
    case lookAlike = "look-alike"
    /// No `requestorID`, as tokens of REST API V2 were before 2025-09.
    case requestorMissing = "requestor-missing"
    /// Provider and proxy in each other's place, as before 2025-09. It is valid.
    case swappedProviders = "swapped-providers"
    /// The root `shortAuthorizationToken` of the documentation. It is valid.
    case documentedRoot = "documented-root"
    /// `</signatureInfo>` as second marker. It is valid.
    case closingMarker = "closing-marker"
    /// Expired an hour ago; the decision beside it says the same times.
    case expired
    /// Issued an hour in the future; the decision beside it says the same times.
    case notYetValid = "not-yet-valid"

    /// The status with which a verifier that trusts the simulator's key answers.
    public var expectedStatus: MediaTokenStatus {
        switch self {
        case .weakKey: .invalidSignature
        case .swappedProviders, .documentedRoot, .closingMarker: .validToken
        default: testFault?.expectedStatus ?? .validToken
        }
    }

    var testFault: TestTokenFault? {
        switch self {
        case .badSignature: .signatureBitFlipped
        case .otherKey: .otherKey
        case .otherRequestor: .otherRequestor
        case .otherResource: .otherResource
        case .lookAlike: .xmlSignature
        case .requestorMissing: .requestorMissing
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .weakKey, .swappedProviders, .documentedRoot, .closingMarker: nil
        }
    }
}
#endif
