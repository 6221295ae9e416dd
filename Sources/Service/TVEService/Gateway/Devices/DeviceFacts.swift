#if Service
import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

/// What an app said of its device when it registered, or since, and what it calls itself.
struct DeviceFacts: Sendable, Hashable {
    /// What the device says of itself; `nil` if it says nothing.
    var info: DeviceInfo?
    /// What the app called itself in the request that changed the device's sign-ins last, for calls of the broker that no
    /// request asks for; `nil` in a device token, and in records of releases that did not keep it.
    ///
    /// A replica of such a release passes over the member, and drops it if it changes the record.
    var userAgent: UserAgent?
    /// The visitor's identifier for analytics.
    var visitor: VisitorIdentifier?
    /// The provider that the user chose last, also in an earlier version of the app.
    var lastProvider: MVPDID?

    /// Writes the facts as members.
    func write(to object: inout JSONWriter) {
        if let info { object.member("info", info.json) }
        if let userAgent { object.member("userAgent", userAgent.headerValue) }
        if let visitor { object.member("visitor", visitor.text) }
        if let lastProvider { object.member("lastProvider", lastProvider.rawValue) }
    }

    init() {}

    /// Reads the members that ``write(to:)`` has written, in the text that the object is part of.
    ///
    /// Throws if another program has sealed them.
    init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        info = try object.string("info", in: text).flatMap { try? DeviceInfo(json: $0) }
        userAgent = try object.string("userAgent", in: text).flatMap { try? UserAgent(headerValue: $0) }
        visitor = try object.string("visitor", in: text).flatMap { try? VisitorIdentifier($0) }
        lastProvider = try object.identifier("lastProvider", in: text).map { MVPDID($0) }
    }

    /// What the device says of itself, with the connection of a request; the connection alone if it says nothing.
    ///
    /// Nothing is made up: a wrong word costs the user more than none.
    func info(from address: ClientAddress, port: UInt16?) -> DeviceInfo {
        let stated = info ?? .nothing
        return (try? stated.connected(from: address, port: port)) ?? stated
    }
}

extension DeviceFacts: CustomStringConvertible, CustomReflectable {
    /// Says *facts of a device* instead of the facts: a household could be recognised by them.
    var description: String { "facts of a device" }

    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension DeviceInfo {
    /// The members that `openapi.yaml` describes as texts.
    private static let texts: [Key] = [
        .model, .version, .osName, .osVersion, .connectionType, .primaryHardwareType, .manufacturer,
    ]
    /// The members that it describes as whole numbers.
    private static let wholeNumbers: [Key] = [.displayWidth, .displayHeight]

    /// Refuses information of which a member has another type than `openapi.yaml` says.
    ///
    /// The broker would take such a device for an unknown one, and its sign-ins would end sooner, without a word about it.
    ///
    /// Throws with the status 400, and names the member only if it is a documented one.
    func requireMemberTypes() throws(RequestError) {
        for field in fields {
            let key = Key(field.name)
            if Self.texts.contains(key) {
                guard field.value.string != nil else {
                    throw .badRequest("deviceInfo: \(key.rawValue) is not a text")
                }
            } else if Self.wholeNumbers.contains(key) {
                guard Int64(field.value.text) != nil else {
                    throw .badRequest("deviceInfo: \(key.rawValue) is not a whole number")
                }
            } else if self[key] == nil {
                throw .badRequest("deviceInfo: a member is neither a text nor a number")
            }
        }
    }
}
#endif
