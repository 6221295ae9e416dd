import EntitlementKeys
package import HostSystem
import OpenSSLBridge
import TextCodecs

/// The keys of a ring, each with a libcrypto context that is prepared once.
final class PreparedRing: Sendable {
    let members: [Member]
    /// The block lengths of the keys, in bytes, ascending, without repeats.
    let blockLengths: [Int]
    /// SHA-256 over the padding and the keys in their order: rings with the same identity decrypt every value alike.
    let identity: [UInt8]

    /// One key of the ring.
    final class Member: Sendable {
        let key: DecryptionKey
        fileprivate let blocks: BlockDecrypter

        fileprivate init(_ key: DecryptionKey, _ padding: MetadataPadding) throws(OpenSSLFailure) {
            self.key = key
            blocks = try BlockDecrypter(key: key.storage.key, padding: padding.scheme)
        }

        /// Whether values of a length consist of whole blocks of this key, and not too many of them.
        func takes(length: Int) -> Bool {
            length > 0 && length % blocks.blockLength == 0
                && length / blocks.blockLength <= MetadataDecrypter.maximumBlocks
        }

        /// Decrypts all blocks of a value with this key.
        ///
        /// Every block is decrypted, even if one before it failed. A block that fails or is empty leaves a NUL, which makes
        /// the text implausible. So a bad block, a wrong key and an implausible text take the same path from here on.
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
            identity = try Digest.sha256.hash(description)
        } catch {
            throw .undecided(.backend(error.description))
        }
        blockLengths = Set(members.map { $0.blocks.blockLength }).sorted()
    }

    /// Refuses with `.wrongLength` a length that fits no key of the ring.
    ///
    /// `value` is the text that the bytes were decoded from, which may say why they do not fit.
    func check(_ ciphertext: Span<UInt8>, of value: Span<UInt8>) throws(MetadataDecryptionError) {
        let length = ciphertext.count
        guard members.contains(where: { $0.takes(length: length) }) else {
            let encoding = EncryptedValue.encoding(of: value, decodedTo: ciphertext)
            throw .wrongLength(MetadataLength(bytes: length, blockLengths: blockLengths, encoding: encoding))
        }
    }

    /// Decrypts a value with the keys whose size fits; `nil` if there is no text.
    ///
    /// In that case every fitting key was tried on every block.
    func decrypt(_ ciphertext: Span<UInt8>, as shape: PlausibleText) throws(OpenSSLFailure) -> KeyText? {
        let indices = members.indices.filter { members[$0].takes(length: ciphertext.count) }
        var choice = TextChoice(shape)
        for index in indices {
            let candidate = try members[index].candidate(for: ciphertext)
            candidate.withSpan { choice.offer($0, from: index) }
            if choice.isSettled { break }
        }
        if let chosen = choice.chosen {
            members[chosen.keyIndex].key.noteUse(success: true)
            return chosen
        }
        for index in indices { members[index].key.noteUse(success: false) }
        return nil
    }
}

/// The text of a value, and which key of the ring decrypted it.
package struct KeyText: Sendable {
    /// The text in UTF-8, overwritten when released.
    package let bytes: WipedBytes
    /// The key, as an index into the ring.
    package let keyIndex: Int

    package init(bytes: WipedBytes, keyIndex: Int) {
        self.bytes = bytes
        self.keyIndex = keyIndex
    }

    /// The text as a string; `nil` if it is not UTF-8, which a chosen text always is.
    package var string: String? {
        bytes.withSpan { String(validating: $0) }
    }
}

/// Chooses between the bytes that the keys of a ring decrypt one value to.
///
/// A text of certain plausibility decides at once. Otherwise the most plausible text is chosen. If several are equally
/// plausible, none is: a wrong text in a million rows is worse than a row that is reported as undecryptable.
package struct TextChoice {
    private let shape: PlausibleText
    private var best: KeyText?
    private var plausibility = Plausibility.none
    private var isTie = false

    package init(_ shape: PlausibleText) { self.shape = shape }

    /// Whether further keys cannot change the choice.
    package var isSettled: Bool { plausibility == .certain }

    /// The chosen text; `nil` if there is none.
    package var chosen: KeyText? { isTie ? nil : best }

    /// Considers what one key, given as an index into the ring, decrypted the value to.
    package mutating func offer(_ bytes: Span<UInt8>, from index: Int) {
        let offered = shape.plausibility(of: bytes)
        guard offered != .none, offered >= plausibility else { return }
        isTie = offered == plausibility
        best = KeyText(bytes: WipedBytes(bytes), keyIndex: index)
        plausibility = offered
    }
}
