import OpenSSLBridge
import OpenSSLReference
import TestVectors
import Testing
import TextCodecs

/// The second implementation of RSA verification against EVP, which everything else is left to.
@Suite struct RSAPublicOperationTests {
    @Test(arguments: [
        ("test-only-issuer-1024", true), ("test-only-issuer-2048", true), ("test-only-issuer-3072", true),
        ("test-only-issuer-4096", true), ("test-only-issuer-8192", true), ("test-only-issuer-2048-e3", true),
        ("test-only-issuer-1025", false), ("test-only-issuer-2048-e32bits", false),
    ])
    func `Usual keys take it and others do not`(_ name: String, _ expected: Bool) throws {
        let key = try TestKeys.publicKey(name)
        let usual = try SignatureVerifier(key: key, digest: .sha256)
        let isUsed = usual.usesRSAPublicOperation
        #expect(isUsed == expected)
        let evp = try SignatureVerifier(key: key, digest: .sha256, allowingRSAPublicOperation: false)
        let isUsedAnyway = evp.usesRSAPublicOperation
        #expect(!isUsedAnyway)
    }

    @Test(arguments: ["1024", "2048", "2048-e3", "2048-high", "3072", "4096"], [Digest.sha256, .insecureSHA1])
    func `Both accept what the key signed and nothing near it`(_ name: String, _ digest: Digest) throws {
        let pair = try Pair("test-only-issuer-\(name)", digest)
        let message = Array("a message".utf8)
        let hash = try digest.hash(message.span, in: 0..<message.count)
        let signature = try pair.privateKey.sign(hash, as: digest)
        #expect(try pair.verdicts(signature, hash) == [true, true])
        for bit in 0..<signature.count * 8 where bit % 7 == 0 || bit < 64 {
            var altered = signature
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try pair.verdicts(altered, hash) == [false, false], "bit \(bit)")
        }
        for bit in 0..<hash.count * 8 where bit % 5 == 0 {
            var altered = hash
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try pair.verdicts(signature, altered) == [false, false], "bit \(bit) of the digest")
        }
        #expect(try pair.verdicts([0] + signature.dropLast(), hash) == [false, false])
        #expect(try pair.verdicts([0] + signature, hash) == [false, false])
        #expect(try pair.verdicts(Array(signature.dropLast()), hash) == [false, false])
        #expect(try pair.verdicts([], hash) == [false, false])
        #expect(try pair.verdicts(signature, Array(hash.dropLast())) == [false, false])
        #expect(try pair.verdicts(signature, []) == [false, false])
    }

    /// Blocks that a lenient reader of padding takes for the encoded message.
    @Test(arguments: ["1024", "2048", "2048-e3"])
    func `No other block is the encoded message`(_ name: String) throws {
        let pair = try Pair("test-only-issuer-\(name)", .sha256)
        let hash = [UInt8](repeating: 0xA5, count: 32)
        let information: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
            0x20,
        ]
        let withoutNULL: [UInt8] = [
            0x30, 0x2F, 0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x04, 0x20,
        ]
        func block(_ type: UInt8, _ filler: UInt8, _ content: [UInt8], trailing: [UInt8] = []) -> [UInt8] {
            let filling = [UInt8](repeating: filler, count: pair.length - 3 - content.count - trailing.count)
            return [0, type] + filling + [0] + content + trailing
        }
        let good = block(1, 0xFF, information + hash)
        #expect(try pair.verdicts(pair.signature(overBlock: good), hash) == [true, true])
        let garbage = [UInt8](repeating: 0x11, count: 24)
        for bad in [
            block(2, 0xFF, information + hash), block(1, 0xFE, information + hash), block(0, 0xFF, information + hash),
            block(1, 0xFF, withoutNULL + hash), block(1, 0xFF, hash), block(1, 0xFF, information + hash, trailing: [0]),
            block(1, 0xFF, information + hash, trailing: garbage), [0, 1, 0xFF, 0] + good.dropFirst(4),
            [UInt8](repeating: 0, count: pair.length), [UInt8](repeating: 0, count: pair.length - 32) + hash,
        ] {
            #expect(try pair.verdicts(pair.signature(overBlock: bad), hash) == [false, false])
        }
    }

    @Test(arguments: ["1024", "2048", "2048-high", "2048-e3"])
    func `Numbers at the edges give the same result or none`(_ name: String) throws {
        let key = try TestKeys.publicKey("test-only-issuer-\(name)")
        let operation = try #require(try RSAPublicOperation(key: key))
        let length = try key.signatureLength
        let modulus = try Self.modulus("test-only-issuer-\(name)")
        #expect(modulus.count == length)
        let zero = [UInt8](repeating: 0, count: length)
        let one = zero.dropLast() + [1]
        var less = modulus
        less[length - 1] -= 1
        for base in [zero, Array(one), less] {
            let expected = try key.messageRepresentative(of: base)
            #expect(try operation.isMessageRepresentative(expected, of: base))
            // -1 raised to an odd exponent is -1; 0 and 1 stay what they are.
            #expect(expected == base)
        }
        let above = [UInt8](repeating: 0xFF, count: length)
        for base in [modulus, above] {
            #expect(throws: OpenSSLFailure.self) { try key.messageRepresentative(of: base) }
            #expect(try !operation.isMessageRepresentative(zero, of: base))
        }
    }

    @Test func `Random numbers give the same result`() throws {
        for name in ["1024", "2048", "2048-e3"] {
            let key = try TestKeys.publicKey("test-only-issuer-\(name)")
            let operation = try #require(try RSAPublicOperation(key: key))
            let length = try key.signatureLength
            var noise = Noise(seed: 6)
            for round in 0..<500 {
                // Of all lengths: short numbers take another way through libcrypto than those that fill all words.
                let zeros = round % 5 == 0 ? round % length : 0
                var base = noise.bytes(length)
                base[0] &= 0x7F
                for index in 0..<zeros { base[index] = 0 }
                var expected = try key.messageRepresentative(of: base)
                #expect(
                    try operation.isMessageRepresentative(expected, of: base), "\(name): \(Hex.encode(base))"
                )
                expected[round % length] ^= 1
                #expect(try !operation.isMessageRepresentative(expected, of: base))
            }
        }
    }

    // MARK: Keys

    private enum PairFailure: Error {
        case leftToEVP
    }

    /// Both implementations over one key pair.
    final class Pair {
        let privateKey: PKey
        let length: Int
        private let usual: SignatureVerifier
        private let evp: SignatureVerifier

        init(_ name: String, _ digest: Digest) throws {
            privateKey = try TestKeys.privateKey(name)
            length = try privateKey.signatureLength
            let key = try TestKeys.publicKey(name)
            let usual = try SignatureVerifier(key: key, digest: digest)
            guard usual.usesRSAPublicOperation else { throw PairFailure.leftToEVP }
            self.usual = usual
            evp = try SignatureVerifier(key: key, digest: digest, allowingRSAPublicOperation: false)
        }

        func verdicts(_ signature: [UInt8], _ digest: [UInt8]) throws -> [Bool] {
            [
                try usual.isValid(signature.span, digest: digest.span),
                try evp.isValid(signature.span, digest: digest.span),
            ]
        }

        func signature(overBlock block: [UInt8]) throws -> [UInt8] {
            try ReferenceKey(copying: privateKey).signatureRepresentative(of: block)
        }
    }

    /// The first INTEGER of the RSAPublicKey inside a SubjectPublicKeyInfo: sizes from 1024 bits on, so all lengths have
    /// two bytes.
    static func modulus(_ name: String) throws -> [UInt8] {
        let der = try TestKeys.der("\(name).spki.pem")
        let integer = try #require(
            der.indices.first { index in
                der[index] == 0x02 && index + 4 < der.count && (der[index + 1] == 0x82 || der[index + 1] == 0x81)
            })
        let isLong = der[integer + 1] == 0x82
        let length =
            isLong ? Int(der[integer + 2]) << 8 | Int(der[integer + 3]) : Int(der[integer + 2])
        let start = integer + (isLong ? 4 : 3)
        return Array(der[start..<start + length].drop { $0 == 0 })
    }
}
