public import EntitlementValues
import HostSystem
import ServiceResponses
import TextCodecs

/// The software statement (RFC 7591 §2.3) that the broker's operator issued to an application: a signed JSON Web Token.
///
/// Its holder can register clients in the programmer's name, so neither description nor mirror shows it. Its signature
/// is not checked, since only the broker has the key: take its claims as a hint to the operator of this program.
public struct SoftwareStatement: Sendable, Hashable {
    /// The longest statement, in bytes.
    public static let maximumLength = 16_384

    private let redactedText: Redacted<String>

    /// What the statement says, not verified.
    public let unverifiedClaims: UnverifiedClaims

    /// The statement itself.
    public var text: String { redactedText.value }

    /// Takes a statement.
    ///
    /// - Parameter text: The statement, with nothing around it but perhaps a byte order mark. White space is refused, not
    ///   removed: the broker's own example has line breaks inside the statement, which are not valid in JSON either. Of a
    ///   file, ``init(contentsOfFile:)`` takes the line end off.
    /// - Throws: `.badStatement`.
    public init(_ text: String) throws(BrokerRequestError) {
        let text = text.withoutByteOrderMark
        redactedText = Redacted(text)
        unverifiedClaims = try text.withBytes { bytes throws(BrokerRequestError) in
            try rethrowing(UnverifiedClaims(ofToken: bytes), as: BrokerRequestError.badStatement)
        }
    }

    /// Reads a file that holds a statement.
    ///
    /// A byte order mark before the statement and one line end after it are not part of it: editors and shells add them.
    ///
    /// - Parameter path: The file.
    /// - Throws: `.badStatement`.
    public init(contentsOfFile path: String) throws(BrokerRequestError) {
        let content = try rethrowing(Files.read(path, maximumSize: Self.maximumFileSize)) { (failure: FileFailure) in
            BrokerRequestError.badStatement(.unreadableFile(file: Files.shown(path), reason: failure.reason))
        }
        try self.init(fileContent: content.withSpan { [UInt8](copying: $0) })
    }

    /// The most bytes of a file with a statement.
    ///
    /// One in UTF-16 is read as well, so that the error can name it.
    package static let maximumFileSize = 2 * maximumLength + 6

    /// Takes what a file holds, as ``init(contentsOfFile:)`` does.
    package init(fileContent bytes: [UInt8]) throws(BrokerRequestError) {
        if bytes.withSpan({ $0.looksLikeUTF16 }) { throw .badStatement(.encoded(.utf16)) }
        var end = bytes.count
        if bytes.last == UInt8(ascii: "\n") {
            end -= bytes.dropLast().last == UInt8(ascii: "\r") ? 2 : 1
        }
        try self.init(String(decoding: bytes[..<end], as: UTF8.self))
    }
}

extension SoftwareStatement: CustomStringConvertible {
    /// The words *software statement*, not the statement.
    public var description: String { "software statement" }
}

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
            return try rethrowing(bytes.withSpan { bytes throws(JSONFault) in try Self(bytes) }) { (fault: JSONFault) in
                SoftwareStatementFault.badClaims(reason: fault.reason)
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

/// Says why a text is not a software statement.
@nonexhaustive
public enum SoftwareStatementFault: Error, Sendable, Hashable {
    /// There is nothing.
    case empty
    /// It is longer than allowed, in bytes.
    case tooLong(limit: Int)
    /// White space comes before or after it.
    case whiteSpaceAround
    /// It has white space inside, a line break for example.
    case whiteSpaceInside(offset: Int)
    /// It does not have three parts of Base64url between dots.
    case notAToken
    /// It has an encoding that is not taken off, such as UTF-16.
    case encoded(ForeignEncoding)
    /// The file cannot be read.
    case unreadableFile(file: String, reason: String)
    /// Its header or its claims are not the JSON they must be.
    case badClaims(reason: String)
}

extension SoftwareStatementFault: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .empty: "is empty"
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .whiteSpaceAround: "has white space before or after it; remove it, and write files with printf %s"
        case .whiteSpaceInside(let offset):
            "has white space at byte \(offset), a line break for example; join its lines to one"
        case .notAToken: "is not a signed JSON Web Token: three parts of Base64url with dots between them"
        case .encoded(let encoding): "is \(encoding)"
        case .unreadableFile(let file, let reason): "cannot be read from \(file.printable): \(reason)"
        case .badClaims(let reason): "has a header or claims that cannot be read: \(reason)"
        }
    }
}
