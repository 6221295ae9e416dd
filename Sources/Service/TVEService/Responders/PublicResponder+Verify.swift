#if Service
import EntitlementValues
import HTTPTypes
import Hummingbird
import MediaTokens
import TokenRedemption

extension PublicResponder {
    func verify(_ request: Request) async throws -> Response {
        try request.require(.post)
        let configuration = state.configuration
        let body = try VerifyRequestBody(
            try await request.bytes(upTo: configuration.settings.limits.bodyBytes),
            taking: ["token", "requestor", "resource", "redeem"], for: configuration.verifier)
        guard !body.redeems || state.store != nil else { throw RequestError.redeemWithoutStore }
        let now = state.time.now
        var verdict = body.verdict(at: now)
        if body.redeems, let store = state.store { verdict = await verdict.redeemed(in: store, at: now) }
        state.note(Outcome(verdict, of: body.text), at: now)
        return Response(verdict.status == .errorUnknown ? .serviceUnavailable : .ok, verdict.object())
    }
}
#endif
