#if Client
import EntitlementValues
import TextCodecs

extension RecordedExchange {
    /// Reads an entry; `nil` if it is not an exchange of HTTP.
    ///
    /// Bodies and fields are read of those addresses for which `isWanted` is true. Throws if the entry is damaged.
    init?(entry text: Span<UInt8>, isWanted: (WebAddress) -> Bool) throws(JSONFault) {
        let entry = try JSONObject(text, in: 0..<text.count, nulls: .countAsAbsent)
        guard let requested = Timestamp(try entry.requiredIdentifier("startedDateTime", in: text)) else {
            throw JSONFault(.notAllowed, at: entry.location + "startedDateTime", "is not an instant")
        }
        let length = entry.node("time").flatMap { Double(String(copying: text.extracting($0.value.range))) } ?? 0
        let (request, response) = (try entry.object("request", in: text), try entry.object("response", in: text))
        let url = try request.requiredIdentifier("url", in: text)
        guard url.prefix(4).lowercased() == "http" else { return nil }
        guard url.utf8.count <= Self.longestAddress else {
            throw JSONFault(.notAllowed, at: request.location + "url", "is too long")
        }
        address = WebAddress(url)
        method = try request.requiredIdentifier("method", in: text).uppercased()
        status = Int(clamping: try response.integer("status", in: text) ?? 0)
        self.requested = requested
        answered = requested + .milliseconds(Int64(min(max(0, length), 86_400_000)))
        guard status > 0, method != "OPTIONS" else { return nil }
        answerFields = try response.pairs("headers", in: text)
        let next = try response.string("redirectURL", in: text) ?? ""
        if !next.isEmpty, answerField("location") == nil { answerFields.append(("location", next)) }
        guard isWanted(address) else { return }
        fields = try request.pairs("headers", in: text)
        body = try request.part("postData", in: text, reading: Self.posted) ?? []
        answerBody = try response.part("content", in: text, reading: Self.content) ?? []
    }

    /// The longest address, in bytes: what is made of one takes many times its length.
    private static let longestAddress = 1 << 16

    private static func content(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) -> [UInt8] {
        guard let content = try object.string("text", in: text) else { return [] }
        let bytes = Array(content.utf8)
        guard try object.string("encoding", in: text)?.lowercased() == "base64" else { return bytes }
        guard let body = Base64.decode(bytes, options: [.transported, .unpadded]) else {
            throw JSONFault(.notAllowed, at: object.location + "text", "is not Base64")
        }
        return body
    }

    /// The body of a request; some recorders have only the fields of a form.
    private static func posted(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) -> [UInt8] {
        let body = try content(object, text)
        guard body.isEmpty else { return body }
        var form = FormFields()
        for field in try object.pairs("params", in: text).prefix(FormFields.maximumFields) {
            form.append(field.name, field.value)
        }
        return form.encoded()
    }
}

extension JSONObject {
    /// The object in a member that must be there.
    fileprivate func object(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> JSONObject {
        try required(name, try part(name, in: text) { (object, _) throws(JSONFault) in object })
    }

    /// A list of names with their values; nothing if the member is absent.
    fileprivate func pairs(
        _ name: String,
        in text: Span<UInt8>
    ) throws(JSONFault) -> [(name: String, value: String)] {
        guard node(name)?.value.range.count ?? 0 <= Self.longestList else {
            throw JSONFault(.notAllowed, at: location + name, "is too long")
        }
        return try parts(name, in: text) { (field, text) throws(JSONFault) in
            (name: try field.string("name", in: text) ?? "", value: try field.string("value", in: text) ?? "")
        }
    }

    /// The longest list that is read, in bytes: an empty element takes a hundred times its text.
    private static let longestList = 1 << 18
}
#endif
