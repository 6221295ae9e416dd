#if Service
import EntitlementKeys
import EntitlementValues
import HTTPTypes
import HostSystem
import Hummingbird
import MetadataDecryption
import OpenSSLBridge
import Synchronization
import TextCodecs

/// Answers requests to decrypt on a listener of their own, which monitoring does not need.
struct DecryptionResponder: HTTPResponder {
    let state: ServiceState
    let binding: ServiceSettings.Binding

    func respond(to request: Request, context: NoContext) async throws -> Response {
        let isKnown = request.uri.path == "/v1/user-metadata/decrypt"
        return try await state.measured(isKnown ? .decrypt : .other, request) {
            guard isKnown else { throw RequestError.notFound }
            return try await state.decrypt(request, on: binding)
        }
    }
}

extension ServiceState {
    /// Decrypts one value for a program that may ask for it at a listener.
    func decrypt(_ request: Request, on binding: ServiceSettings.Binding) async throws -> Response {
        try request.require(.post)
        let configuration = configuration
        guard let decrypter = configuration.decrypter else {
            throw RequestError.notEnabled(setting: "decryption.paths")
        }
        try request.requireProgram(at: binding)
        try request.requireJSON()
        guard !configuration.lacksDecryptionSecret else { throw RequestError.noDecryptionSecret }
        if let secret = configuration.decryptionSecret, !request.shows(secret) {
            // A throttle of their own: strangers must not delay those who know the secret.
            guard secretThrottle.hasRoom else { throw RequestError.tooManyFailures }
            try await secretThrottle.wait()
            throw RequestError.unauthorized
        }
        // Before it is decrypted: an answer at once would say whether a ciphertext is good.
        guard decryptionThrottle.hasRoom else { throw RequestError.tooManyFailures }
        let body = try DecryptRequestBody(try await request.bytes(upTo: configuration.settings.limits.bodyBytes))
        // The body may have come slowly, and many others have failed meanwhile.
        guard decryptionThrottle.hasRoom else { throw RequestError.tooManyFailures }
        do throws(MetadataDecryptionError) {
            let found = try decrypter.decrypt(body.value, of: body.attribute)
            metrics.countDecryption(isGood: true)
            var object = JSONWriter()
            object.member("text", found.text)
            object.member("key", found.key.label)
            return Response(.ok, object)
        } catch {
            metrics.countDecryption(isGood: false)
            // Who tries out ciphertexts needs thousands of answers to learn something.
            try await decryptionThrottle.wait()
            throw error
        }
    }
}

/// The body of a request to decrypt: an encrypted value, and the name of its attribute if it is known.
private struct DecryptRequestBody {
    let value: [UInt8]
    let attribute: MetadataAttribute?

    init(_ body: [UInt8]) throws(RequestError) {
        let body = body[...]
        guard body.span.isTextWithoutNUL else { throw .badRequest("not UTF-8") }
        (value, attribute) = try RequestError.reading { () throws(JSONFault) in
            let object = try JSONObject(body.span, in: body.span.afterByteOrderMark)
            try object.allowOnly(["value", "attribute"])
            let value = try object.required("value", try object.bytes("value", in: body.span))
            return (value, try object.string("attribute", in: body.span).map(MetadataAttribute.init))
        }
    }
}

/// Slows failures down, all of them together: after a few, ten a second are answered, of all clients.
///
/// A good request never waits here; it is refused only while so many failures wait that no more are taken.
final class FailureThrottle: Sendable {
    /// How many failures are answered at once after a quiet time.
    private static let burst = 10
    private static let interval: Duration = .milliseconds(100)
    /// How long a failure may wait: further requests are not looked at before.
    private static let longestWait: Duration = .seconds(5)

    private let time: TimeSource
    /// When the last failure is answered, as uptime.
    private let last = Mutex<Duration?>(nil)

    init(time: TimeSource) { self.time = time }

    /// Whether another request may fail.
    var hasRoom: Bool {
        let now = time.uptime
        return last.withLock { ($0 ?? now) - now < Self.longestWait }
    }

    /// Waits for the turn of a failure; throws `CancellationError` if the request is over before.
    func wait() async throws {
        let now = time.uptime
        let turn = last.withLock { last in
            let quiet = now - Self.interval * Self.burst
            let turn = max(last ?? quiet, quiet) + Self.interval
            last = turn
            return turn
        }
        if turn > now { try await time.sleep(untilUptime: turn) }
    }
}
#endif
