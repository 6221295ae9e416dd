#if Service
import BrokerMessages
import DeviceRecords
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TextCodecs

/// What a device token says.
///
/// Its text is opaque to apps: sealed by ``DeviceTokens``.
struct DeviceToken: Sendable, Hashable {
    /// The key of the device's records: 128 random bits.
    let key: DeviceKey
    /// The app that the token is bound to.
    let app: String
    /// Counts renewals, from 1.
    let generation: Int64
    /// The first instant at which the token is not good any more.
    let expires: Timestamp
    /// What the app said of the device; empty once there is a record, which has it then.
    let facts: DeviceFacts
    /// The identifier that the app brought along; `nil` once there is a record.
    private let redactedIdentifier: Redacted<String>?

    init(
        key: DeviceKey,
        app: String,
        generation: Int64,
        expires: Timestamp,
        facts: DeviceFacts = DeviceFacts(),
        identifier: DeviceIdentifier? = nil
    ) {
        (self.key, self.app, self.generation, self.expires, self.facts) = (key, app, generation, expires, facts)
        redactedIdentifier = identifier.map { Redacted($0.text) }
    }

    /// The same token one generation on.
    ///
    /// - Parameters:
    ///   - generation: The new generation.
    ///   - expires: The new end.
    ///   - isRecorded: Whether the device has a record, which has its facts.
    /// - Returns: The token, with its facts as long as it has no record.
    func renewed(as generation: Int64, until expires: Timestamp, isRecorded: Bool) -> DeviceToken {
        DeviceToken(
            key: key, app: app, generation: generation, expires: expires,
            facts: isRecorded ? DeviceFacts() : facts, identifier: isRecorded ? nil : brought)
    }

    /// The identifier that the app brought along.
    var brought: DeviceIdentifier? { redactedIdentifier.flatMap { try? DeviceIdentifier($0.value) } }

    /// The identifier for a new record at the broker's client: the one that the app brought along, or else one that is
    /// made from the device's key.
    ///
    /// A record that is there keeps its own.
    ///
    /// - Returns: The identifier.
    /// - Throws: `GatewayRefusal` if libcrypto failed.
    func identifier() throws(GatewayRefusal) -> DeviceIdentifier {
        if let brought { return brought }
        return try Self.identifier(of: key)
    }

    /// The identifier of a device whose app brought none along.
    static func identifier(of key: DeviceKey) throws(GatewayRefusal) -> DeviceIdentifier {
        do throws(BrokerHeaderError) {
            return try DeviceIdentifier(hashing: "tve gateway device \(key.rawValue)")
        } catch {
            throw GatewayRefusal(.serviceUnavailable, error.code, doing: .retry, detail: "libcrypto failed; ask again")
        }
    }

    // MARK: Content

    /// The content that is sealed, in JSON.
    var content: [UInt8] {
        var object = JSONWriter(escaping: .minimal)
        object.member("key", key.rawValue)
        object.member("app", app)
        object.member("generation", generation)
        object.member("expires", expires.milliseconds)
        if let redactedIdentifier { object.member("identifier", redactedIdentifier.value) }
        facts.write(to: &object)
        return object.finished
    }

    /// Reads a content that was opened.
    ///
    /// - Parameter text: The JSON.
    /// - Throws: `JSONFault` if it is not one of ours.
    init(content text: Span<UInt8>) throws(JSONFault) {
        let object = try JSONObject(text, in: 0..<text.count)
        key = DeviceKey(try object.requiredIdentifier("key", in: text))
        app = try object.requiredIdentifier("app", in: text)
        generation = try object.required("generation", try object.integer("generation", in: text))
        expires = Timestamp(
            milliseconds: try object.required("expires", try object.integer("expires", in: text)))
        redactedIdentifier = try object.identifier("identifier", in: text).map { Redacted($0) }
        facts = try DeviceFacts(object, in: text)
    }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    /// The app and the generation; neither key nor identifier.
    var description: String { "device token of \(app.printable), generation \(generation), until \(expires)" }

    /// A mirror without key and identifier.
    var customMirror: Mirror { Mirror(self, children: ["app": app, "generation": generation, "expires": expires]) }
}
#endif
