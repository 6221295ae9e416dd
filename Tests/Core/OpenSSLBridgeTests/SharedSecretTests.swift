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
        let made = try AuthenticationKey(WipedBytes(key), digest: .insecureSHA1).code(of: message)
        #expect(Hex.encode(made) == code)
    }

    /// RFC 4231 §4.3.
    @Test func `Codes with SHA-256 are those of the standard`() throws {
        let (key, message) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        let made = try AuthenticationKey(WipedBytes(key), digest: .sha256).code(of: message)
        #expect(Hex.encode(made) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `A derived key is the code of its message`() throws {
        let (key, message) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        let derived = try AuthenticationKey(WipedBytes(key), digest: .sha256).derivedKey(from: message)
        let bytes = derived.withSpan { bytes in bytes.indices.map { bytes[$0] } }
        #expect(Hex.encode(bytes) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `A key authenticates one message after the other, on all threads at once`() async throws {
        let key = AuthenticationKey(WipedBytes(Array("Jefe".utf8)), digest: .sha256)
        let messages = (0..<200).map { Array("message \($0)".utf8) }
        let alone = try messages.map { message in
            try AuthenticationKey(WipedBytes(Array("Jefe".utf8)), digest: .sha256).code(of: message)
        }
        #expect(Set(alone).count == messages.count)
        try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<8 { group.addTask { try messages.map { message in try key.code(of: message) } } }
            for try await codes in group { #expect(codes == alone) }
        }
    }

    @Test func `A key shows nothing of itself`() {
        let key = AuthenticationKey(WipedBytes(Array("Jefe".utf8)), digest: .sha256)
        var text = ""
        dump(key, to: &text)
        #expect(!text.contains("Jefe") && Mirror(reflecting: key).children.isEmpty)
    }

    @Test func `An empty key authenticates nothing`() {
        let bytes: [UInt8] = []
        let key = AuthenticationKey(WipedBytes(bytes), digest: .insecureSHA1)
        #expect(throws: OpenSSLFailure.self) { try key.code(of: [1]) }
        #expect(throws: OpenSSLFailure.self) { try key.derivedKey(from: bytes) }
        #expect(queuedRecords().isEmpty)
    }

    @Test func `An empty message has a code`() throws {
        let key: [UInt8] = [1], message: [UInt8] = []
        let code = try AuthenticationKey(WipedBytes(key), digest: .sha256).code(of: message)
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
