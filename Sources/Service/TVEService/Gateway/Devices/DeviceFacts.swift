#if Service
import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

/// What an app said of its device when it registered, or since.
struct DeviceFacts: Sendable, Hashable {
    /// What the device says of itself; `nil` if it says nothing: then each request is looked at to guess it.
    var info: DeviceInfo?
    /// The visitor's identifier for analytics.
    var visitor: VisitorIdentifier?
    /// The provider that the user chose last, also in an earlier version of the app.
    var lastProvider: MVPDID?

    /// Writes the facts as members.
    func write(to object: inout JSONWriter) {
        if let info { object.member("info", info.json) }
        if let visitor { object.member("visitor", visitor.text) }
        if let lastProvider { object.member("lastProvider", lastProvider.rawValue) }
    }

    init() {}

    /// Reads the members that ``write(to:)`` has written.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - text: The text that the object is part of.
    /// - Throws: `JSONFault`: another program has sealed them.
    init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        info = try object.string("info", in: text).flatMap { try? DeviceInfo(json: $0) }
        visitor = try object.string("visitor", in: text).flatMap { try? VisitorIdentifier($0) }
        lastProvider = try object.identifier("lastProvider", in: text).map { MVPDID($0) }
    }
}

extension DeviceFacts: CustomStringConvertible, CustomReflectable {
    /// The words *facts of a device*, not the facts, by which a household could be known.
    var description: String { "facts of a device" }

    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
