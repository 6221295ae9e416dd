import OpenSSLBridge
import TestVectors
import Testing
import TextCodecs

@Suite struct DigestTests {
    /// FIPS 180-4, the examples that NIST publishes for "abc" and the empty message.
    @Test(arguments: [
        (Digest.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.insecureSHA1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.insecureSHA1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ])
    func `Known answers`(_ digest: Digest, _ text: String, _ expected: String) throws {
        let bytes = Array(text.utf8)
        let hash = try digest.hash(bytes.span, in: 0..<bytes.count)
        #expect(Hex.encode(hash) == expected)
        #expect(hash.count == digest.length)
    }

    @Test func `Only the range is hashed`() throws {
        let bytes = Array("xxabcxx".utf8)
        let hash = try Digest.insecureSHA1.hash(bytes.span, in: 2..<5)
        #expect(Hex.encode(hash) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    /// RFC 8017 §9.2, note 1.
    @Test func `Digest info prefixes are those of the standard`() {
        #expect(Hex.encode(Digest.sha256.digestInfoPrefix) == "3031300d060960864801650304020105000420")
        #expect(Hex.encode(Digest.insecureSHA1.digestInfoPrefix) == "3021300906052b0e03021a05000414")
    }

    @Test func `Digests in place are equal if all bytes are`() {
        let bytes = [UInt8](0..<32)
        let digest = SHA256Digest(bytes.span)
        #expect(digest == SHA256Digest(bytes.span))
        #expect(digest.words.0 == 0x0001_0203_0405_0607)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            let changed = SHA256Digest(other.span)
            #expect(changed != digest)
        }
    }
}
