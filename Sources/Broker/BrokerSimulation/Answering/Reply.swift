#if Client
import BrokerMessages
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TextCodecs

/// What the simulator answers, before a scenario spoils it.
package struct Reply: Sendable, Hashable {
    package var status = 200
    package var fields: [String: String] = [:]
    package var body: [UInt8] = []

    /// A JSON answer with the media type that the broker sends.
    static func json(_ body: [UInt8], status: Int = 200) -> Reply {
        Reply(status: status, fields: ["Content-Type": "application/json;charset=UTF-8"], body: body)
    }

    /// A bare page, as from a proxy before the broker.
    static func page(_ title: String, status: Int) -> Reply {
        let page: HTML =
            "<!DOCTYPE html><html><head><title>\(title)</title></head><body><h1>\(title)</h1></body></html>\n"
        return Reply(status: status, fields: ["Content-Type": "text/html;charset=UTF-8"], body: Array(page.text.utf8))
    }

    static func redirect(to address: String) -> Reply {
        Reply(status: 302, fields: ["Location": address, "Cache-Control": "no-store"])
    }

    /// A redirect as a page with a form that sends itself to the same address; any other answer as it is, and a redirect
    /// to an address that no form makes.
    var asForm: Reply {
        guard status == 302, let address = fields["Location"], !address.utf8.contains(UInt8(ascii: "#")) else {
            return self
        }
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let query = parts.count > 1 ? parts[1] : ""
        guard let form = query.withBytes({ try? FormFields(parsing: $0) }) else { return self }
        let inputs: [HTML] = form.fields.map { field in
            "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value)\">"
        }
        let page: HTML = """
            <!DOCTYPE html><html><head><title>One moment</title></head><body onload="document.forms[0].submit()">
            <form action="\(parts[0])">\(inputs)<noscript><button>Continue</button></noscript></form></body></html>

            """
        let fields = ["Content-Type": "text/html;charset=UTF-8", "Cache-Control": "no-store"]
        return Reply(fields: fields, body: Array(page.text.utf8))
    }

    init(status: Int = 200, fields: [String: String] = [:], body: [UInt8] = []) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    package init(refusing refusal: Refusal) {
        switch refusal {
        case .error(let error): self = .json(error.encoded(), status: error.status ?? 500)
        case .registration(let code, let description):
            self = .json(RegistrationError(code, errorDescription: description).encoded(), status: 400)
        case .failure(let reason):
            self = Reply(refusing: .code(.internalServerError, details: reason))
        case .page(let status, let reason):
            self = Page("This does not work", "<p class=\"alert\" role=\"alert\">\(reason)</p>").reply(status: status)
        }
    }
}

extension Reply {
    /// The code of the error in the body.
    var errorCode: String? {
        guard status >= 400 else { return nil }
        return body.withSpan { try? EnhancedError(parsing: $0) }?.code?.rawValue
    }

    /// The same for pages of other origins: browsers let them read it, and ask with credentials and the broker's fields.
    ///
    /// `origin` is that of the page that asks; `nil` if none does. Source: the operator's own sample of an answer with the
    /// status 429, which no page has asked for.
    func readable(from origin: String?) -> Reply {
        var reply = self
        reply.fields.merge(Self.crossOriginFields) { $1 }
        if let origin { reply.fields["Access-Control-Allow-Origin"] = origin }
        return reply
    }

    private static let crossOriginFields = [
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Allow-Headers":
            "ap_11,ap_42,ap_z,ap_19,ap_21,ap_23,authorization,content-type,pass_sfp,AP-Session-Identifier,"
            + "AP-Device-Identifier,AP-SDK-Identifier,X-Device-Info",
        "Access-Control-Allow-Methods": "POST,GET,OPTIONS,DELETE",
        "Access-Control-Expose-Headers": "pass_sfp,Authzf-Error-Code,Authzf-Sub-Error-Code,Authzf-Error-Details",
        "Vary": "Origin",
    ]

    /// Status and header fields, with the time of the simulation, and the mark that all its answers have.
    func head(at now: Timestamp) -> HTTPResponse {
        var head = HTTPResponse(status: HTTPResponse.Status(code: status))
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { head.headerFields[name] = value }
        }
        if let name = HTTPField.Name("X-Simulated") { head.headerFields[name] = "true" }
        if let date = now.httpDate { head.headerFields[.date] = date }
        return head
    }
}
#endif
