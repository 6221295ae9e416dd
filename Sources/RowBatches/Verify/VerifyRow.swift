package import TextCodecs
package import EntitlementValues
package import MediaTokens

/// One row of a verification batch: a token, and what it is expected to be for.
package struct VerifyRow {
    private let token: JSONValue
    private let expectations: TokenExpectations
    package let at: Timestamp?
    private let leeway: TimeToLive?

    /// Reads a row, and its `id` first of all, so that even the answer to a bad row can name it.
    package init(_ text: Span<UInt8>, _ range: Range<Int>, id: inout [UInt8]?) throws(JSONFault) {
        guard text.extracting(range).isTextWithoutNUL else { throw JSONFault(reason: "not UTF-8, or NUL in it") }
        let members = try JSONReader.members(of: text, in: range)
        id = members[idName].map { JSONReader.compacted(text, $0) }
        guard let token = try Self.string(members, tokenName) else { throw JSONFault(reason: "the token is null") }
        self.token = token
        expectations = TokenExpectations(
            requestor: try Self.expectation(text, members, requestorName),
            resource: try Self.expectation(text, members, resourceName)
        )
        at = try Self.number(text, members, atName).map(Timestamp.init(milliseconds:))
        leeway = try Self.number(text, members, leewayName).map(TimeToLive.init(milliseconds:))
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
        guard token.hasEscapes else {
            return verifier.verdict(on: text.extracting(token.content), expecting: expectations, at: now)
        }
        let bytes = try Self.bytes(text, token, tokenName)
        return verifier.verdict(on: bytes.span, expecting: expectations, at: now)
    }

    /// The token, with its escapes resolved.
    package func tokenBytes(in text: Span<UInt8>) throws(JSONFault) -> [UInt8] {
        try Self.bytes(text, token, tokenName)
    }

    /// A required member that is a string or null.
    private static func string(_ members: JSONMembers, _ name: [UInt8]) throws(JSONFault) -> JSONValue? {
        let printed = String(decoding: name, as: UTF8.self)
        guard let value = members[name] else {
            throw JSONFault(reason: "\(printed) is missing; null means unchecked")
        }
        if value.kind == .null { return nil }
        guard value.kind == .string else {
            throw JSONFault(reason: "\(printed) is a JSON \(value.kind.rawValue) instead of a string")
        }
        return value
    }

    private static func bytes(
        _ text: Span<UInt8>,
        _ value: JSONValue,
        _ name: [UInt8]
    ) throws(JSONFault) -> [UInt8] {
        guard let bytes = JSONReader.string(text, value) else {
            throw JSONFault(reason: "\(String(decoding: name, as: UTF8.self)) holds half a surrogate pair")
        }
        return bytes
    }

    private static func expectation<Identifier: EntitlementIdentifier>(
        _ text: Span<UInt8>,
        _ members: JSONMembers,
        _ name: [UInt8]
    ) throws(JSONFault) -> Expectation<Identifier> {
        guard let value = try string(members, name) else { return .unchecked }
        let bytes = try bytes(text, value, name)
        guard !bytes.isEmpty else {
            throw JSONFault(reason: "\(String(decoding: name, as: UTF8.self)) is empty; null means unchecked")
        }
        return .exactly(Identifier(String(decoding: bytes, as: UTF8.self)))
    }

    private static func number(
        _ text: Span<UInt8>,
        _ members: JSONMembers,
        _ name: [UInt8]
    ) throws(JSONFault) -> Int64? {
        guard let value = members[name], value.kind != .null else { return nil }
        guard let number = JSONReader.integer(text, value) else {
            throw JSONFault(
                reason: "\(String(decoding: name, as: UTF8.self)) is not a whole number of milliseconds")
        }
        return number
    }
}

private let idName = Array("id".utf8)
private let tokenName = Array("token".utf8)
private let requestorName = Array("requestor".utf8)
private let resourceName = Array("resource".utf8)
private let atName = Array("at".utf8)
private let leewayName = Array("leeway".utf8)
