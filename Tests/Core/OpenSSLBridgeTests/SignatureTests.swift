import OpenSSLBridge
import OpenSSLReference
import TestVectors
import Testing

@Suite struct SignatureTests {
    private static let message = Array("a message".utf8)

    /// Usual keys go through `RSAPublicOperation`, the two others through EVP.
    @Test(arguments: ["1024", "2048", "1025", "2048-e32bits"], [Digest.sha256, .insecureSHA1])
    func `A signature belongs to its key and digest`(_ name: String, _ digest: Digest) throws {
        let key = try TestKeys.privateKey("test-only-issuer-\(name)")
        let hash = try digest.hash(Self.message.span, in: 0..<Self.message.count)
        let signature = try key.sign(hash, as: digest)
        #expect(try signature.count == key.signatureLength)
        let verifier = try SignatureVerifier(key: key, digest: digest)
        #expect(try verifier.isValid(signature.span, digest: hash.span))
        var changed = hash
        changed[0] ^= 1
        #expect(try !verifier.isValid(signature.span, digest: changed.span))
        let other = try SignatureVerifier(key: TestKeys.publicKey("test-only-other-2048"), digest: digest)
        #expect(try !other.isValid(signature.span, digest: hash.span))
        #expect(queuedRecords().isEmpty)
    }

    @Test func `A digest of another length is not signed`() throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let short = [UInt8](repeating: 1, count: 31)
        #expect(throws: OpenSSLFailure.self) { try key.sign(short, as: .sha256) }
        #expect(queuedRecords().isEmpty)
    }

    @Test func `A public key signs nothing`() throws {
        let key = try TestKeys.publicKey("test-only-issuer-2048")
        let hash = [UInt8](repeating: 1, count: 32)
        #expect(throws: OpenSSLFailure.self) { try key.sign(hash, as: .sha256) }
        #expect(queuedRecords().isEmpty)
    }

    @Test func `A key that is not RSA verifies nothing`() throws {
        let der = try TestKeys.der("bad/test-only-ec-p256.spki.pem")
        let key = try PKey(subjectPublicKeyInfo: der.span)
        let prepared = try RSAPublicOperation(key: key)
        #expect(prepared == nil)
        #expect(throws: OpenSSLFailure.self) { _ = try SignatureVerifier(key: key, digest: .sha256) }
        #expect(queuedRecords().isEmpty)
    }

    @Test func `PSS signatures are refused`() throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let hash = try Digest.sha256.hash(Self.message.span, in: 0..<Self.message.count)
        let signature = try ReferenceKey(copying: key).signatureWithPSS(over: hash)
        let verifier = try SignatureVerifier(key: key, digest: .sha256)
        #expect(try !verifier.isValid(signature.span, digest: hash.span))
    }

    @Test func `References agree with the verifier`() throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let hash = try Digest.sha256.hash(Self.message.span, in: 0..<Self.message.count)
        let signature = try key.sign(hash, as: .sha256)
        let reference = try ReferenceVerifier(key: ReferenceKey(copying: key))
        let (text, other) = (Self.message, Array("another message".utf8))
        let good = [
            reference.verifyPrepared(signature, of: text),
            reference.verifyUsual(signature, of: text),
        ]
        let bad = [
            reference.verifyPrepared(signature, of: other),
            reference.verifyUsual(signature, of: other),
        ]
        #expect(good == [true, true])
        #expect(bad == [false, false])
        // What the references leave on the queue does not disturb the calls after them.
        #expect(try SignatureVerifier(key: key, digest: .sha256).isValid(signature.span, digest: hash.span))
        #expect(queuedRecords().isEmpty)
    }
}
