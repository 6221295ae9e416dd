#if Client
public import EntitlementKeys
public import EntitlementValues
import HostSystem
import TextCodecs

/// The keys with which a simulator signs: one for media tokens, another for access tokens and software statements.
public struct SimulatorKeys: Sendable {
    /// Signs media tokens.
    public let media: SigningKey
    /// Signs access tokens and software statements.
    public let access: SigningKey
    /// What a verifier of media tokens reads, in PEM: a certificate that names `simulator.invalid`, or the bare key of
    /// a simulator that was given keys without one.
    ///
    /// Never give it to a verifier in production.
    public let mediaPEM: String

    /// What a verifier of software statements and access tokens reads, in PEM; as ``mediaPEM``.
    let accessPEM: String

    /// Makes new keys of 2048 bits, which say in a certificate whose they are, and exist only in memory.
    ///
    /// - Parameter now: When the certificates begin.
    /// - Throws: `SimulationError.keys` if no key could be made.
    public init(at now: Timestamp = .now) throws(SimulationError) {
        let media = try SimulatorKey.generated(named: "simulator-media", at: now)
        let access = try SimulatorKey.generated(named: "simulator-access", at: now)
        try self.init(media: media, access: access)
    }

    /// Takes keys that were made before.
    ///
    /// Whether they are a simulator's cannot be seen here, and nothing marks them: ``mediaPEM`` is the bare key, which
    /// `tve doctor` takes for any other. Give keys that sign nothing but tests.
    ///
    /// - Parameters:
    ///   - media: Signs media tokens; 1024 bits are taken, since old tokens of the broker were signed so.
    ///   - access: Signs access tokens and software statements.
    /// - Throws: `SimulationError.sameKeyTwice` if both are the same key: an access token must not pass for anything
    ///   that the other key signs.
    public init(media: SigningKey, access: SigningKey) throws(SimulationError) {
        guard media.fingerprint != access.fingerprint else { throw .sameKeyTwice }
        (self.media, self.access) = (media, access)
        (mediaPEM, accessPEM) = (media.publicKeyPEM, access.publicKeyPEM)
    }

    /// Takes keys whose certificates say whose they are.
    init(media: SimulatorKey, access: SimulatorKey) throws(SimulationError) {
        guard media.key.fingerprint != access.key.fingerprint else { throw .sameKeyTwice }
        (self.media, self.access) = (media.key, access.key)
        (mediaPEM, accessPEM) = (media.certificate, access.certificate)
    }

    /// What a verifier of media tokens must trust to accept this simulator's.
    ///
    /// Never give it to a verifier in production.
    public var mediaVerificationKeys: VerificationKeys {
        get throws(KeyError) { try VerificationKeys(of: media) }
    }

    /// What the simulator's own access tokens and statements are verified with.
    var accessVerificationKeys: VerificationKeys {
        get throws(SimulationError) {
            try rethrowing(VerificationKeys(of: access), as: SimulationError.init(key:))
        }
    }
}

/// A private key with a certificate that says that it is a simulator's.
struct SimulatorKey: Sendable {
    let key: SigningKey
    /// The certificate in PEM, self-signed.
    let certificate: String
    /// Key and certificate in PEM, as the file has them.
    let content: WipedBytes

    /// How long the certificate lasts; verifiers of media tokens do not look at its dates.
    private static let lifetime = TimeToLive.hours(24 * 3650)

    /// Makes a key of 2048 bits.
    static func generated(named name: String, at now: Timestamp) throws(SimulationError) -> SimulatorKey {
        do throws(KeyError) {
            let material = try KeyMaterial.generated(bits: 2048, named: name)
            let certificate = try material.selfSignedCertificatePEM(
                subject: CertificateSubject(commonName: CompactSigner.issuer), validity: now...(now + lifetime))
            let content = WipedBytes(joining: [
                try material.unencryptedPEM(), WipedBytes(Array(certificate.utf8)),
            ])
            let key = try content.withSpan { bytes throws(KeyError) in try SigningKey(bytes, named: name) }
            return SimulatorKey(key: key, certificate: certificate, content: content)
        } catch {
            throw SimulationError(key: error)
        }
    }

    private init(key: SigningKey, certificate: String, content: WipedBytes) {
        (self.key, self.certificate, self.content) = (key, certificate, content)
    }

    /// Reads a key that ``generated(named:at:)`` made.
    init(contentsOfFile file: String) throws(SimulationError) {
        content = try SimulationError.naming(file, Files.read(file, maximumSize: 65_536))
        key = try rethrowing(
            content.withSpan { bytes throws(KeyError) in try SigningKey(bytes, named: file) },
            as: SimulationError.init(key:))
        let entries = try rethrowing(KeyInventory(contentsOfFile: file).entries, as: SimulationError.init(key:))
        let fingerprint = key.fingerprint
        let isMarked = entries.contains { entry in
            entry.kind == .certificate && entry.fingerprint == fingerprint && Self.isMark(entry.subject)
        }
        guard isMarked else { throw .foreignKey(file: file) }
        certificate = content.withSpan { bytes in
            let text = [UInt8](copying: bytes)
            let start = text.firstRange(of: Array("-----BEGIN CERTIFICATE".utf8))?.lowerBound ?? text.endIndex
            return String(decoding: text[start...], as: UTF8.self)
        }
    }

    /// Whether the name in a certificate is that of simulators.
    private static func isMark(_ subject: String?) -> Bool {
        subject?.utf8.elementsEqual("CN=\(CompactSigner.issuer)".utf8) ?? false
    }
}
#endif
