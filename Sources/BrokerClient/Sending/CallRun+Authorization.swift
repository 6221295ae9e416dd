#if Client
import BrokerMessages
import HTTPTypes

extension CallRun {
    /// Makes a call with the caller's access token, and again with another one if the broker does not take it.
    ///
    /// The status decides, not the body, whose form has changed over time. Only a token that the broker has just made
    /// tells of the credentials: one that another process has stored may have been refused, too.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - caller: Whose access token authorizes it.
    /// - Returns: What the call read from the answer.
    /// - Throws: `BrokerError`.
    mutating func answer<Answer>(
        to call: BrokerCall<Answer>,
        as caller: Caller
    ) async throws(BrokerError) -> Answer {
        var held = try await caller.registration.token(for: caller, within: timeLeft)
        var answer = try await exchange(call, bearing: held.token)
        for _ in 0..<2 where answer.head.status == .unauthorized {
            held = try await caller.registration.token(for: caller, insteadOf: held.token, within: timeLeft)
            countNewToken()
            answer = try await exchange(call, bearing: held.token)
            if held.isNew { break }
        }
        return try call.value(of: answer, at: now)
    }

    private mutating func exchange<Answer>(
        _ call: BrokerCall<Answer>,
        bearing token: AccessToken
    ) async throws(BrokerError) -> HTTPAnswer {
        var request = call.request
        // The call has none yet.
        request.headerFields.append(HTTPField(name: .authorization, value: token.bearer.headerValue))
        return try await exchange(request, body: call.body, repetition: call.repetition)
    }
}
#endif
