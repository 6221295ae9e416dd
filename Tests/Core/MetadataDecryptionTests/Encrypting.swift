import EntitlementKeys
import HostSystem
import MetadataDecryption
import OpenSSLBridge
import TestVectors
import Testing

/// Keys of `Vectors/keys`, and values encrypted for them.
enum TestRing {
    static func keys(_ names: String...) throws -> DecryptionKeys { try keys(names) }

    static func keys(_ names: [String]) throws -> DecryptionKeys {
        let paths = names.map { Vectors.key("test-only-\($0).pkcs8.pem") }
        return try DecryptionKeys(contentsOf: paths, allowingWeakKeys: true)
    }

    static func decrypter(_ names: String..., padding: MetadataPadding = .insecurePKCS1v15) throws -> MetadataDecrypter
    {
        MetadataDecrypter(keys: try keys(names), padding: padding)
    }
}

extension DecryptionKeys {
    /// The first key's block length.
    var blockLength: Int { keys.first.map { ($0.bits + 7) / 8 } ?? 0 }

    /// Encrypts a text for the first key, in as few blocks as possible.
    func encrypt(_ text: [UInt8], padding: MetadataPadding = .insecurePKCS1v15, chunk: Int? = nil) throws -> [UInt8] {
        let key = try #require(keys.first)
        let most = chunk ?? blockLength - padding.overhead
        var value: [UInt8] = []
        var rest = text[...]
        repeat {
            let part = Array(rest.prefix(most))
            rest = rest.dropFirst(most)
            value += try key.storage.key.encrypt(part, padding: padding.scheme)
        } while !rest.isEmpty
        return value
    }

    /// Encrypts a whole padded block for the first key, whether its padding is good or not.
    func encrypt(block: [UInt8]) throws -> [UInt8] {
        let key = try #require(keys.first)
        // RSAEP and RSAVP1 are one operation (RFC 8017 §5).
        return try key.storage.key.messageRepresentative(of: block)
    }
}

extension MetadataPadding {
    /// The bytes that the padding takes in a block.
    var overhead: Int {
        switch self {
        case .insecurePKCS1v15: 11
        case .oaepSHA1: 42
        case .oaepSHA256, .oaepSHA256MGF1SHA1: 66
        }
    }
}

extension DecryptionKeys {
    /// Decrypts one block with the first key through the bridge; `nil` if that fails.
    func open(_ block: [UInt8], padding: MetadataPadding) throws -> [UInt8]? {
        let key = try #require(keys.first)
        let blocks = try BlockDecrypter(key: key.storage.key, padding: padding.scheme)
        var text = WipedBuffer(capacity: blocks.blockLength)
        guard try blocks.decrypt(block.span, in: 0..<block.count, into: &text) else { return nil }
        return text.withSpan { bytes in bytes.indices.map { bytes[$0] } }
    }
}
