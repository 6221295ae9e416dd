import EntitlementValues
package import HostSystem
import TextCodecs

/// Reads secrets that are the bytes of a file, which no other user may have written.
package enum SecretFile {
    /// How many bytes a file with a secret may have.
    package static let maximumSize = 4096
    /// How many bytes a key of HMAC-SHA-256 must have: as many as the hash (RFC 2104 §3).
    package static let minimumKeySize = 32
    /// The command that makes a key which only its owner may read: OpenSSL itself would let everybody read it.
    package static let makingKey = "(umask 077 && openssl rand -out FILE \(minimumKeySize))"

    /// Reads a key of HMAC-SHA-256: all bytes of a file of 32 to 4096 bytes, including a line end.
    package static func key(_ path: String) throws(SecretFileFailure) -> WipedBytes {
        let key = try rethrowing(
            Files.readSecret(path, maximumSize: maximumSize), as: SecretFileFailure.unreadable)
        guard key.count >= minimumKeySize else { throw .keyTooSmall(count: key.count) }
        return key
    }

    /// Reads a password or another secret text: a file of at most 4096 bytes, without one line end at its end.
    ///
    /// The text may be empty. A file that begins with a byte order mark is refused: the mark would be part of the
    /// secret, and the secret be called wrong.
    package static func text(_ path: String) throws(FileFailure) -> WipedBytes {
        try text(in: Files.readSecret(path, maximumSize: maximumSize))
    }

    /// Takes a secret text from all bytes of a file, without one line end at its end.
    ///
    /// Throws if an editor has added what would be part of the secret, or chosen another encoding.
    package static func text(in content: WipedBytes) throws(FileFailure) -> WipedBytes {
        let fault: String? = content.withSpan { bytes in
            if bytes.afterByteOrderMark.lowerBound > 0 {
                return
                    "begins with a byte order mark, which would be part of the secret; write it without one, as with "
                    + "printf %s, or as UTF-8 without BOM"
            }
            // No other NUL means UTF-16: some secrets are bytes.
            let hasMark = bytes.looksLikeUTF16 && bytes[0] != 0 && bytes[1] != 0
            return hasMark ? "is \(ForeignEncoding.utf16)" : nil
        }
        if let fault { throw FileFailure(reason: fault) }
        return content.droppingLineEnd()
    }

    /// Reads a secret text, without one line end at its end, from an open descriptor, which stays open.
    ///
    /// The descriptor must give at most 4096 bytes.
    package static func text(descriptor: Int32) throws(FileFailure) -> WipedBytes {
        try text(in: Files.read(descriptor: descriptor, maximumSize: maximumSize))
    }
}

/// Says why a file does not hold a usable key.
package enum SecretFileFailure: Error, Sendable, Hashable {
    /// The file could not be read, or is too large.
    case unreadable(FileFailure)
    /// The file has too few bytes.
    case keyTooSmall(count: Int)
}

extension SecretFileFailure: CustomStringConvertible {
    /// What is wrong, without the name of the file.
    package var description: String {
        switch self {
        case .unreadable(let failure): failure.reason
        case .keyTooSmall(let count):
            "\(count) bytes are too few for a key; make one with: \(SecretFile.makingKey)"
        }
    }
}

extension WipedBytes {
    /// Copies all bytes but one LF or CR LF at the end.
    fileprivate func droppingLineEnd() -> WipedBytes {
        withSpan { bytes in
            var end = bytes.count
            if end > 0, bytes[end - 1] == UInt8(ascii: "\n") {
                end -= 1
                if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            }
            return WipedBytes(bytes.extracting(0..<end))
        }
    }
}
