#if Client
import BrokerMessages
import TextCodecs

/// The parameters of a request: those of the query, and those of a form or a JSON object in the body.
struct RequestParameters {
    private var list: [(name: String, value: String?)] = []

    /// The value of a parameter, if it is a text with something in it; the last one of a name counts.
    subscript(name: String) -> String? { list.last { $0.name == name && $0.value?.isEmpty == false }?.value }

    init(_ exchange: RecordedExchange) {
        read(form: exchange.address.query)
        let body = exchange.body
        if exchange.field("content-type")?.lowercased().hasPrefix(FormFields.mediaType) == true {
            read(form: String(decoding: body, as: UTF8.self))
        } else if let object = try? JSONObject(body.span, in: body.span.afterByteOrderMark) {
            list += object.members.list.map { member in
                (member.name, member.value.kind == .string ? member.value.string(in: body.span) : nil)
            }
        }
    }

    /// Reads the first fields of a form; the rest is not even split, since it may be very long.
    ///
    /// A part without `=` is not a parameter: it may be a value that was sent in the place of a form.
    private mutating func read(form: String) {
        for part in form.split(separator: "&", maxSplits: FormFields.maximumFields).prefix(FormFields.maximumFields) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let name = Self.decoded(pair[0]) else { continue }
            list.append((name, Self.decoded(pair[1])))
        }
    }

    private static func decoded(_ text: Substring) -> String? {
        let bytes = Array(text.utf8)
        return Percent.decode(bytes.span, in: 0..<bytes.count, plusIsSpaceFrom: 0)
            .flatMap { $0.withSpan { String(validating: $0) } }
    }

    // MARK: Unknown names

    /// The most names that are kept of one call; a report shows ten in all.
    private static let mostNames = 8

    /// The names of header fields and parameters that no endpoint has.
    func unknownNames(with fields: [(name: String, value: String)]) -> [String] {
        let special = fields.map(\.name).filter { name in
            let name = name.lowercased()
            return ["ap-", "ad-", "adobe-", "x-"].contains { name.hasPrefix($0) } && !Self.knownFields.contains(name)
        }
        let unknown = special + list.map(\.name).filter { !Self.known.contains($0) }
        return unknown.prefix(Self.mostNames).map(Self.shown)
    }

    /// Those of all endpoints.
    private static let known: Set<String> = [
        "software_statement", "redirect_uri", "client_id", "client_secret", "grant_type", "refresh_token",
        "access_token", "profile", "mvpd", "domainName", "redirectUrl", "SAMLResponse", "resources", "requestor_id",
        "mvpd_id", "device_id", "key",
    ]

    /// The fields of the reference, and those of the operator's own libraries.
    private static let knownFields = Set(RequestField.allCases.flatMap(\.names).map { $0.lowercased() })

    /// A name, unless it could be a value that the application sent in the place of a name.
    ///
    /// Codes and identifiers of devices have many digits, or capitals alone.
    private static func shown(_ name: String) -> String {
        let text = name.utf8
        let isName =
            text.count <= 32 && text.allSatisfy(\.isURLSafe) && text.count(where: \.isASCIIDigit) <= 2
            && (text.contains(UInt8(ascii: "-")) || text.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 })
        return isName ? name : "(a name that is not shown)"
    }
}
#endif
