import EntitlementKeys
import HostSystem
import MetadataDecryption
import OpenSSLReference
import Testing
import TextCodecs

/// Measures the overhead over libcrypto's own decryption, and the time of a repeat; only on request, with the timing tests.
@Suite(.serialized, .enabled(if: Measuring.count != nil, "set TVE_TIMING to a number of decryptions of each kind"))
struct SpeedTests {
    #if os(Linux)
    /// A large memo that has removed and added values many times.
    @Test(arguments: [9, 64])
    func `A memo of many values is small`(_ length: Int) throws {
        let before = try Measuring.residentBytes()
        let memo = MetadataMemo(capacity: 100_000)
        let text = [UInt8](repeating: 0x37, count: length)
        for number in 0..<400_000 {
            let name = Array("\(number)".utf8)
            let key = try MemoKey(name.span, ring: [], shape: .text)
            memo.remember(MemoOutcome(text: KeyText(bytes: WipedBytes(text.span), keyIndex: 0)), for: key)
        }
        let grown = try Measuring.residentBytes() - before
        print("\(memo.count) values of \(length) bytes: \(grown / 1024) KiB")
        #expect(memo.count >= 50_000)
        #expect(grown < 32 << 20)
    }
    #endif

    @Test func `Decrypting is hardly slower than libcrypto`() throws {
        let rounds = min(try #require(Measuring.count), 200)
        let keys = try TestRing.keys("issuer-\(Measuring.bits)")
        let bytes = try (0..<256).map { try keys.encrypt(Array("[\"\(10_000 + $0)\"]".utf8)) }
        let values = bytes.map { Base64.encode($0) }
        let decrypter = MetadataDecrypter(keys: keys)
        let reference = try ReferenceKey(copying: #require(keys.keys.first).storage.key)
        let remembering = MetadataDecrypter(keys: keys, memo: MetadataMemo(capacity: 1000))
        for value in values { _ = try remembering.decrypt(value, of: .zip) }
        var ours: [Double] = []
        var bare: [Double] = []
        var repeats: [Double] = []
        // libcrypto makes a new blinding factor every 32 times, which takes as long as a decryption: one in each run.
        let run = 32
        for round in 0..<rounds {
            let block = bytes[round % 256]
            bare.append(try Measuring.time { try reference.decrypt(block, rounds: run) } / Double(run))
            let first = round % 8 * run
            ours.append(
                try Measuring.time {
                    for value in values[first..<first + run] { _ = try decrypter.decrypt(value, of: .zip) }
                } / Double(run))
            repeats.append(
                try Measuring.time {
                    for value in values { _ = try remembering.decrypt(value, of: .zip) }
                } / 256)
        }
        print(
            "\(Measuring.bits) bits: libcrypto \(TimingTests.microseconds(bare.median)) us, decrypter "
                + "\(TimingTests.microseconds(ours.median)) us (\(bare.median / ours.median) of the rate), repeat "
                + "\(TimingTests.microseconds(repeats.median)) us")
        #expect(bare.median / ours.median >= 0.98)
        #expect(repeats.median < 10_000)
    }
}
