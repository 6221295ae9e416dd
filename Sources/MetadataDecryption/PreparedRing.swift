import HostSystem
import EntitlementKeys
import OpenSSLBridge

/// The keys of a ring with what libcrypto needs to use them, prepared once.
final class PreparedRing: Sendable {
    let members: [Member]
    /// Lengths of a block, ascending, each once.
    let blockLengths: [Int]
    /// SHA-256 over padding and keys in their order: rings with one identity read every value alike.
    let identity: [UInt8]

    /// One key of the ring.
    final class Member: Sendable {
        let key: DecryptionKey
        fileprivate let blocks: BlockDecrypter

        fileprivate init(_ key: DecryptionKey, _ padding: MetadataPadding) throws(OpenSSLFailure) {
            self.key = key
            blocks = try BlockDecrypter(key: key.storage.key, padding: padding.scheme)
        }

        /// Whether values of a length are whole blocks of this key, and not too many.
        func takes(length: Int) -> Bool {
            length > 0 && length % blocks.blockLength == 0
                && length / blocks.blockLength <= MetadataDecrypter.maximumBlocks
        }

        /// What the key makes of a value.
        ///
        /// Every block is decrypted, whatever became of those before it. One that does not open, or has no text, leaves
        /// a NUL, which no text holds: a bad block, a wrong key and a text that is none go the same way from here on.
        fileprivate func candidate(for ciphertext: Span<UInt8>) throws(OpenSSLFailure) -> WipedBuffer {
            var text = WipedBuffer(capacity: ciphertext.count)
            for start in stride(from: 0, to: ciphertext.count, by: blocks.blockLength) {
                let range = start..<start + blocks.blockLength
                let length = text.count
                let isOpen = try blocks.decrypt(ciphertext, in: range, into: &text)
                if !isOpen || text.count == length { text.append(0) }
            }
            return text
        }
    }

    init(_ keys: DecryptionKeys, _ padding: MetadataPadding) throws(MetadataDecryptionError) {
        guard !keys.keys.isEmpty else { throw .undecided(.noKeys) }
        do throws(OpenSSLFailure) {
            var members: [Member] = []
            for key in keys.keys { members.append(try Member(key, padding)) }
            self.members = members
            let description = Array("\(padding) \(keys.keys.map(\.fingerprint))".utf8)
            identity = try Digest.sha256.hash(description.span, in: 0..<description.count)
        } catch {
            throw .undecided(.backend(error.description))
        }
        blockLengths = Set(members.map { $0.blocks.blockLength }).sorted()
    }

    /// Refuses a length that no key of the ring encrypts to.
    func check(length: Int) throws(MetadataDecryptionError) {
        guard members.contains(where: { $0.takes(length: length) }) else {
            throw .wrongLength(MetadataLength(bytes: length, blockLengths: blockLengths))
        }
    }

    /// Decrypts a value; `nil` where no key reads it.
    ///
    /// Where none does, all keys were tried on all blocks.
    func read(_ ciphertext: Span<UInt8>, as shape: PlausibleText) throws(OpenSSLFailure) -> Reading? {
        let indices = members.indices.filter { members[$0].takes(length: ciphertext.count) }
        var choice = TextChoice(shape)
        for index in indices {
            let candidate = try members[index].candidate(for: ciphertext)
            candidate.withSpan { choice.offer($0, from: index) }
            if choice.isSettled { break }
        }
        if let reading = choice.reading {
            members[reading.index].key.noteUse(success: true)
            return reading
        }
        for index in indices { members[index].key.noteUse(success: false) }
        return nil
    }
}
