import EntitlementKeys
import Foundation
import OpenSSLBridge
import Synchronization
import TestVectors
import Testing

/// Values as a service encrypts them, and runs of `tve decrypt` on them.
enum Decrypting {
    static let newKey = Tool.privateKey
    static let oldKey = Vectors.key("test-only-other-2048.pkcs8.pem")
    static let strangeKey = Vectors.key("test-only-ca-2048.pkcs8.pem")
    static let weakKey = Vectors.key("test-only-issuer-1024.pkcs8.pem")

    static let newLabel = "test-only-issuer-2048.pkcs8.pem"
    static let oldLabel = "test-only-other-2048.pkcs8.pem"

    /// Made once: tests ask for the same values again and again.
    private static let made = Mutex<[[String]: String]>([:])

    /// A text, encrypted in blocks for a key's public half.
    static func encrypted(_ text: String, for key: String = newKey, chunk: Int = 100) throws -> String {
        if let value = made.withLock({ $0[[key, text, "\(chunk)"]] }) { return value }
        let keys = try DecryptionKeys(contentsOfFile: key, allowingWeakKeys: true)
        let storage = try #require(keys.keys.first).storage
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        repeat {
            let part = Array(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
            bytes += try storage.key.encrypt(part, padding: .pkcs1v15)
        } while !rest.isEmpty
        let value = Data(bytes).base64EncodedString()
        made.withLock { $0[[key, text, "\(chunk)"]] = value }
        return value
    }

    /// A block that opens to nothing.
    static func badBlock() throws -> [UInt8] {
        let keys = try DecryptionKeys(contentsOfFile: newKey)
        let block = [0, 1] + [UInt8](repeating: 0xFF, count: 254)
        // RSAEP and RSAVP1 are one operation (RFC 8017 §5).
        return try #require(keys.keys.first).storage.key.messageRepresentative(of: block)
    }

    static func one(_ value: String, _ arguments: String...) async throws -> Tool.Outcome {
        try await Tool.run(["decrypt", "-", "--keys", newKey, oldKey] + arguments, input: value)
    }

    static func batch(_ rows: String, _ arguments: String...) async throws -> Tool.Outcome {
        try await batch(Array(rows.utf8), arguments)
    }

    static func batch(_ rows: [UInt8], _ arguments: [String]) async throws -> Tool.Outcome {
        try await Tool.run(["decrypt", "--batch", "--keys", newKey, oldKey] + arguments, input: rows)
    }
}

extension Tool.Outcome {
    /// The member `_tve` of each line.
    var marks: [[String: Any]] { objects.map { $0["_tve"] as? [String: Any] ?? [:] } }
    /// The code of each line; `ok` if it was decrypted.
    var codes: [String] { marks.map { $0["ok"] as? Bool == true ? "ok" : $0["code"] as? String ?? "?" } }
}
