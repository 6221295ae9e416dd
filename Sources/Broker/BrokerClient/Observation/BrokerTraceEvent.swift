#if Client
public import BrokerMessages
import HTTPTypes
import TextCodecs

/// A request that is sent to the broker, or what came of it, with everything secret masked.
///
/// Paths show the values of no parameter, header fields only show harmless values, and bodies show the names of their
/// members, numbers of times, and the names that the broker's reference lists.
public struct BrokerTraceEvent: Sendable, Hashable {
    /// What the event is about.
    @nonexhaustive
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A request goes out.
        case request
        /// An answer has come.
        case answer
        /// An answer did not come.
        case failure
    }

    /// What the event is about.
    public let kind: Kind
    /// The endpoint.
    public let endpoint: BrokerEndpoint
    /// Method and path, status, or failure, in one line.
    public let headline: String
    /// The header fields in the order of the message, values masked.
    public let fields: [String]
    /// The body, masked; `nil` if there is none.
    public let body: String?
}

extension BrokerTraceEvent: CustomStringConvertible {
    /// The headline, the header fields and the body, a line each.
    public var description: String {
        let mark =
            switch kind {
            case .request: "> "
            case .answer: "< "
            case .failure: "! "
            }
        return ([headline] + fields + (body.map { [$0] } ?? [])).map { mark + $0 }.joined(separator: "\n")
    }
}

/// Masks requests and answers, so that traces can be shown to others.
///
/// It shows what is known to be harmless and masks the rest, so that what the broker adds one day is masked, too.
enum TraceMask {
    /// Header fields whose values are shown.
    private static let shownFields: Set<HTTPField.Name> = [
        .accept, .contentType, .contentLength, .date, .retryAfter,
    ]
    /// Path parameters whose values are shown; codes are not among them.
    private static let shownParameters: Set<BrokerEndpoint.Parameter> = [.requestor, .mvpd, .partner]

    /// The method and the path of a request in one line, without codes and without the values of the query.
    ///
    /// The endpoint knows what the segments of the path are.
    static func headline(of request: HTTPRequest, to endpoint: BrokerEndpoint) -> String {
        let target = (request.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let values = (target.first ?? "").split(separator: "/")
        let path = zip(endpoint.segments, values).map { segment, value in
            guard case .open(let parameter) = segment, !shownParameters.contains(parameter) else {
                return String(value).printable
            }
            return "{\(parameter.rawValue)}"
        }
        let query = target.dropFirst().first.map { "?" + names(ofForm: Array($0.utf8)) } ?? ""
        return "\(request.method) /" + path.joined(separator: "/") + query
    }

    /// The name and value of each header field in a text, in the order of the message.
    static func fields(_ fields: HTTPFields) -> [String] {
        fields.map { field in
            let value = shownFields.contains(field.name) ? field.value.printable : masked(field.value.utf8.count)
            return "\(field.name.rawName): \(value)"
        }
    }

    /// The masked body of a message; `nil` if it is empty.
    static func body(_ body: [UInt8], with fields: HTTPFields) -> String? {
        guard !body.isEmpty else { return nil }
        let type = HTTPAnswer(HTTPResponse(status: .ok, headerFields: fields)).mediaType
        if type == "application/x-www-form-urlencoded" { return names(ofForm: body) }
        return JSONMask.masked(body) ?? "(\(body.count) bytes of \(type ?? "no content type"))"
    }

    /// What stands for a value: its length in bytes, in parentheses.
    static func masked(_ count: Int) -> String { "(\(count) bytes)" }

    /// The names of a form's fields.
    private static func names(ofForm form: [UInt8]) -> String {
        form.split(separator: UInt8(ascii: "&")).map { field in
            let name = field.prefix { $0 != UInt8(ascii: "=") }
            return String(decoding: name, as: UTF8.self).printable + "=" + masked(max(0, field.count - name.count - 1))
        }.joined(separator: "&")
    }
}
#endif
