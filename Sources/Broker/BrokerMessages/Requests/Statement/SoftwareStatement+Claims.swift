public import EntitlementValues
import TextCodecs

extension SoftwareStatement {
    /// What a statement says; nothing of it is verified.
    public struct UnverifiedClaims: Sendable, Hashable {
        /// Who issued it (`iss`).
        public let issuer: String?
        /// What it was issued for (`sub`), a UUID as a rule.
        public let subject: String?
        /// When it was issued (`iat`).
        public let issuedAt: Timestamp?
        /// What it allows (`scopes`); empty if it does not say.
        ///
        /// Sent as one string with commas, or as an array.
        public let scopes: [AccessScope]

        /// Whether it names the scope of REST API V2.
        ///
        /// A statement without it was issued for an older protocol, and the broker refuses V2 calls of its clients.
        public var hasV2Scope: Bool { scopes.contains(.apiV2) }

        init(ofToken text: Span<UInt8>) throws(SoftwareStatementFault) {
            do throws(SoftwareStatementFault) {
                self = try Self.claims(ofToken: text)
            } catch {
                if error == .notAToken, let encoding = ForeignEncoding(of: text) { throw .encoded(encoding) }
                throw error
            }
        }

        private static func claims(ofToken text: Span<UInt8>) throws(SoftwareStatementFault) -> Self {
            try checkText(text)
            let parts = CompactSerialization.parts(of: text)
            guard parts.count == 3 else { throw .notAToken }
            _ = try object(text, parts[0])
            guard CompactSerialization.decode(text, part: parts[2])?.isEmpty == false else { throw .notAToken }
            return try object(text, parts[1])
        }

        private static func checkText(_ text: Span<UInt8>) throws(SoftwareStatementFault) {
            guard !text.isEmpty else { throw .empty }
            guard text.count <= SoftwareStatement.maximumLength else {
                throw .tooLong(limit: SoftwareStatement.maximumLength)
            }
            let trimmed = text.trimmingWhiteSpace(0..<text.count)
            guard !trimmed.isEmpty else { throw .empty }
            for index in trimmed where text[index].isWhiteSpace { throw .whiteSpaceInside(offset: index) }
            guard trimmed.count == text.count else { throw .whiteSpaceAround }
        }

        /// Reads one part: both are JSON objects, of which the header has none of the claims.
        private static func object(_ text: Span<UInt8>, _ part: Range<Int>) throws(SoftwareStatementFault) -> Self {
            guard let bytes = CompactSerialization.decode(text, part: part), !bytes.isEmpty, bytes.isTextWithoutNUL
            else {
                throw .notAToken
            }
            do throws(JSONFault) {
                return try bytes.withSpan { bytes throws(JSONFault) in try Self(bytes) }
            } catch {
                throw .badClaims(reason: error.reason)
            }
        }

        private init(_ text: Span<UInt8>) throws(JSONFault) {
            let node = try JSONReader.node(of: text, in: 0..<text.count, maximumValues: 1000)
            let claims = try JSONObject(node, at: .root, nulls: .countAsAbsent)
            issuer = try claims.string("iss", in: text)
            subject = try claims.string("sub", in: text)
            // Whole seconds; an instant of another form says nothing that is used here.
            issuedAt = claims.node("iat")?.value.integer(in: text).map { Timestamp(milliseconds: 0) + .seconds($0) }
            scopes = claims.node("scopes").flatMap { AccessScope.list($0, text) } ?? []
        }
    }
}
