import HostSystem
import OpenSSLBridge
import OpenSSLReference
import TestVectors
import Testing

@Suite struct DecryptionTests {
    private static let text = Array("77754".utf8)

    private func open(_ block: [UInt8], with decrypter: BlockDecrypter) throws -> [UInt8]? {
        var text = WipedBuffer(capacity: decrypter.blockLength)
        guard try decrypter.decrypt(block.span, in: 0..<block.count, into: &text) else {
            #expect(text.count == 0)
            return nil
        }
        return text.withSpan { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test(arguments: [
        EncryptionPadding.pkcs1v15, .oaep(.insecureSHA1, mgf1: .insecureSHA1), .oaep(.sha256, mgf1: .sha256),
        .oaep(.sha256, mgf1: .insecureSHA1),
    ])
    func `What is encrypted opens`(_ padding: EncryptionPadding) throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let decrypter = try BlockDecrypter(key: key, padding: padding)
        let block = try TestKeys.publicKey("test-only-issuer-2048").encrypt(Self.text, padding: padding)
        #expect(block.count == decrypter.blockLength)
        #expect(try open(block, with: decrypter) == Self.text)
    }

    @Test func `Another padding or key does not open`() throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let block = try key.encrypt(Self.text, padding: .oaep(.sha256, mgf1: .sha256))
        let otherPadding = try BlockDecrypter(key: key, padding: .oaep(.insecureSHA1, mgf1: .insecureSHA1))
        let opened = try open(block, with: otherPadding)
        #expect(opened == nil)
        let otherKey = try BlockDecrypter(
            key: TestKeys.privateKey("test-only-other-2048"), padding: .oaep(.sha256, mgf1: .sha256))
        let openedByOther = try open(block, with: otherKey)
        #expect(openedByOther == nil)
        #expect(queuedRecords().isEmpty)
    }

    /// An error, or made-up bytes under implicit rejection; never the bytes after the padding.
    @Test func `A damaged PKCS#1 block gives nothing of the text`() throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let decrypter = try BlockDecrypter(key: key, padding: .pkcs1v15)
        let padded = [0, 1] + [UInt8](repeating: 0xFF, count: 256 - 3 - Self.text.count) + [0] + Self.text
        let block = try key.messageRepresentative(of: padded)
        let opened = try open(block, with: decrypter)
        #expect(opened != Self.text)
        if !rejectsImplicitly { #expect(opened == nil) }
        #expect(queuedRecords().isEmpty)
    }

    @Test(arguments: [0, 1, 255, 257]) func `Blocks of other lengths are refused`(_ length: Int) throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let decrypter = try BlockDecrypter(key: key, padding: .pkcs1v15)
        let opened = try open([UInt8](repeating: 1, count: length), with: decrypter)
        #expect(opened == nil)
    }

    @Test func `Too little room is an error and not a refusal`() throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let decrypter = try BlockDecrypter(key: key, padding: .pkcs1v15)
        let block = try key.encrypt(Self.text, padding: .pkcs1v15)
        var text = WipedBuffer(capacity: 255)
        let error = #expect(throws: OpenSSLFailure.self) {
            try decrypter.decrypt(block.span, in: 0..<block.count, into: &text)
        }
        #expect(error?.description == "decrypting into too little room failed")
    }

    @Test func `Too long a text is not encrypted`() throws {
        let key = try TestKeys.publicKey("test-only-issuer-2048")
        let text = [UInt8](repeating: 1, count: 256 - 10)
        #expect(throws: OpenSSLFailure.self) { try key.encrypt(text, padding: .pkcs1v15) }
        #expect(queuedRecords().isEmpty)
    }

    @Test func `The reference opens good blocks only`() throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let reference = try ReferenceKey(copying: key)
        let block = try key.encrypt(Self.text, padding: .pkcs1v15)
        #expect(throws: Never.self) { try reference.decrypt(block, rounds: 2) }
        let above = [UInt8](repeating: 0xFF, count: 256)
        #expect(throws: OpenSSLFailure.self) { try reference.decrypt(above, rounds: 2) }
        #expect(queuedRecords().isEmpty)
    }
}
