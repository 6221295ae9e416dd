#if Service
import EntitlementValues
import MediaTokens
import RowBatches
import TextCodecs

/// The body of a request to verify a token: the token, the expectations, and whether to redeem it.
struct VerifyRequestBody {
    private let row: VerifyRow
    private let token: [UInt8]
    private let verifier: MediaTokenVerifier
    let redeems: Bool
    /// How a session is wanted; `nil` if the request does not say.
    let cookie: Bool?
    /// The token as a string, for its digest.
    var text: String { String(decoding: token, as: UTF8.self) }

    /// Reads a body, JSON in UTF-8; throws with the status 400 if it is not that.
    ///
    /// A member with a name that is not among `names` is an error, since it may be a misspelt one. The verifier is that
    /// of the token.
    init(_ body: [UInt8], taking names: Set<String>, for verifier: MediaTokenVerifier) throws(RequestError) {
        let body = body[...]
        self.verifier = verifier
        (row, token, redeems, cookie) = try RequestError.reading { () throws(JSONFault) in
            var id: [UInt8]?
            let row = try VerifyRow(body.span, body.span.afterByteOrderMark, id: &id)
            let token = try row.tokenBytes(in: body.span, for: verifier)
            let object = try JSONObject(body.span, in: body.span.afterByteOrderMark)
            try object.allowOnly(names)
            let redeems = try object.boolean("redeem", in: body.span) ?? false
            return (row, token, redeems, try object.boolean("cookie", in: body.span))
        }
    }

    /// Verifies the token.
    func verdict(at now: Timestamp) -> MediaTokenVerdict { row.verdict(on: token, by: verifier, at: now) }
}
#endif
