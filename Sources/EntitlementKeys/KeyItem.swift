import EntitlementValues
import OpenSSLBridge

/// One thing that was found in a key file.
enum KeyItem: Sendable {
    case certificate(Certificate)
    case publicKey(KeyStorage)
    case privateKey(KeyStorage)

    /// Reads everything in a file, by content and not by name.
    static func items(inFile file: String) throws(KeyError) -> [KeyItem] {
        try refuseKeyText(file)
        guard openSSLOffersRSA else {
            throw .unreadable(
                file: file, reason: "OpenSSL offers no RSA or SHA-256 in this process; look at OPENSSL_CONF")
        }
        let content: WipedBytes
        do throws(FileFailure) {
            content = try Files.read(file, maximumSize: maximumFileSize)
        } catch {
            throw error.isMissing ? .noSuchFile(file: file) : .unreadable(file: file, reason: error.reason)
        }
        return try items(in: content, named: file)
    }

    /// Refuses the text of a key where the name of its file is due: the name stands in errors, the text must not.
    static func refuseKeyText(_ path: String) throws(KeyError) {
        if path.isEmpty { throw .unreadable(file: "(empty)", reason: "the name is empty; an unset variable?") }
        if path.utf8.count > 4096 || path.utf8.contains(UInt8(ascii: "\n")) {
            throw .unreadable(
                file: "(not shown)", reason: "this is no file name; give the file's name, not the key's text")
        }
    }

    /// Reads everything in some octets; the name is for errors.
    static func items(in content: WipedBytes, named file: String) throws(KeyError) -> [KeyItem] {
        try content.withSpan { octets throws(KeyError) in
            if octets.indices.allSatisfy({ octets[$0].isWhiteSpace }) {
                throw .noKey(file: file, reason: "is empty")
            }
            return octets.contains(pemBegin)
                ? try items(inPEM: octets, named: file) : [try item(inDER: octets, named: file)]
        }
    }

    private static func items(inPEM text: Span<UInt8>, named file: String) throws(KeyError) -> [KeyItem] {
        let blocks: [PEMBlock]
        do throws(OpenSSLFailure) {
            blocks = try pemBlocks(in: text)
        } catch {
            throw .unreadable(file: file, reason: "a damaged PEM block (cut off, or not Base64 between BEGIN and END)")
        }
        var items: [KeyItem] = []
        for block in blocks {
            if block.isEncrypted || block.label == "ENCRYPTED PRIVATE KEY" { throw .encrypted(file) }
            guard let format = DERFormat(label: block.label) else { continue }
            let item = block.content.withSpan { try? format.read($0) }
            guard let item else {
                throw .unreadable(
                    file: file, reason: "what stands under BEGIN \(block.label) is damaged or something else")
            }
            items.append(item)
        }
        guard items.isEmpty else { return items }
        let labels = blocks.map(\.label).filter { $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } }
        guard !labels.isEmpty else {
            throw .unreadable(file: file, reason: "a damaged PEM block (no complete BEGIN line)")
        }
        throw .noKey(file: file, reason: "holds no key or certificate, only \(labels.joined(separator: ", "))")
    }

    private static func item(inDER octets: Span<UInt8>, named file: String) throws(KeyError) -> KeyItem {
        for format in DERFormat.allCases {
            if let item = try? format.read(octets) { return item }
        }
        throw .unreadable(
            file: file,
            reason: "neither PEM (-----BEGIN …) nor DER of a certificate, public key or unencrypted private key"
        )
    }
}

/// Larger than any chain of certificates, small enough to refuse at once what is no key file.
private let maximumFileSize = 1 << 20

private let pemBegin = Array("-----BEGIN ".utf8)

extension KeyError {
    fileprivate static func encrypted(_ file: String) -> KeyError {
        .unsupported(
            file: file,
            found: "an encrypted private key",
            advice: "decrypt it first: openssl pkey -in FILE -out PLAIN, and guard PLAIN"
        )
    }
}

/// What DER can hold, in the order in which it is tried where no label names it.
private enum DERFormat: CaseIterable {
    case certificate
    case subjectPublicKeyInfo
    case pkcs1PublicKey
    case pkcs8PrivateKey
    case pkcs1PrivateKey

    init?(label: String) {
        switch label {
        case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE": self = .certificate
        case "PUBLIC KEY": self = .subjectPublicKeyInfo
        case "RSA PUBLIC KEY": self = .pkcs1PublicKey
        case "PRIVATE KEY": self = .pkcs8PrivateKey
        case "RSA PRIVATE KEY": self = .pkcs1PrivateKey
        default: return nil
        }
    }

    func read(_ der: Span<UInt8>) throws(OpenSSLFailure) -> KeyItem {
        switch self {
        case .certificate: .certificate(try Certificate(der: der))
        case .subjectPublicKeyInfo: .publicKey(KeyStorage(try PKey(subjectPublicKeyInfo: der)))
        case .pkcs1PublicKey: .publicKey(KeyStorage(try PKey(pkcs1PublicKey: der)))
        case .pkcs8PrivateKey: .privateKey(KeyStorage(try PKey(pkcs8PrivateKey: der)))
        case .pkcs1PrivateKey: .privateKey(KeyStorage(try PKey(pkcs1PrivateKey: der)))
        }
    }
}

extension Span where Element == UInt8 {
    fileprivate func contains(_ octets: [UInt8]) -> Bool {
        guard count >= octets.count else { return false }
        return (0...count - octets.count).contains { start in
            octets.indices.allSatisfy { self[start + $0] == octets[$0] }
        }
    }
}
