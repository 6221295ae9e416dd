import EntitlementKeys
import MetadataDecryption
import OpenSSLBridge
import RowBatches
import TestVectors
import TextCodecs

extension BatchRows {
    /// Cuts a text into pieces, and answers one after the other.
    func answers(toText text: String) async -> [BatchOutput] { await answers(toBytes: Array(text.utf8)) }

    /// The same for an input that is no text.
    func answers(toBytes bytes: [UInt8]) async -> [BatchOutput] {
        var cutter = LineCutter(limits: limits)
        cutter.add(bytes)
        cutter.finish(isCut: false)
        var outputs: [BatchOutput] = []
        while let piece = cutter.next() { outputs.append(await answers(to: piece)) }
        return outputs
    }

    /// All answers to a text, one after the other.
    func output(for text: String) async -> String {
        String(decoding: await answers(toText: text).flatMap(\.bytes), as: UTF8.self)
    }

    /// The answers to a text, as lines.
    func lines(for text: String) async -> [String] {
        await output(for: text).split(separator: "\n").map(String.init)
    }
}

/// Values that a service would encrypt, and what decrypts them.
enum Encrypted {
    static let label = "test-only-issuer-2048.pkcs8.pem"

    static var keys: DecryptionKeys {
        get throws { try DecryptionKeys(contentsOfFile: Vectors.key(label)) }
    }

    /// The Base64 of a short text, encrypted for the key.
    static func value(_ text: String) throws -> String {
        let block = try keys.keys[0].storage.key.encrypt(Array(text.utf8), padding: .pkcs1v15)
        return Base64.encode(block)
    }

    static func decrypter(parses: Bool = false, pseudonyms: Pseudonyms? = nil) throws -> ValueDecrypter {
        ValueDecrypter(
            decrypter: MetadataDecrypter(keys: try keys),
            form: PlainTextForm(parses: parses, pseudonyms: pseudonyms))
    }

    static let limits = LineCutter.Limits(maximumLineLength: 1 << 16, maximumLines: 4)

    /// The member `_tve` of a row that was decrypted.
    static let mark = "\"_tve\":{\"ok\":true,\"key\":\"\(label)\"}"
}
