import Floor
import Foundation
import TVETesting
import TVETokens

/// A key of the test vectors, and tokens that it signed.
struct Issuer: Sendable {
    static let now = Timestamp(milliseconds: 1_768_498_200_000)
    static let resource = "TestChannel"
    /// A resource for a programme as on the wire, with references that have to be resolved.
    static let mrss = """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>TestChannel</title><item>\
        <title>The Game &amp; the Aftermath</title><guid>urn:test:programme:0123456789</guid>\
        <media:rating scheme="urn:v-chip">tv-pg</media:rating></item></channel></rss>
        """

    let bits: Int
    let path: String
    let signing: SigningKey
    let issuer: TestMediaTokenIssuer
    let keys: VerificationKeys
    let verifier: MediaTokenVerifier
    let floor: FloorKey

    init(bits: Int) throws {
        self.bits = bits
        path = Self.keyFile("test-only-issuer-\(bits).pkcs8.pem")
        signing = try SigningKey(contentsOfFile: path, allowingWeakKeys: true)
        issuer = TestMediaTokenIssuer(key: signing)
        keys = try issuer.verificationKeys
        verifier = MediaTokenVerifier(keys: keys)
        floor = try FloorKey(path: path)
    }

    static func keyFile(_ name: String) -> String {
        // Benchmarks/Sources/Workloads/Issuer.swift
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../Vectors/keys")
            .appendingPathComponent(name).standardizedFileURL.path
    }

    static func expectations(_ resource: String = resource) -> TokenExpectations {
        TokenExpectations(requestor: "REF30", resource: .exactly(ResourceID(resource)))
    }

    func token(
        resource: String = resource,
        base64Layers: Int = 0,
        fault: TestTokenFault? = nil
    ) throws -> [UInt8] {
        var layout = TestTokenLayout()
        layout.base64Layers = base64Layers
        let claims = TestTokenClaims(requestor: "REF30", resource: ResourceID(resource), issued: Self.now)
        return try issuer.issue(claims, layout: layout, fault: fault)
    }

    var floorName: String { "floor: SHA-256 and EVP_PKEY_verify, \(bits) bits" }
}

/// The parts of a plain token that other libraries need.
struct TokenParts: Sendable {
    let signature: [UInt8]
    let signed: [UInt8]

    init(of token: [UInt8]) throws {
        guard let start = token.firstIndex(of: UInt8(ascii: ">")),
            let signatureEnd = token[start...].firstIndex(of: UInt8(ascii: "<")),
            let signedStart = token[signatureEnd...].firstIndex(of: UInt8(ascii: ">")),
            let signature = Data(base64Encoded: Data(token[(start + 1)..<signatureEnd]))
        else { throw WorkloadError.unexpectedToken }
        self.signature = Array(signature)
        signed = Array(token[(signedStart + 1)...])
    }
}

/// A key that is prepared for OpenSSL's own calls.
final class FloorKey: @unchecked Sendable {
    // The calls only read the key, and copy or make the contexts that they change.
    private let raw: OpaquePointer

    init(path: String) throws {
        guard let raw = floor_key_read(path) else { throw WorkloadError.unusableKey(path) }
        self.raw = raw
    }

    deinit { floor_key_free(raw) }

    func verify(_ parts: TokenParts) -> Bool {
        floor_verify(raw, parts.signature, parts.signature.count, parts.signed, parts.signed.count) == 1
    }

    func verifyUsual(_ parts: TokenParts) -> Bool {
        floor_verify_usual(raw, parts.signature, parts.signature.count, parts.signed, parts.signed.count) == 1
    }

    func digest(_ text: [UInt8]) -> Bool { floor_digest(raw, text, text.count) == 1 }

    func sign(_ text: [UInt8]) -> Bool { floor_sign(raw, text, text.count) == 1 }

    func encrypt(_ text: [UInt8]) throws -> [UInt8] {
        let block = [UInt8](unsafeUninitializedCapacity: 1024) { room, count in
            count = floor_encrypt(raw, text, text.count, room.baseAddress, room.count)
        }
        guard !block.isEmpty else { throw WorkloadError.wrongOutcome("encrypting") }
        return block
    }

    func decrypt(_ block: [UInt8], times: Int) -> Bool { floor_decrypt(raw, block, block.count, Int32(times)) == 1 }
}

/// Files with a key and a token, for the program in Java.
public struct JavaInput {
    /// SubjectPublicKeyInfo in PEM.
    public let keyFile: String
    /// The token that `verify: 2048 bits, plain, short resource` verifies.
    public let tokenFile: String

    /// Writes both files into a folder.
    public init(in folder: URL) throws {
        let issuer = try Issuer(bits: 2048)
        keyFile = folder.appendingPathComponent("issuer.pem").path
        tokenFile = folder.appendingPathComponent("token.txt").path
        try Data(issuer.keys.keys[0].publicKeyPEM.utf8).write(to: URL(fileURLWithPath: keyFile))
        try Data(issuer.token()).write(to: URL(fileURLWithPath: tokenFile))
    }
}
