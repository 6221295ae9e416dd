import HostSystem
import OpenSSLBridge

/// Recognises Java's key stores, and reads the certificates of the oldest kind, JKS.
///
/// Source: the comments of `sun.security.provider.JavaKeyStore` in OpenJDK. Private keys in a JKS are encrypted in a way
/// that only Java implements; the certificates beside them are not encrypted.
enum JavaKeyStore {
    /// JKS: entries, and a digest over them and the password.
    case jks
    /// JCEKS: JKS with another encryption. Not read here.
    case jceks
    /// BKS and UBER, the stores of Bouncy Castle. Not read here.
    case bouncyCastle

    /// Recognises a store by its first bytes; `nil` if they are not those of one.
    init?(recognising bytes: Span<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        var fields = BigEndianFields(position: 0, end: bytes.count)
        guard let first = fields.number(bytes), let second = fields.number(bytes) else { return nil }
        switch (first, second) {
        case (0xFEED_FEED, _): self = .jks
        case (0xCECE_CECE, _): self = .jceks
        // Bouncy Castle: a version, and the length of the salt.
        case (1...2, 8...64): self = .bouncyCastle
        default: return nil
        }
    }

    /// Reads the certificates of the store in its order; after the entry of a private key come its certificates.
    ///
    /// The parser holds the password, and the file's name for errors. Throws `.unsupported` if the content is not a
    /// JKS.
    func items(of content: WipedBytes, for parser: KeyFileParser) throws(KeyError) -> [KeyItem] {
        switch self {
        case .jks: try Self.certificates(of: content, for: parser)
        case .jceks: throw .otherStore(parser.file, type: "JCEKS", options: "")
        case .bouncyCastle:
            throw .otherStore(
                parser.file, type: "BKS",
                options: " -provider org.bouncycastle.jce.provider.BouncyCastleProvider -providerpath bcprov.jar")
        }
    }

    private static func certificates(
        of content: WipedBytes,
        for parser: KeyFileParser
    ) throws(KeyError) -> [KeyItem] {
        let format = "Java key store (JKS)"
        let file = parser.file
        guard content.count >= 12 + digestLength else {
            throw .unreadable(file: file, reason: "\(format), cut off")
        }
        guard let password = parser.unlocker.password else {
            throw .passwordRequired(file: file, format: "\(format) with an integrity digest")
        }
        guard try hasGoodDigest(content, password: password, file: file) else {
            throw .badPassword(file: file, format: format)
        }
        return try content.withSpan { bytes throws(KeyError) in
            var fields = BigEndianFields(position: 4, end: bytes.count - digestLength)
            var items: [KeyItem] = []
            guard let version = fields.number(bytes), 1...2 ~= version, let count = fields.number(bytes) else {
                throw .unreadable(file: file, reason: "\(format) of an unknown version")
            }
            for _ in 0..<count {
                guard let entry = fields.entry(bytes, version: version) else {
                    throw .unreadable(file: file, reason: "\(format), damaged")
                }
                if entry.hasPrivateKey {
                    items.append(
                        KeyItem(
                            content: .foreignPrivateKey(.javaPrivateKey(file)), format: format, alias: entry.alias))
                }
                for certificate in entry.certificates {
                    items.append(KeyItem(content: certificate, format: format, alias: entry.alias))
                }
            }
            guard fields.isAtEnd else { throw .unreadable(file: file, reason: "\(format), damaged") }
            return items
        }
    }

    /// Checks the digest at the end: SHA-1 over the password in UTF-16, a phrase, and all bytes before the digest.
    private static func hasGoodDigest(
        _ content: WipedBytes,
        password: WipedBytes,
        file: String
    ) throws(KeyError) -> Bool {
        do throws(OpenSSLFailure) {
            let phrase = Array("Mighty Aphrodite".utf8)
            let hashed = WipedBytes(joining: [try password.utf16BigEndian(), WipedBytes(phrase), content])
            let end = hashed.count - digestLength
            let digest = try hashed.withSpan { bytes throws(OpenSSLFailure) in
                try Digest.insecureSHA1.hash(bytes, in: 0..<end)
            }
            return hashed.withSpan { bytes in digest.indices.allSatisfy { bytes[end + $0] == digest[$0] } }
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
    }

    private static let digestLength = 20
}

/// What an entry of a store holds in clear.
private struct JavaEntry {
    let alias: String
    let hasPrivateKey: Bool
    var certificates: [KeyItem.Content]
}

/// Reads the fields that Java's `DataOutputStream` writes.
///
/// It holds positions and not the bytes, since a stored span would need lifetimes.
private struct BigEndianFields {
    private(set) var position: Int
    let end: Int

    var isAtEnd: Bool { position == end }

    mutating func skip(_ count: Int) -> Range<Int>? {
        guard 0...end - position ~= count else { return nil }
        defer { position += count }
        return position..<position + count
    }

    mutating func number(_ bytes: Span<UInt8>) -> Int? {
        guard let range = skip(4) else { return nil }
        return range.reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }

    /// Reads a string prefixed with a two-byte length.
    ///
    /// Java writes a variant of UTF-8 (`writeUTF`), which is read as UTF-8: NUL and characters beyond the BMP differ.
    mutating func text(_ bytes: Span<UInt8>) -> String? {
        guard let length = skip(2) else { return nil }
        guard let range = skip(length.reduce(0) { $0 << 8 | Int(bytes[$1]) }) else { return nil }
        return String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }

    /// Reads an entry: a certificate (tag 2), or a private key with the chain of its certificates (tag 1).
    ///
    /// `nil` if it is damaged. From version 2 of the store on, each certificate has its type before it.
    mutating func entry(_ bytes: Span<UInt8>, version: Int) -> JavaEntry? {
        guard let tag = number(bytes), 1...2 ~= tag, let alias = text(bytes), skip(8) != nil else { return nil }
        var count = 1
        if tag == 1 {
            guard block(bytes) != nil, let length = number(bytes) else { return nil }
            count = length
        }
        var entry = JavaEntry(alias: alias, hasPrivateKey: tag == 1, certificates: [])
        // A wrong count ends at the end of the file: each certificate takes bytes.
        while entry.certificates.count < count {
            guard version == 1 || text(bytes) == "X.509", let range = block(bytes),
                let certificate = try? KeyFormat.certificate.read(bytes.extracting(range))
            else { return nil }
            entry.certificates.append(certificate)
        }
        return entry
    }

    /// Reads the range of bytes prefixed with a four-byte length.
    mutating func block(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard let length = number(bytes) else { return nil }
        return skip(length)
    }
}

extension KeyError {
    fileprivate static func otherStore(_ file: String, type: String, options: String) -> KeyError {
        .unsupported(
            file: file, found: "a Java key store of the type \(type)",
            advice: "convert it: \(conversion(from: type))\(options)")
    }

    fileprivate static func javaPrivateKey(_ file: String) -> KeyError {
        .unsupported(
            file: file, found: "a private key in a Java key store (JKS), which only Java decrypts",
            advice: "convert it: \(conversion(from: "JKS"))")
    }

    private static func conversion(from type: String) -> String {
        "keytool -importkeystore -srckeystore FILE -srcstoretype \(type) -destkeystore NEW.p12 -deststoretype PKCS12"
    }
}
