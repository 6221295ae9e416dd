package import EntitlementValues
package import MediaTokens
package import TextCodecs

/// One row of a verification batch: a token, and what it is expected to be for.
package struct VerifyRow {
    private let token: JSONValue
    private let expectations: TokenExpectations
    package let at: Timestamp?
    private let leeway: TimeToLive?

    /// Reads a row, and its `id` first of all, so that even the answer to a bad row can name it.
    package init(_ text: Span<UInt8>, _ range: Range<Int>, id: inout [UInt8]?) throws(JSONFault) {
        guard text.extracting(range).isTextWithoutNUL else { throw JSONFault(reason: "not UTF-8, or NUL in it") }
        let object = try JSONObject(text, in: range, nulls: .countAsAbsent)
        id = object.node("id").map { $0.value.compacted(in: text) }
        token = try object.required("token", try object.stringValue("token"))
        expectations = TokenExpectations(
            requestor: try Self.expectation(object, "requestor", in: text),
            resource: try Self.expectation(object, "resource", in: text)
        )
        at = try Self.time(object, in: text)
        leeway = try object.integer("leeway", in: text).map(TimeToLive.init(milliseconds:))
    }

    /// The verifier for this row: the given one, with the row's own leeway if it has one.
    package func verifier(from verifier: MediaTokenVerifier) throws(JSONFault) -> MediaTokenVerifier {
        guard let leeway else { return verifier }
        do throws(VerificationPolicyError) {
            return try verifier.with(leeway: leeway)
        } catch {
            throw JSONFault(reason: error.description)
        }
    }

    /// Verifies the row's token, which is copied only if something in it is escaped.
    package func verdict(
        by verifier: MediaTokenVerifier,
        _ text: Span<UInt8>,
        at now: Timestamp
    ) throws(JSONFault) -> MediaTokenVerdict {
        guard needsResolving(within: verifier.maximumLength) else {
            return verifier.verdict(on: text.extracting(token.content), expecting: expectations, at: now)
        }
        return verdict(on: try tokenBytes(in: text, for: verifier), by: verifier, at: now)
    }

    /// Verifies the row's token, which was taken from the row before.
    package func verdict(on token: [UInt8], by verifier: MediaTokenVerifier, at now: Timestamp) -> MediaTokenVerdict {
        verifier.verdict(on: token, expecting: expectations, at: now)
    }

    /// The token, with its escapes resolved unless it is too large for the verifier anyway.
    package func tokenBytes(in text: Span<UInt8>, for verifier: MediaTokenVerifier) throws(JSONFault) -> [UInt8] {
        guard needsResolving(within: verifier.maximumLength) else {
            return Array(copying: text.extracting(token.content))
        }
        guard let bytes = token.bytes(in: text) else {
            throw JSONFault(reason: "token holds half a surrogate pair")
        }
        return bytes
    }

    /// Whether the token has escapes and may be within a limit without them.
    ///
    /// No byte takes more than six, as in `\u0041`. What is longer stays as it is, and is refused for its length:
    /// resolving it would be work that a client gets for nothing.
    private func needsResolving(within limit: Int) -> Bool {
        token.hasEscapes && (token.content.count + 5) / 6 <= limit
    }

    /// Reads the row's own time.
    ///
    /// Seconds would pass for milliseconds of January 1970, when no token is valid yet, and nothing would name the mistake.
    private static func time(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) -> Timestamp? {
        guard let milliseconds = try object.integer("at", in: text) else { return nil }
        guard milliseconds >= earliestTime else {
            throw JSONFault(
                .notAllowed, at: .root + "at",
                "is before September 2001; it counts milliseconds, so multiply seconds by 1000")
        }
        return Timestamp(milliseconds: milliseconds)
    }

    /// September 2001: no token is older, and no time in seconds is as large.
    private static let earliestTime: Int64 = 1_000_000_000_000

    /// Reads what the token must be for: a member that must be there, with `null` for no expectation.
    private static func expectation<Identifier: EntitlementIdentifier>(
        _ object: JSONObject,
        _ name: String,
        in text: Span<UInt8>
    ) throws(JSONFault) -> Expectation<Identifier> {
        guard object.contains(name) else {
            throw JSONFault(.missing, at: .root + name, "is missing; null means unchecked")
        }
        guard let string = try object.string(name, in: text) else { return .unchecked }
        guard !string.isEmpty else {
            throw JSONFault(.notAllowed, at: .root + name, "is empty; null means unchecked")
        }
        return .exactly(Identifier(string))
    }
}
