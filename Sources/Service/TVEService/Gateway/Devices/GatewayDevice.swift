#if Service
import BrokerMessages
import DeviceRecords
import EntitlementValues
package import SealedRecords
import ServiceResponses
package import TextCodecs

/// What the gateway itself keeps of a device, beside the record of the broker's client.
///
/// It is made when the device first needs it: with its first sign-in, its first report of a partner, or a change of what
/// it says of itself. Until then, all that is known of the device is in its token.
package struct GatewayDevice: SealedRecord, Hashable {
    package static let purpose: RecordPurpose = .gatewayDevice
    package static let schema: UInt32 = 1

    /// The key of the device's records.
    let key: DeviceKey
    /// The app that the device belongs to.
    let app: String
    /// The newest generation of its token that was made.
    private(set) var generation: Int64
    /// Whether a token of that generation was used; until then, one of the generation before is good too.
    private(set) var isGenerationUsed: Bool
    /// What the app said of the device.
    var facts: DeviceFacts
    /// Its sign-ins, and the session whose profile counts.
    var signIns = DeviceSignIns()
    /// What its sign-on partner said last; `nil` if it has none.
    var partner: DevicePartner?
    /// The identifier that the app brought along, for each session of the device; `nil` if it brought none.
    private let redactedIdentifier: Redacted<String>?

    /// Makes the first record of a device, from the token that it used.
    init(of token: DeviceToken) {
        (key, app, facts) = (token.key, token.app, token.facts)
        (generation, isGenerationUsed) = (token.generation, true)
        redactedIdentifier = token.brought.map { Redacted($0.text) }
    }

    /// The identifier of the device's sessions: what the app brought along, or else one made from the device's key.
    ///
    /// Throws if libcrypto failed.
    func identifier() throws(RequestError) -> DeviceIdentifier {
        if let brought = redactedIdentifier.flatMap({ try? DeviceIdentifier($0.value) }) { return brought }
        return try DeviceToken.identifier(of: key)
    }

    /// What takes the place of a record that is erased, until the device's last token has ended: nothing of the device,
    /// and a generation that no token has.
    init(forgotten key: DeviceKey, of app: String) {
        (self.key, self.app, facts) = (key, app, DeviceFacts())
        (generation, isGenerationUsed) = (Self.endOfGenerations, true)
        redactedIdentifier = nil
    }

    private static let endOfGenerations = Int64.max

    /// Whether the device was forgotten.
    package var isForgotten: Bool { generation == Self.endOfGenerations }

    // MARK: Generations

    /// Whether a token is good, by its generation.
    ///
    /// A newer one than was noted is good: it was renewed before there was a record, and its answer was late.
    func accepts(_ token: DeviceToken) -> Bool {
        token.app.hasSameBytes(as: app)
            && (token.generation >= generation || !isGenerationUsed && token.generation == generation - 1)
    }

    /// Notes that a token is used; older ones are not good from now on.
    ///
    /// Returns whether that changes anything.
    @discardableResult
    mutating func use(_ token: DeviceToken) -> Bool {
        guard token.generation > generation || token.generation == generation && !isGenerationUsed else {
            return false
        }
        (generation, isGenerationUsed) = (token.generation, true)
        return true
    }

    /// Takes the generation of a renewed token, and returns it; ``accepts(_:)`` has accepted the old token.
    ///
    /// If the newest one was never used, its answer was lost perhaps, and it is made again.
    mutating func renew(_ token: DeviceToken) -> Int64 {
        use(token)
        if isGenerationUsed { (generation, isGenerationUsed) = (generation + 1, false) }
        return generation
    }

    // MARK: Content

    /// The content that is sealed, in JSON.
    package var encoded: [UInt8] {
        var object = JSONWriter(escaping: .minimal)
        object.member("key", key.rawValue)
        object.member("app", app)
        object.member("generation", generation)
        object.member("used", isGenerationUsed)
        facts.write(to: &object)
        if let redactedIdentifier { object.member("identifier", redactedIdentifier.value) }
        object.member("signIns", object: signIns.write)
        if let partner { object.member("partner", object: partner.write) }
        return object.finished
    }

    package init(decoding text: Span<UInt8>) throws(JSONFault) {
        let object = try JSONObject(text, in: 0..<text.count)
        key = DeviceKey(try object.requiredIdentifier("key", in: text))
        app = try object.requiredIdentifier("app", in: text)
        generation = try object.requiredInteger("generation", in: text)
        isGenerationUsed = try object.required("used", try object.boolean("used", in: text))
        facts = try DeviceFacts(object, in: text)
        redactedIdentifier = try object.identifier("identifier", in: text).map { Redacted($0) }
        signIns = try object.part("signIns", in: text, reading: DeviceSignIns.init) ?? DeviceSignIns()
        partner = try object.part("partner", in: text, reading: DevicePartner.init)
    }

    package func belongs(to name: String) -> Bool { key.rawValue.hasSameBytes(as: name) }
}

extension GatewayDevice: CustomStringConvertible, CustomReflectable {
    /// The app and the generation; nothing of the device or its user.
    package var description: String { "device of \(app.printable), generation \(generation)" }

    /// A mirror of the app and the generation.
    package var customMirror: Mirror { Mirror(self, children: ["app": app, "generation": generation]) }
}
#endif
