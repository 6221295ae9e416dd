import EntitlementKeys
import HostSystem
import MetadataDecryption
import OpenSSLBridge
import Testing
import TextCodecs

@Suite struct MetadataMemoTests {
    static func key(_ number: Int, ring: UInt8 = 0, shape: PlausibleText = .text) throws -> MemoKey {
        let bytes = Array("\(number)".utf8)
        return try MemoKey(bytes.span, ring: [UInt8](repeating: ring, count: 32), shape: shape)
    }

    static func outcome(_ text: String, index: Int = 0) -> MemoOutcome {
        let bytes = Array(text.utf8)
        return MemoOutcome(text: KeyText(bytes: WipedBytes(bytes.span), keyIndex: index))
    }

    @Test func `Repeats need no key`() throws {
        let ring = try TestRing.keys("other-2048", "issuer-2048")
        let memo = MetadataMemo(capacity: 10)
        let decrypter = MetadataDecrypter(keys: ring, memo: memo)
        let bytes = try TestRing.keys("issuer-2048").encrypt(Array("77754".utf8))
        // Another spelling of one value is the same value.
        for value in [Base64.encode(bytes), Base64.encodeURLSafe(bytes), Base64.encode(bytes)] {
            let read = try decrypter.decrypt(value, of: .zip)
            #expect(read.text == "77754")
            #expect(read.key.label == "test-only-issuer-2048.pkcs8.pem")
        }
        #expect(ring.keys.map { $0.use.successes } == [0, 1])
        #expect(memo.count == 1)
        memo.removeAll()
        #expect(memo.count == 0)
        _ = try decrypter.decrypt(Base64.encode(bytes), of: .zip)
        #expect(ring.keys.map { $0.use.successes } == [0, 2])
    }

    @Test func `Failures are remembered and mistakes are not`() throws {
        let ring = try TestRing.keys("issuer-2048")
        let memo = MetadataMemo(capacity: 10)
        let decrypter = MetadataDecrypter(keys: ring, memo: memo)
        let value = Base64.encode(try TestRing.keys("other-2048").encrypt(Array("77754".utf8)))
        for _ in 0..<3 {
            #expect(throws: MetadataDecryptionError.undecryptable) { try decrypter.decrypt(value) }
            #expect(throws: MetadataDecryptionError.notBase64) { try decrypter.decrypt("?") }
        }
        #expect(ring.keys[0].use.failures == 1)
        #expect(memo.count == 1)
    }

    @Test func `Nothing is mixed up`() throws {
        let memo = MetadataMemo(capacity: 100)
        let bytes = try TestRing.keys("issuer-2048").encrypt(Array("a text that is not a ZIP code".utf8))
        let value = Base64.encode(bytes)
        let reads = MetadataDecrypter(keys: try TestRing.keys("issuer-2048"), memo: memo)
        let second = MetadataDecrypter(keys: try TestRing.keys("other-2048", "issuer-2048"), memo: memo)
        let cannot = MetadataDecrypter(keys: try TestRing.keys("other-2048"), memo: memo)
        let padded = MetadataDecrypter(keys: try TestRing.keys("issuer-2048"), padding: .oaepSHA1, memo: memo)
        for _ in 0..<2 {
            #expect(try reads.decrypt(value).key.label == "test-only-issuer-2048.pkcs8.pem")
            #expect(try second.decrypt(value).key.label == "test-only-issuer-2048.pkcs8.pem")
            #expect(try second.decrypt(value, of: .userID).text == "a text that is not a ZIP code")
            #expect(throws: MetadataDecryptionError.undecryptable) { try reads.decrypt(value, of: .zip) }
            #expect(throws: MetadataDecryptionError.undecryptable) { try cannot.decrypt(value) }
            #expect(throws: MetadataDecryptionError.undecryptable) { try padded.decrypt(value) }
        }
        #expect(memo.count == 5)
    }

    @Test func `A repeat of a block is another value`() throws {
        let keys = try TestRing.keys("issuer-2048")
        let decrypter = MetadataDecrypter(keys: keys, memo: MetadataMemo(capacity: 10))
        let bytes = try keys.encrypt(Array("77754,".utf8))
        #expect(try decrypter.decrypt(Base64.encode(bytes)).text == "77754,")
        #expect(try decrypter.decrypt(Base64.encode(bytes + bytes)).text == "77754,77754,")
    }

    @Test func `Capacity is never exceeded`() throws {
        for capacity in [-1, 0, 1, 2, 3, 10, 100] {
            let memo = MetadataMemo(capacity: capacity)
            for number in 0..<500 {
                memo.remember(Self.outcome("\(number)"), for: try Self.key(number))
                #expect(memo.count <= max(capacity, 0))
            }
            let known = try (0..<500).filter { memo.outcome(for: try Self.key($0)) != nil }
            if capacity > 0 { #expect(known.contains(499)) }
            #expect(memo.count <= max(capacity, 0))
        }
    }

    @Test func `What is used stays`() throws {
        let memo = MetadataMemo(capacity: 20)
        for number in 0..<1000 {
            memo.remember(Self.outcome("\(number)"), for: try Self.key(number))
            #expect(memo.outcome(for: try Self.key(0))?.text?.string == "0")
        }
        #expect(memo.outcome(for: try Self.key(1)) == nil)
    }

    @Test func `Texts are bounded together`() throws {
        let memo = MetadataMemo(capacity: 100)
        let long = String(repeating: "x", count: 1000)
        for number in 0..<100 { memo.remember(Self.outcome(long), for: try Self.key(number)) }
        // 64 bytes for each of 100 values.
        #expect(1...7 ~= memo.count)
        memo.removeAll()
        let longer = String(repeating: "x", count: 4000)
        memo.remember(Self.outcome(longer), for: try Self.key(1))
        #expect(memo.count == 0)
        // Even a small memo has room for a value of several blocks.
        let small = MetadataMemo(capacity: 2)
        small.remember(Self.outcome(long), for: try Self.key(1))
        #expect(small.count == 1)
    }

    @Test func `Forgetting releases the texts`() throws {
        let memo = MetadataMemo(capacity: 4)
        weak var text: WipedBytes?
        try {
            let outcome = Self.outcome("77754")
            text = outcome.text?.bytes
            memo.remember(outcome, for: try Self.key(0))
        }()
        #expect(text != nil)
        for number in 1...8 { memo.remember(Self.outcome("x"), for: try Self.key(number)) }
        #expect(text == nil)
    }

    @Test func `Keys depend on everything`() throws {
        let keys = [
            try Self.key(1), try Self.key(2), try Self.key(1, ring: 1), try Self.key(1, shape: .postalCodes),
        ]
        #expect(Set(keys).count == 4)
        #expect(try Self.key(1) == keys[0])
    }
}
