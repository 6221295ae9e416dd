#if Client
import BrokerClient
import EntitlementValues
public import ServiceResponses

extension EnhancedErrorCode {
    /// What the operator's library said of this error of the broker.
    ///
    /// - Parameter call: The library's call.
    /// - Returns: Its errors; `nil` if the code is not one of the documented ones.
    public func legacy(in call: LegacyCall) -> LegacyError? { meaning.map { LegacyMeaning($0).error(in: call) } }
}

extension EnhancedError {
    /// What the operator's library said of this error of the broker.
    ///
    /// A code that is not known counts by the error's action, and without one by its HTTP status.
    ///
    /// - Parameters:
    ///   - call: The library's call.
    ///   - answer: The HTTP status of the answer; that of the error object counts if it is `nil`.
    /// - Returns: Its errors.
    public func legacy(in call: LegacyCall, answeredWith answer: Int? = nil) -> LegacyError {
        let status = answer ?? self.status
        if status == 429 { return call.throttled }
        if call == .setRequestor, let status, status >= 500 {
            return LegacyError(nil, .configurationFailed(status: status))
        }
        let meaning = code?.meaning.map(LegacyMeaning.init) ?? .guessed(from: action, status: status)
        switch meaning {
        case .code, .ownFailure, .serverFailure: return meaning?.error(in: call) ?? call.generic
        default: break
        }
        // The configuration is refused for a reason that a library without user and resource could not meet.
        if call == .setRequestor { return LegacyError(nil, .requestorNotValid) }
        return meaning?.error(in: call) ?? call.generic
    }
}

extension BrokerError {
    /// What the operator's library said of this failure.
    func legacy(in call: LegacyCall) -> LegacyError {
        switch self {
        case .request, .unsafeAddress: call.ownFailure
        case .transport(let failure): failure.legacy(in: call)
        case .throttled, .pollSkipped: call.throttled
        case .refused(let error, let status): error.legacy(in: call, answeredWith: status)
        case .registration(let refusal): call.failing(with: refusal.legacyCode)
        case .unavailable(let status, _): call.unanswered(status: status)
        case .unreadable(let answer): call.unanswered(status: answer.status)
        case .store: call.ownFailure
        case .cancelled: LegacyError(nil, nil)
        }
    }
}

extension TransportFailure {
    fileprivate func legacy(in call: LegacyCall) -> LegacyError {
        switch reason {
        case .tls: call.failing(with: .connectionNotTrusted)
        case .connecting: call.failing(with: .serverNotFound)
        case .request: call.ownFailure
        case .cancelled: LegacyError(nil, nil)
        default:
            call == .setRequestor
                ? LegacyError(nil, .serverNotFound) : LegacyMeaning.providerNotReached.error(in: call)
        }
    }
}

extension RegistrationRefusal {
    /// `R400` if the application cannot be registered, `R401` if it gets no access token.
    fileprivate var legacyCode: StatusCode {
        step == .registration || decision == .replaceStatement ? .notRegistered : .noAccessToken
    }
}

extension LegacyCall {
    /// What the operator's library said of an answer that is not the broker's, or not one to this call.
    fileprivate func unanswered(status: Int) -> LegacyError {
        if status == 429 { return throttled }
        guard self == .setRequestor else { return serverFailure }
        return LegacyError(nil, .configurationFailed(status: status))
    }
}
#endif
