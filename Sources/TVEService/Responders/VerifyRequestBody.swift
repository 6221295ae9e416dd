#if Service
import EntitlementValues
import MediaTokens
import RowBatches
import TextCodecs

/// The body of a request to verify a token: the token, the expectations, and whether to redeem it.
struct VerifyRequestBody {
    private let row: VerifyRow
    let redeems: Bool
    /// How a session is wanted; `nil` if the request does not say.
    let cookie: Bool?
    /// The token as a string, for its digest.
    let text: String
    private let body: ArraySlice<UInt8>

    /// Reads a body.
    ///
    /// A member with another name is an error, since it may be a misspelt one.
    ///
    /// - Parameters:
    ///   - body: JSON in UTF-8.
    ///   - names: The names that members may have.
    /// - Throws: `RequestError` with the status 400.
    init(_ body: [UInt8], taking names: Set<String>) throws(RequestError) {
        let body = body[...]
        self.body = body
        do throws(JSONFault) {
            var id: [UInt8]?
            row = try VerifyRow(body.span, 0..<body.count, id: &id)
            text = String(decoding: try row.tokenBytes(in: body.span), as: UTF8.self)
            let object = try JSONObject(body.span, in: 0..<body.count)
            try object.allowOnly(names)
            redeems = try object.boolean("redeem", in: body.span) ?? false
            cookie = try object.boolean("cookie", in: body.span)
        } catch {
            throw .badRequest(error.reason)
        }
    }

    func verdict(by verifier: MediaTokenVerifier, at now: Timestamp) throws(RequestError) -> MediaTokenVerdict {
        do throws(JSONFault) {
            return try row.verdict(by: verifier, body.span, at: now)
        } catch {
            throw .badRequest(error.reason)
        }
    }
}
#endif
