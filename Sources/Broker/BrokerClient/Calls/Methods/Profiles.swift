#if Client
import BrokerMessages
public import EntitlementValues
public import ServiceResponses
import TextCodecs

extension Caller {
    /// Asks for all profiles of a device: its sign-ins, and those that it shares by single sign-on.
    ///
    /// Degraded and temporary profiles are not among them; ask ``profile(mvpd:requestor:timeLimit:)``.
    ///
    /// - Parameters:
    ///   - requestor: The brand.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The profiles, one for each provider; none if the user is not signed in.
    /// - Throws: `BrokerError`; `unreadable` if there are some, and none can be read.
    public func profiles(
        requestor: RequestorID,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> ProfilesResponse {
        try await profiles(
            .profiles, [.requestor: requestor.rawValue], priority: .foreground, timeLimit: timeLimit
        ) { $0.hidingFault }
    }

    /// Asks for the profile of one provider, degraded and temporary ones included.
    ///
    /// - Parameters:
    ///   - mvpd: The provider.
    ///   - requestor: The brand.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The profile; none if the user is not signed in.
    /// - Throws: `BrokerError`; `unreadable` if the profile cannot be read, or only others came; `refused` with
    ///   `EnhancedErrorCode.temporaryAccessDurationLimitExceeded` or
    ///   `EnhancedErrorCode.temporaryAccessResourcesLimitExceeded` if temporary access is used up.
    public func profile(
        mvpd: MVPDID,
        requestor: RequestorID,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> ProfilesResponse {
        try await profiles(
            .profile, [.requestor: requestor.rawValue, .mvpd: mvpd.rawValue], priority: .foreground,
            timeLimit: timeLimit
        ) { answer in
            let asked = answer.keeping { $0.mvpd.means(mvpd) }
            if let fault = asked.hidingFault { return fault }
            return asked.profiles.isEmpty && !answer.profiles.isEmpty ? .otherThanAsked(.root + "profiles") : nil
        }.keeping { $0.mvpd.means(mvpd) }
    }

    /// Asks whether the user has signed in with the code of a session, and for the profile.
    ///
    /// This is the call to poll with, every 3 to 5 seconds at most, until the session ends or a new code is made. Poll with
    /// ``RequestPriority/polling``: a poll that would have to wait for its turn is then skipped (`BrokerError.pollSkipped`),
    /// so that no call of a user waits for it.
    ///
    /// - Parameters:
    ///   - code: The code of the session.
    ///   - requestor: The brand.
    ///   - priority: `.polling` for the questions of a loop; `.foreground` if a user waits for this one answer, for example
    ///     after the browser came back.
    ///   - timeLimit: How long the call may take in all; `nil` for ``BrokerSettings/timeLimit``.
    /// - Returns: The profile; none as long as the user has not signed in.
    /// - Throws: `BrokerError`; `unreadable` if the profile cannot be read; `refused` with
    ///   `EnhancedErrorCode.invalidAuthenticationSession` or `EnhancedErrorCode.invalidParameterCode` if the code has ended
    ///   or is not known.
    public func profile(
        code: AuthenticationCode,
        requestor: RequestorID,
        priority: RequestPriority = .foreground,
        timeLimit: Duration? = nil
    ) async throws(BrokerError) -> ProfilesResponse {
        try await profiles(
            .profileByCode, [.requestor: requestor.rawValue, .code: code.text], priority: priority,
            timeLimit: timeLimit
        ) { $0.hidingFault }
    }

    /// Asks for profiles.
    ///
    /// It is not documented whether a missing profile is an empty map or an error, so the error is read as an empty map.
    private func profiles(
        _ endpoint: BrokerEndpoint,
        _ path: [BrokerEndpoint.Parameter: String],
        priority: RequestPriority,
        timeLimit: Duration?,
        fault: @escaping @Sendable (ProfilesResponse) -> ServiceResponseError?
    ) async throws(BrokerError) -> ProfilesResponse {
        do throws(BrokerError) {
            return try await call(
                endpoint, RequestForm(path: path), priority: priority, timeLimit: timeLimit, fault: fault)
        } catch .refused(let error, _) where error.saysNoProfile {
            return ProfilesResponse(profiles: [])
        }
    }
}

extension ProfilesResponse {
    /// Why there may be profiles although none is in the answer: none of them could be read; `nil` if none was sent.
    ///
    /// Whether the user is signed in is not known then.
    var hidingFault: ServiceResponseError? { profiles.isEmpty ? faults.first { !$0.isWarning } : nil }
}

extension EnhancedError {
    /// Whether the error says that the user is not signed in, or not anymore; version 1 said it in other calls.
    fileprivate var saysNoProfile: Bool { code?.meaning == .profileGone && code?.documentedAnswer != nil }
}
#endif
