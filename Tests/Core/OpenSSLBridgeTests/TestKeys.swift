import Foundation
import HostSystem
import OpenSSLBridge
import TestVectors
import Testing

/// Key files of `Vectors/keys`, as bytes.
enum TestKeys {
    /// Reads a file.
    static func bytes(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: Vectors.key(file))))
    }

    /// Reads the DER inside a PEM file with one block.
    static func der(_ file: String) throws -> [UInt8] {
        let text = String(decoding: try bytes(file), as: UTF8.self)
        let body = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        return Array(try #require(Data(base64Encoded: body)))
    }

    /// Reads a public key by the name that its files share.
    static func publicKey(_ name: String) throws -> PKey {
        let der = try der("\(name).spki.pem")
        return try PKey(subjectPublicKeyInfo: der.span)
    }

    /// Reads a private key by the name that its files share.
    static func privateKey(_ name: String) throws -> PKey {
        let der = try der("\(name).pkcs8.pem")
        return try PKey(pkcs8PrivateKey: der.span)
    }
}

/// A text as secret bytes.
func secret(_ text: String) -> WipedBytes {
    let bytes = Array(text.utf8)
    return WipedBytes(bytes.span)
}

extension WipedBytes {
    /// A copy of the bytes.
    var array: [UInt8] { withSpan { bytes in bytes.indices.map { bytes[$0] } } }
}

/// The records on this thread's error queue, which this empties.
func queuedRecords() -> [String] { OpenSSLFailure("looking at the queue").records }
