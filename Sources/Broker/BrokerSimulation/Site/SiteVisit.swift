#if Client
import HTTPTypes
import TextCodecs

/// A request to a page or a control call, taken apart.
struct SiteVisit {
    let method: HTTPRequest.Method
    /// The name, and perhaps the port, by which the request asked for the site: one that ``SiteAccess`` lets pass.
    let authority: String
    /// The segments of the path, decoded; none for the root.
    ///
    /// One that cannot be decoded matches nothing.
    let path: [String]
    let query: String
    let body: [UInt8]
    private let contentType: String?

    init(_ request: HTTPRequest, _ body: [UInt8]) {
        let parts = (request.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        (method, authority) = (request.method, request.authority ?? "")
        path = (parts.first ?? "").split(separator: "/").map { segment in
            let bytes = Percent.decode(Array(segment.utf8))
            return bytes.flatMap { $0.withSpan { String(validating: $0) } } ?? "\u{FFFD}"
        }
        query = parts.count > 1 ? String(parts[1]) : ""
        self.body = body
        contentType = request.headerFields[.contentType]?.prefix { $0 != ";" }.lowercased()
    }

    /// A field of the query; `nil` if it is absent or empty.
    func parameter(_ name: String) -> String? { FormFields(filledIn: query)?[name] }

    /// The fields of a form.
    func form() throws(SiteFault) -> FormFields {
        guard contentType == FormFields.mediaType, let text = String(validating: body.span),
            let form = FormFields(filledIn: text)
        else { throw .badRequest("the form cannot be read") }
        return form
    }

    /// The body, which must be JSON: a form of another site cannot send that without asking first.
    func json() throws(SiteFault) -> [UInt8] {
        guard contentType == "application/json" else { throw .notJSON }
        return body
    }

    /// Reads the object in the body, which may have only members of these names.
    ///
    /// Throws `.notJSON` or `.badRequest`.
    func read<Value>(
        _ names: Set<String>,
        _ read: (JSONObject, Span<UInt8>) throws(JSONFault) -> Value
    ) throws(SiteFault) -> Value {
        let body = try json()
        do throws(JSONFault) {
            return try body.withSpan { text throws(JSONFault) in
                _ = try JSONReader.node(of: text, in: text.afterByteOrderMark)
                let object = try JSONObject(text, in: text.afterByteOrderMark)
                try object.allowOnly(names)
                return try read(object, text)
            }
        } catch {
            throw .badRequest(error.reason)
        }
    }
}

extension Reply {
    /// The answer to a control call.
    static func control(_ object: JSONWriter, status: Int = 200) -> Reply {
        control(object.finished, status: status)
    }

    /// The answer to a control call, which is JSON already.
    static func control(_ json: [UInt8], status: Int = 200) -> Reply {
        Reply(
            status: status,
            fields: [
                "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            ],
            body: json + [UInt8(ascii: "\n")])
    }

    /// A control call that has nothing to say.
    static let done = Reply(status: 204, fields: ["Cache-Control": "no-store"])
}
#endif
