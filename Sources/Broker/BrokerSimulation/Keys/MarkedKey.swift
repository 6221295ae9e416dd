#if Client
import EntitlementKeys
import EntitlementValues
import HostSystem
import TextCodecs

/// A private key with a certificate that says that it is a simulator's.
struct MarkedKey: Sendable {
    let key: SigningKey
    /// The certificate in PEM, self-signed.
    let certificate: String
    /// Key and certificate in PEM, as the file has them.
    let content: WipedBytes

    /// How long the certificate lasts; verifiers of media tokens do not look at its dates.
    private static let lifetime = TimeToLive.hours(24 * 3650)

    /// Makes a key of 2048 bits.
    static func generated(named name: String, at now: Timestamp) throws(SimulationError) -> MarkedKey {
        do throws(KeyError) {
            let material = try KeyMaterial.generated(bits: 2048, named: name)
            let certificate = try material.selfSignedCertificatePEM(
                subject: CertificateSubject(commonName: CompactSigner.issuer), validity: now...(now + lifetime))
            let content = WipedBytes(joining: [
                try material.unencryptedPEM(), WipedBytes(Array(certificate.utf8)),
            ])
            let key = try content.withSpan { bytes throws(KeyError) in try SigningKey(bytes, named: name) }
            return MarkedKey(key: key, certificate: certificate, content: content)
        } catch {
            throw .keys(error.description)
        }
    }

    private init(key: SigningKey, certificate: String, content: WipedBytes) {
        (self.key, self.certificate, self.content) = (key, certificate, content)
    }

    /// Reads a key that ``generated(named:at:)`` made.
    init(contentsOfFile file: String) throws(SimulationError) {
        do throws(FileFailure) {
            content = try Files.read(file, maximumSize: 65_536)
        } catch {
            throw .folder(path: file, reason: error.reason)
        }
        let entries: [KeyInventory.Entry]
        do throws(KeyError) {
            key = try content.withSpan { bytes throws(KeyError) in try SigningKey(bytes, named: file) }
            entries = try KeyInventory(contentsOfFile: file).entries
        } catch {
            throw .keys(error.description)
        }
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
