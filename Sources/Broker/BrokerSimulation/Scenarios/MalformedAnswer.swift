#if Client
import TextCodecs

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

/// Changes JSON that the simulator wrote itself: on one line, without white space.
enum JSONRewriter {
    /// The members whose values are words of an open list.
    private static let words: Set<String> = [
        "actionName", "actionType", "reasonType", "type", "source", "state", "action", "code", "boardingStatus",
        "accessStatus",
    ]

    static func addingMembers(to json: [UInt8]) -> [UInt8] {
        rewriting(json) { token, _, next in
            guard token == [UInt8(ascii: "{")] else { return token }
            let comma = next == UInt8(ascii: "}") ? "" : ","
            return Array(#"{"simulatedMember":{"a":[1,null]}\#(comma)"#.utf8)
        }
    }

    static func replacingWords(in json: [UInt8]) -> [UInt8] {
        rewriting(json) { token, name, _ in
            guard token.first == quote, let name, words.contains(name) else { return token }
            return Array(#""simulatedWord""#.utf8)
        }
    }

    static func quotingNumbers(in json: [UInt8]) -> [UInt8] {
        rewriting(json) { token, _, _ in token.allSatisfy(\.isASCIIDigit) ? [quote] + token + [quote] : token }
    }

    static func unquotingNumbers(in json: [UInt8]) -> [UInt8] {
        rewriting(json) { token, name, _ in
            let inner = token.dropFirst().dropLast()
            let isNumber = name != nil && token.first == quote && inner.first.map { $0 != UInt8(ascii: "0") } ?? false
            return isNumber && inner.count < 18 && inner.allSatisfy(\.isASCIIDigit) ? Array(inner) : token
        }
    }

    /// JSON without a comma stays as it is.
    static func withoutLastComma(_ json: [UInt8]) -> [UInt8] {
        var commas: [Int] = []
        var position = 0
        _ = rewriting(json) { token, _, _ in
            if token == [UInt8(ascii: ",")] { commas.append(position) }
            position += token.count
            return token
        }
        guard let last = commas.last else { return json }
        return Array(json[..<last]) + Array(json[(last + 1)...])
    }

    private static let quote = UInt8(ascii: "\"")

    /// Cuts JSON into strings, marks and other values, and puts together what `change` makes of them.
    ///
    /// `change` takes a part, the name of the member whose value it is (`nil` for names, marks and elements of arrays),
    /// and the first byte after the part.
    private static func rewriting(
        _ json: [UInt8],
        by change: (_ token: [UInt8], _ name: String?, _ next: UInt8?) -> [UInt8]
    ) -> [UInt8] {
        var result: [UInt8] = []
        var rest = json[...]
        var name: String?
        while let first = rest.first {
            let token = Array(nextToken(rest))
            rest = rest.dropFirst(token.count)
            switch first {
            case quote where rest.first == UInt8(ascii: ":"):
                result += change(token, nil, rest.first)
                name = String(decoding: token.dropFirst().dropLast(), as: UTF8.self)
            case UInt8(ascii: ":"): result += change(token, nil, rest.first)
            default:
                result += change(token, name, rest.first)
                name = nil
            }
        }
        return result
    }

    private static func nextToken(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = rest.first else { return [] }
        if first == quote {
            var index = rest.startIndex + 1
            while index < rest.endIndex, rest[index] != quote { index += rest[index] == UInt8(ascii: "\\") ? 2 : 1 }
            return rest[..<min(index + 1, rest.endIndex)]
        }
        let isMark = "{}[],:".utf8.contains(first)
        return isMark ? rest.prefix(1) : rest.prefix { !"{}[],:\"".utf8.contains($0) }
    }
}
#endif
