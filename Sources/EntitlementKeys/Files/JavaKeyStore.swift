import HostSystem
import OpenSSLBridge

/// Reads Java's key store of old, JKS: certificates under an integrity digest.
///
/// Source: the format as the comments of `sun.security.provider.JavaKeyStore` in OpenJDK document it. Private keys in it
/// are under an encryption of Sun's own, which only Java undoes.
enum JavaKeyStore {
    /// The format that is read here.
    case jks
    /// The same with other encryption, for secret keys.
    case jceks
    /// The stores of Bouncy Castle: BKS and UBER.
    case bouncyCastle

    /// Looks at the first bytes; `nil` where they are those of no such store.
    init?(recognising bytes: Span<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        var fields = BigEndianFields(position: 0, end: bytes.count)
        guard let first = fields.number(bytes), let second = fields.number(bytes) else { return nil }
        switch (first, second) {
        case (0xFEED_FEED, _): self = .jks
        case (0xCECE_CECE, _): self = .jceks
        // Version, and the length of the salt.
        case (1...2, 8...64): self = .bouncyCastle
        default: return nil
        }
    }

    /// Reads all certificates.
    func items(of content: WipedBytes, _ reading: KeyFileParser) throws(KeyError) -> [KeyItem] {
        switch self {
        case .jks: try Self.certificates(of: content, reading)
        case .jceks: throw .otherStore(reading.file, "JCEKS", options: "")
        case .bouncyCastle:
            throw .otherStore(
                reading.file, "BKS",
                options: " -provider org.bouncycastle.jce.provider.BouncyCastleProvider -providerpath bcprov.jar")
        }
    }

    private static func certificates(of content: WipedBytes, _ reading: KeyFileParser) throws(KeyError) -> [KeyItem] {
        let format = "Java key store (JKS)"
        let file = reading.file
        guard content.count >= 12 + digestLength else {
            throw .unreadable(file: file, reason: "\(format), cut off")
        }
        guard let password = reading.unlocker.password else {
            throw .passwordRequired(file: file, format: "\(format) with an integrity digest")
        }
        guard try isWhole(content, password, file) else { throw .badPassword(file: file, format: format) }
        return try content.withSpan { bytes throws(KeyError) in
            var fields = BigEndianFields(position: 4, end: bytes.count - digestLength)
            var items: [KeyItem] = []
            guard let version = fields.number(bytes), 1...2 ~= version, let count = fields.number(bytes) else {
                throw .unreadable(file: file, reason: "\(format) of an unknown version")
            }
            for _ in 0..<count {
                guard let tag = fields.number(bytes), let alias = fields.text(bytes), fields.skip(8) != nil else {
                    throw .unreadable(file: file, reason: "\(format), damaged")
                }
                guard tag == 2 else { throw .javaPrivateKey(file) }
                guard version == 1 || fields.text(bytes) == "X.509", let range = fields.block(bytes),
                    let certificate = try? KeyFormat.certificate.read(bytes.extracting(range))
                else { throw .unreadable(file: file, reason: "\(format), damaged") }
                items.append(KeyItem(content: certificate, format: format, alias: alias))
            }
            guard fields.isAtEnd else { throw .unreadable(file: file, reason: "\(format), damaged") }
            return items
        }
    }

    /// Compares the digest at the end: over the password in UTF-16, a phrase, and all bytes before it.
    private static func isWhole(_ content: WipedBytes, _ password: WipedBytes, _ file: String) throws(KeyError) -> Bool
    {
        do throws(OpenSSLFailure) {
            let phrase = Array("Mighty Aphrodite".utf8)
            let hashed = WipedBytes(joining: [try password.utf16BigEndian(), WipedBytes(phrase.span), content])
            let end = hashed.count - digestLength
            let digest = try hashed.withSpan { bytes throws(OpenSSLFailure) in
                try Digest.legacySHA1.hash(bytes, in: 0..<end)
            }
            return hashed.withSpan { bytes in digest.indices.allSatisfy { bytes[end + $0] == digest[$0] } }
        } catch {
            throw .unreadable(file: file, reason: error.description)
        }
    }

    private static let digestLength = 20
}

/// Reads the fields that Java's `DataOutputStream` writes, by position: a stored span would need lifetimes.
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

    /// A text behind its length of two bytes.
    ///
    /// Java's own UTF-8 is read as UTF-8, which differs for rare characters.
    mutating func text(_ bytes: Span<UInt8>) -> String? {
        guard let length = skip(2) else { return nil }
        guard let range = skip(length.reduce(0) { $0 << 8 | Int(bytes[$1]) }) else { return nil }
        return String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }

    /// Bytes behind their length of four bytes.
    mutating func block(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard let length = number(bytes) else { return nil }
        return skip(length)
    }
}

extension KeyError {
    fileprivate static func otherStore(_ file: String, _ type: String, options: String) -> KeyError {
        .unsupported(
            file: file, found: "a Java key store of the type \(type)",
            advice: "convert it: \(conversion(from: type))\(options)")
    }

    fileprivate static func javaPrivateKey(_ file: String) -> KeyError {
        .unsupported(
            file: file, found: "a Java key store (JKS) with a private or secret key, which only Java decrypts",
            advice: "convert it: \(conversion(from: "JKS"))")
    }

    private static func conversion(from type: String) -> String {
        "keytool -importkeystore -srckeystore FILE -srcstoretype \(type) -destkeystore NEW.p12 -deststoretype PKCS12"
    }
}
