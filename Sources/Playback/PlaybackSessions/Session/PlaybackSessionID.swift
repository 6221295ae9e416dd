import OpenSSLBridge
import TextCodecs

/// The name of a playback session: 128 random bits, written as 22 characters of Base64url.
///
/// A renewed session keeps its ID, so revoking the ID ends the session in all its texts. The ID opens no stream: it may
/// be logged.
public struct PlaybackSessionID: Sendable, Hashable, CustomStringConvertible {
    /// How many bytes an ID has.
    public static let length = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// Takes the bytes of an ID; `nil` unless there are 16.
    ///
    /// - Parameter bytes: The 16 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Reads the text that ``description`` gives; `nil` for any other.
    ///
    /// - Parameter text: 22 characters of Base64url (RFC 4648 §5), without padding.
    public init?(text: String) {
        let ascii = Array(text.utf8)
        guard ascii.allSatisfy(\.isURLSafe), let bytes = Base64.decode(ascii, options: [.urlSafe, .unpadded]) else {
            return nil
        }
        self.init(bytes)
    }

    /// Draws a new ID.
    ///
    /// - Returns: The ID.
    /// - Throws: `.undecided` if the random generator fails.
    public static func random() throws(PlaybackSessionError) -> PlaybackSessionID {
        let drawn = try PlaybackSessionError.mapping { () throws(OpenSSLFailure) in
            PlaybackSessionID(try randomBytes(length))
        }
        guard let drawn else { throw .undecided(reason: "libcrypto gave too few random bytes") }
        return drawn
    }

    /// The 22 characters.
    public var description: String { Base64.encodeURLSafe(bytes) }
}
