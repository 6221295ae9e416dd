/// Says why the gateway did not do what it was asked for, and what to do about it.
public struct GatewayRefusal: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The stable name: the broker's for what it refused, else one of the gateway's.
    public let code: String
    /// What the app does about it; an action that this release does not know counts as ``GatewayAction/none``.
    public let action: GatewayAction
    /// What happened, for programmers.
    public let detail: String
    /// A text of the provider for the viewer, without markup.
    ///
    /// It is not trusted: show it as text.
    public let message: String?
    /// Addresses in that text, all of them `https`.
    public let links: [String]
    /// How long to wait before asking again; `nil` if the gateway does not say.
    public let retryAfter: Duration?
    /// What the operator's library would have told of the request.
    public let events: [GatewayEvent]

    /// Reads a refusal; `nil` if the body is not one.
    ///
    /// The requests about playback sessions alone answer with a member `error` without an action.
    init?(_ answer: [String: JSONValue], status: Int, retryAfter: Duration?) {
        let (fault, body) = (answer["error"]?.members, answer["error"]?.members ?? answer)
        guard let code = body["code"]?.text, code.isCode, let action = fault.map({ _ in "" }) ?? body["action"]?.text
        else { return nil }
        (self.status, self.code, self.retryAfter) = (status, code, retryAfter)
        self.action = GatewayAction(rawValue: action) ?? (fault != nil && status == 503 ? .retry : .none)
        detail = body["detail"]?.text ?? ""
        message = body["message"]?.text
        links = (body["links"]?.elements ?? []).compactMap(\.text).filter { $0.hasPrefix("https://") }
        events = GatewayEvent.list(body["events"])
    }
}

extension GatewayRefusal: CustomStringConvertible, CustomReflectable {
    /// Status, code and action; neither the detail nor the provider's text.
    public var description: String { "\(status) \(code): \(action.rawValue)" }

    /// A mirror of the code.
    public var customMirror: Mirror { Mirror(self, children: ["code": code]) }
}

extension String {
    /// Whether the text looks like a code: lower case, digits and underscores.
    var isCode: Bool {
        (1...96).contains(utf8.count)
            && utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }
}
