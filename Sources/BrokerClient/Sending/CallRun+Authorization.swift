#if Client
import BrokerMessages
import HTTPTypes

extension CallRun {
    /// Makes a call with the caller's access token, and once more with a new one if the broker does not take the first.
    ///
    /// The status decides, not the body, whose form has changed over time.
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
        let token = try await caller.registration.token(for: caller, within: timeLeft)
        var answer = try await exchange(call, bearing: token)
        if answer.head.status == .unauthorized {
            let other = try await caller.registration.token(for: caller, insteadOf: token, within: timeLeft)
            countNewToken()
            answer = try await exchange(call, bearing: other)
        }
        return try call.value(of: answer)
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
