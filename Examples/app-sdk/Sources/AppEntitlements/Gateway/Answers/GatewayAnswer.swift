/// What the gateway answered to a request that it did.
///
/// It may hold a playback session, an activation code or an attribute, so its description shows the code alone.
public struct GatewayAnswer: Sendable, Hashable {
    /// The stable name of the answer, for example `authenticated` or `choose`.
    public let code: String
    /// All members of the answer.
    public let body: [String: JSONValue]
    /// What the operator's library would have told of the request.
    public internal(set) var events: [GatewayEvent]

    /// Reads an answer; `nil` if the body is not one.
    ///
    /// The two requests about playback sessions alone answer without a code.
    init?(_ body: [String: JSONValue]) {
        let code = body["code"]?.text
        guard code?.isCode ?? (body["sessionId"] != nil || body["revoked"] != nil) else { return nil }
        (self.code, self.body, events) = (code ?? "done", body, GatewayEvent.list(body["events"]))
    }

    /// The text of a member; `nil` if it is absent, or not a text.
    public subscript(text name: String) -> String? { body[name]?.text }

    /// The texts of a member that is a list of them; none if it is absent.
    public subscript(texts name: String) -> [String] { (body[name]?.elements ?? []).compactMap(\.text) }

    /// What is left to do after the step that the answer names, one after the other; none if that is all.
    var further: [[String: JSONValue]] { (body["further"]?.elements ?? []).compactMap(\.members) }

    /// The instant of a member, in milliseconds since the Unix epoch; `nil` if it is absent, or not a whole number.
    public subscript(instant name: String) -> Int64? { body[name]?.integer }
}

extension GatewayAnswer: CustomStringConvertible, CustomReflectable {
    /// The code.
    public var description: String { code }

    /// A mirror of the code.
    public var customMirror: Mirror { Mirror(self, children: ["code": code]) }
}
