#if Service
import BrokerMessages
import DeviceRecords
import EntitlementValues
import HTTPTypes
import HostSystem
import OpenSSLBridge
import SealedRecords
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
    /// A device that has a record has its facts there: the token loses them then.
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
    /// A record that is there keeps its own. Throws if libcrypto failed.
    func identifier() throws(RequestError) -> DeviceIdentifier {
        if let brought { return brought }
        return try Self.identifier(of: key)
    }

    /// The identifier of a device whose app brought none along.
    static func identifier(of key: DeviceKey) throws(RequestError) -> DeviceIdentifier {
        try rethrowing(DeviceIdentifier(hashing: "tve gateway device \(key.rawValue)")) { (error: BrokerHeaderError) in
            RequestError(.serviceUnavailable, error.code, doing: .retry, detail: "libcrypto failed; ask again")
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

    /// Reads the JSON of a content that was opened; throws if it is not one of ours.
    init(content text: Span<UInt8>) throws(JSONFault) {
        let object = try JSONObject(text, in: 0..<text.count)
        key = DeviceKey(try object.requiredIdentifier("key", in: text))
        app = try object.requiredIdentifier("app", in: text)
        generation = try object.requiredInteger("generation", in: text)
        expires = try object.requiredInstant("expires", in: text)
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

/// Seals and opens device tokens, with the ring that seals the devices' records.
///
/// The text is Base64url of what ``RecordSealer`` makes: encrypted and authenticated with AES-256-GCM, bound to the
/// purpose of tokens, so that neither a record nor anything else of the ring passes for a token.
struct DeviceTokens: Sendable {
    /// The longest text that is opened, in bytes: three times what the longest device information needs.
    private static let maximumLength = 16_384
    /// The most digits that the number of a generation has: renewals must not make a token longer than it may be.
    private static let generationDigits = 19
    private static let schema: UInt32 = 1

    private let sealer: RecordSealer
    private let place: RecordKey

    /// Takes a ring; throws if libcrypto failed.
    init(_ sealer: RecordSealer) throws(SealingError) {
        self.sealer = sealer
        place = try sealer.key(of: "", for: .gatewayToken)
    }

    private var context: RecordContext {
        RecordContext(purpose: .gatewayToken, schema: Self.schema, key: place, version: 1)
    }

    /// Makes the key of a new device: 128 random bits; throws if the random generator fails.
    static func newKey() throws(OpenSSLFailure) -> DeviceKey { DeviceKey(Base64.encodeURLSafe(try randomBytes(16))) }

    /// Seals a token.
    ///
    /// Throws if libcrypto failed; with the status 400 if the text, or that of a later generation, would be longer than
    /// one that is opened.
    func text(of token: DeviceToken) throws -> String {
        let content = token.content[...]
        let sealed = try sealer.seal(content.span, in: context)
        let growth = Self.generationDigits - "\(token.generation)".utf8.count
        guard sealed.count + growth <= Self.maximumLength / 4 * 3 else {
            throw RequestError.badRequest(
                "deviceInfo, identifier, lastProvider and visitorId together are too long for a device token; shorten them"
            )
        }
        return Base64.encodeURLSafe(sealed)
    }

    /// Opens the text of a token as it was presented; the token must be good at the instant.
    ///
    /// Throws with the status 401 if it is not one of ours, was changed or has expired.
    func open(_ text: some StringProtocol, at now: Timestamp) throws(RequestError) -> DeviceToken {
        // A token has one spelling.
        guard text.utf8.count <= Self.maximumLength,
            let sealed = Base64.decode(Array(text.utf8), options: .compact)
        else { throw .badDeviceToken }
        let content: WipedBytes
        do throws(SealingError) {
            content = try sealer.open(sealed, in: context)
        } catch .undecided {
            throw .cryptography
        } catch {
            throw .badDeviceToken
        }
        guard let token = content.withSpan({ try? DeviceToken(content: $0) }) else { throw .badDeviceToken }
        guard now < token.expires else { throw .deviceTokenExpired }
        return token
    }
}

extension RecordPurpose {
    /// Tokens of devices of the gateway.
    static let gatewayToken: RecordPurpose = "gateway-token"
    /// States of sign-ins and sign-outs, by which the record of a device is found.
    static let gatewayState: RecordPurpose = "gateway-state"
    /// Counts of requests.
    static let rate: RecordPurpose = "rate"
}

extension RequestError {
    /// The request has neither a token nor a cookie.
    static let noDeviceToken = RequestError(
        .unauthorized, "no_device_token", doing: .signIn,
        detail: "the request has no device token; get one with POST /v1/devices")

    static let badDeviceToken = refusedToken(
        "bad_device_token", "the device token is not one of this gateway; register the device again")

    static let deviceTokenExpired = refusedToken(
        "device_token_expired", "the device token has expired; register the device again")

    static let deviceTokenRevoked = refusedToken(
        "device_token_revoked", "the device has a newer token, or was forgotten; register it again")

    static let unknownApp = refusedToken("unknown_app", "the token's app is not served any more")

    private static func refusedToken(_ code: String, _ detail: String) -> RequestError {
        var error = RequestError(.unauthorized, code, doing: .signIn, detail: detail)
        error.dropsCookie = true
        return error
    }
}
#endif
