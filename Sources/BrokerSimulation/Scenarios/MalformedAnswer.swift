#if Client

/// A way to spoil an answer, for the hardening of decoders.
public enum MalformedAnswer: String, Sendable, CaseIterable {
    /// The second half is missing.
    case truncated
    /// A page instead of JSON, with status 500.
    case html
    /// The right JSON, called plain text.
    case wrongContentType = "wrong-content-type"
    /// Members that no documentation knows, in every object.
    case unknownFields = "unknown-fields"
    /// Words that no documentation knows for actions, types, reasons, states and codes.
    case unknownWords = "unknown-words"
    /// Numbers as strings.
    case numbersAsStrings = "numbers-as-strings"
    /// Strings of digits as numbers.
    case stringsAsNumbers = "strings-as-numbers"
    /// No bytes at all.
    case empty
    /// The last comma is missing, as in several samples of the documentation; an answer without one stays as it is.
    case missingComma = "missing-comma"

    /// Whether the body that comes out is still JSON, if there is a comma in the answer.
    public var keepsJSON: Bool {
        switch self {
        case .wrongContentType, .unknownFields, .unknownWords, .numbersAsStrings, .stringsAsNumbers: true
        case .truncated, .html, .empty, .missingComma: false
        }
    }

    func spoil(_ reply: Reply) -> Reply {
        var spoiled = reply
        switch self {
        case .truncated: spoiled.body = Array(reply.body.prefix(reply.body.count / 2))
        case .html: spoiled = .page("500 Internal Server Error", status: 500)
        case .wrongContentType: spoiled.fields["Content-Type"] = "text/plain"
        case .unknownFields: spoiled.body = JSONRewriter.addingMembers(to: reply.body)
        case .unknownWords: spoiled.body = JSONRewriter.replacingWords(in: reply.body)
        case .numbersAsStrings: spoiled.body = JSONRewriter.quotingNumbers(in: reply.body)
        case .stringsAsNumbers: spoiled.body = JSONRewriter.unquotingNumbers(in: reply.body)
        case .empty: spoiled.body = []
        case .missingComma: spoiled.body = JSONRewriter.withoutLastComma(reply.body)
        }
        return spoiled
    }
}
#endif
