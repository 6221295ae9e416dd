/// Something that the operator's library would have told of a request, as the gateway says it (`?events=1`).
public struct GatewayEvent: Sendable, Hashable {
    /// The stable name, for example `tracking` or `status`.
    public let name: String
    /// The members of the event.
    let members: [String: JSONValue]

    /// Reads the member `events` of an answer; elements that are not events are left out.
    static func list(_ value: JSONValue?) -> [GatewayEvent] {
        (value?.elements ?? []).compactMap { element in
            guard let members = element.members, let name = members["event"]?.text else { return nil }
            return GatewayEvent(name: name, members: members)
        }
    }

    /// The status that the event tells of; `nil` if it is another event.
    var status: (code: StatusCode, level: String)? {
        guard name == "status", let code = members["status"]?.text, let level = members["level"]?.text else {
            return nil
        }
        return (StatusCode(rawValue: code), level.lowercased())
    }

    /// Whether the viewer is signed in, and until when, in milliseconds since the Unix epoch; `nil` if it is another event.
    var authentication: (isSignedIn: Bool, until: Int64?)? {
        guard name == "authentication_status", let isSignedIn = members["authenticated"]?.boolean else { return nil }
        return (isSignedIn, members["until"]?.integer)
    }

    /// What the event hands to analytics; `nil` if it is another event.
    var tracking: TrackingEvent? {
        guard name == "tracking", let kind = members["kind"]?.text.flatMap(TrackingEvent.Kind.init(name:)),
            let array = members["array"]?.elements
        else { return nil }
        return TrackingEvent(kind: kind, array: array.map(\.text))
    }
}

extension GatewayEvent: CustomStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { name }

    /// A mirror of the name.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
