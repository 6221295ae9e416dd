import HostSystem
import OpenSSLBridge
import TestVectors
import Testing
import TextCodecs

@Suite struct SharedSecretTests {
    /// RFC 2202 §3, cases 1, 2 and 6.
    @Test(arguments: [
        (String(repeating: "0b", count: 20), "4869205468657265", "b617318655057264e28bc0b6fb378c8ef146be00"),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        ),
        (
            String(repeating: "aa", count: 80),
            "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
            "aa4ae5e15272d00e95705637ce8a3b55ed402112"
        ),
    ])
    func `Codes are those of the standard`(_ key: String, _ message: String, _ code: String) throws {
        let (key, message) = (Vectors.bytes(hexadecimal: key), Vectors.bytes(hexadecimal: message))
        let made = try authenticationCode(of: message, key: WipedBytes(key), digest: .legacySHA1)
        #expect(Hex.encode(made) == code)
    }

    /// RFC 4231 §4.3.
    @Test func `Codes with SHA-256 are those of the standard`() throws {
        let (key, message) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        let made = try authenticationCode(of: message, key: WipedBytes(key), digest: .sha256)
        #expect(Hex.encode(made) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `A derived key is the code of its message`() throws {
        let (key, message) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        let derived = try derivedKey(from: message, key: WipedBytes(key), digest: .sha256)
        let bytes = derived.withSpan { bytes in bytes.indices.map { bytes[$0] } }
        #expect(Hex.encode(bytes) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(throws: OpenSSLFailure.self) { try derivedKey(from: message, key: WipedBytes([]), digest: .sha256) }
    }

    @Test func `An empty key authenticates nothing`() {
        let bytes: [UInt8] = []
        #expect(throws: OpenSSLFailure.self) {
            try authenticationCode(of: bytes, key: WipedBytes(bytes), digest: .legacySHA1)
        }
        #expect(queuedRecords().isEmpty)
    }

    @Test func `An empty message has a code`() throws {
        let key: [UInt8] = [1], message: [UInt8] = []
        let code = try authenticationCode(of: message, key: WipedBytes(key), digest: .sha256)
        #expect(code.count == 32)
    }

    @Test func `Comparison looks at every byte`() {
        let bytes = [UInt8](0..<20)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            let isEqual = isEqualInConstantTime(bytes, other)
            #expect(!isEqual)
        }
        let shorter = Array(bytes.dropLast())
        let empty: [UInt8] = []
        let (same, cut, none) = (
            isEqualInConstantTime(bytes, bytes), isEqualInConstantTime(bytes, shorter),
            isEqualInConstantTime(empty, empty)
        )
        #expect(same)
        #expect(!cut)
        #expect(none)
    }

    @Test func `Random bytes are as many as asked for and differ`() throws {
        #expect(try randomBytes(0).isEmpty)
        #expect(try randomBytes(33).count == 33)
        #expect(try randomBytes(32) != randomBytes(32))
        #expect(throws: OpenSSLFailure.self) { try randomBytes(-1) }
    }
}
