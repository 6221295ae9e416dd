package import HostSystem
import OpenSSLBridge

/// A file as it was when a key or a secret was read from it, to find out later whether it still holds it.
///
/// Of what the file held, only a digest is kept.
package struct ReadFile: Sendable {
    package let path: String
    /// SHA-256 of its bytes; `nil` for a pipe or a device, which gives its bytes once.
    private let digest: [UInt8]?

    /// Notes what was read; throws `.undecided` if libcrypto failed.
    ///
    /// `content` is all bytes that the file gave.
    package init(_ path: String, holding content: WipedBytes) throws(KeyError) {
        self.path = path
        guard (try? Files.kind(of: path)) != .stream else {
            self.digest = nil
            return
        }
        guard let found = Self.digest(of: content) else {
            throw .undecided(file: path, reason: "its digest could not be calculated; try again")
        }
        digest = found
    }

    /// Whether the file is there and has the same bytes, as far as that can be known.
    ///
    /// It cannot be known if the file cannot be read for a reason that passes (`FileFailure.isPassing`). Everything else is
    /// a change: other bytes, none, too many, and a folder, a pipe, a device or a loop of links in the file's place. Of what
    /// was a pipe or a device, it is only known that there still is one.
    package var isUnchanged: Bool {
        guard let digest else { return (try? Files.kind(of: path)) == .stream }
        do throws(FileFailure) {
            let content = try Files.read(path, maximumSize: Self.maximumSize, silence: nil)
            // Without memory for a digest, too, it is not known.
            return Self.digest(of: content).map { $0 == digest } ?? true
        } catch {
            return error.isPassing
        }
    }

    private static func digest(of content: WipedBytes) -> [UInt8]? {
        content.withSpan { bytes in try? Digest.sha256.hash(bytes, in: 0..<bytes.count) }
    }

    /// No file that keys or secrets are read from is larger.
    private static let maximumSize = 1 << 20
}
