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

    /// Looks at the first octets; `nil` where they are those of no such store.
    init?(recognising octets: Span<UInt8>) {
        guard octets.count >= 8 else { return nil }
        var fields = BigEndianFields(position: 0, end: octets.count)
        guard let first = fields.number(octets), let second = fields.number(octets) else { return nil }
        switch (first, second) {
        case (0xFEED_FEED, _): self = .jks
        case (0xCECE_CECE, _): self = .jceks
        // Version, and the length of the salt.
        case (1...2, 8...64): self = .bouncyCastle
        default: return nil
        }
    }

    /// Reads all certificates.
    func items(of content: WipedBytes, _ reading: KeyReading) throws(KeyError) -> [KeyItem] {
        switch self {
        case .jks: try Self.certificates(of: content, reading)
        case .jceks: throw .otherStore(reading.file, "JCEKS", options: "")
        case .bouncyCastle:
            throw .otherStore(
                reading.file, "BKS",
                options: " -provider org.bouncycastle.jce.provider.BouncyCastleProvider -providerpath bcprov.jar")
        }
    }

    private static func certificates(of content: WipedBytes, _ reading: KeyReading) throws(KeyError) -> [KeyItem] {
        let format = "Java key store (JKS)"
        let file = reading.file
        guard content.count >= 12 + digestLength else {
            throw .unreadable(file: file, reason: "\(format), cut off")
        }
        guard let password = reading.unlocker.password else {
            throw .passwordRequired(file: file, format: "\(format) with an integrity digest")
        }
        guard try isWhole(content, password, file) else { throw .badPassword(file: file, format: format) }
        return try content.withSpan { octets throws(KeyError) in
            var fields = BigEndianFields(position: 4, end: octets.count - digestLength)
            var items: [KeyItem] = []
            guard let version = fields.number(octets), 1...2 ~= version, let count = fields.number(octets) else {
                throw .unreadable(file: file, reason: "\(format) of an unknown version")
            }
            for _ in 0..<count {
                guard let tag = fields.number(octets), let alias = fields.text(octets), fields.skip(8) != nil else {
                    throw .unreadable(file: file, reason: "\(format), damaged")
                }
                guard tag == 2 else { throw .javaPrivateKey(file) }
                guard version == 1 || fields.text(octets) == "X.509", let range = fields.block(octets),
                    let certificate = try? KeyFormat.certificate.read(octets.extracting(range))
                else { throw .unreadable(file: file, reason: "\(format), damaged") }
                items.append(KeyItem(content: certificate, format: format, alias: alias))
            }
            guard fields.isAtEnd else { throw .unreadable(file: file, reason: "\(format), damaged") }
            return items
        }
    }

    /// Compares the digest at the end: over the password in UTF-16, a phrase, and all octets before it.
    private static func isWhole(_ content: WipedBytes, _ password: WipedBytes, _ file: String) throws(KeyError) -> Bool
    {
        do throws(OpenSSLFailure) {
            let phrase = Array("Mighty Aphrodite".utf8)
            let hashed = WipedBytes(joining: [try password.utf16BigEndian(), WipedBytes(phrase.span), content])
            let end = hashed.count - digestLength
            let digest = try hashed.withSpan { octets throws(OpenSSLFailure) in
                try Digest.legacySHA1.hash(octets, in: 0..<end)
            }
            return hashed.withSpan { octets in digest.indices.allSatisfy { octets[end + $0] == digest[$0] } }
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

    mutating func number(_ octets: Span<UInt8>) -> Int? {
        guard let range = skip(4) else { return nil }
        return range.reduce(0) { $0 << 8 | Int(octets[$1]) }
    }

    /// A text behind its length of two octets.
    ///
    /// Java's own UTF-8 is read as UTF-8, which differs for rare characters.
    mutating func text(_ octets: Span<UInt8>) -> String? {
        guard let length = skip(2) else { return nil }
        guard let range = skip(length.reduce(0) { $0 << 8 | Int(octets[$1]) }) else { return nil }
        return String(decoding: range.map { octets[$0] }, as: UTF8.self)
    }

    /// Octets behind their length of four octets.
    mutating func block(_ octets: Span<UInt8>) -> Range<Int>? {
        guard let length = number(octets) else { return nil }
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
