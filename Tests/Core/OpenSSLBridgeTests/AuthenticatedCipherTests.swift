import HostSystem
import OpenSSLBridge
import TestVectors
import Testing
import TextCodecs

@Suite struct AuthenticatedCipherTests {
    static let cases =
        (try? VectorFile<CipherGroup>.named("authenticated_cipher/aes_256_gcm_test.json"))
        .map { file in file.testGroups.flatMap(\.tests) } ?? []

    static let key = [UInt8](0..<32)
    static let nonce = [UInt8](100..<112)
    static let context = Array("place".utf8)
    static let message = Array("credentials of a device".utf8)

    private func seal(_ message: [UInt8] = message, binding context: [UInt8] = context) throws -> [UInt8] {
        try AuthenticatedCipher.seal(
            message.span, key: Self.key.span, nonce: Self.nonce.span, binding: context.span)
    }

    private func open(
        _ sealed: [UInt8],
        key: [UInt8] = key,
        nonce: [UInt8] = nonce,
        binding context: [UInt8] = context
    ) throws -> [UInt8]? {
        let opened = try AuthenticatedCipher.open(
            sealed.span, key: key.span, nonce: nonce.span, binding: context.span)
        #expect(queuedRecords().isEmpty)
        return opened?.withSpan { bytes in bytes.indices.map { bytes[$0] } }
    }

    @Test func `All vectors are there`() {
        #expect(Self.cases.count == 54)
        #expect(Self.cases.count { $0.result == "invalid" } == 25)
    }

    @Test(arguments: cases)
    func `The verdict is the stated one`(_ vector: CipherCase) throws {
        let (key, nonce) = (Vectors.bytes(hexadecimal: vector.key), Vectors.bytes(hexadecimal: vector.iv))
        let bound = Vectors.bytes(hexadecimal: vector.aad)
        let sealed = Vectors.bytes(hexadecimal: vector.ct + vector.tag)
        let opened = try open(sealed, key: key, nonce: nonce, binding: bound)
        guard let message = vector.msg.map(Vectors.bytes) else {
            #expect(vector.result == "invalid")
            #expect(opened == nil)
            return
        }
        #expect(opened == message)
        let made = try AuthenticatedCipher.seal(
            message.span, key: key.span, nonce: nonce.span, binding: bound.span)
        #expect(made == sealed)
    }

    @Test func `Every changed byte is noticed`() throws {
        let sealed = try seal()
        #expect(sealed.count == Self.message.count + AuthenticatedCipher.tagLength)
        #expect(try open(sealed) == Self.message)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x80
            #expect(try open(changed) == nil)
        }
        for index in Self.context.indices {
            var changed = Self.context
            changed[index] ^= 1
            #expect(try open(sealed, binding: changed) == nil)
        }
        #expect(try open(sealed, key: Self.key.reversed()) == nil)
        #expect(try open(sealed, nonce: Self.nonce.reversed()) == nil)
        #expect(try open(sealed, binding: []) == nil)
    }

    @Test func `Every cut is noticed`() throws {
        let sealed = try seal()
        for count in sealed.indices { #expect(try open(Array(sealed.prefix(count))) == nil) }
        #expect(try open(sealed + [0]) == nil)
        #expect(try open([]) == nil)
    }

    @Test func `An empty message is sealed too`() throws {
        let sealed = try seal([])
        #expect(sealed.count == AuthenticatedCipher.tagLength)
        #expect(try open(sealed) == [])
        #expect(try open(sealed, binding: [1]) == nil)
    }

    @Test func `A long message comes back`() throws {
        let message = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try open(try seal(message)) == message)
    }

    @Test(arguments: [(0, 12), (16, 12), (31, 12), (33, 12), (32, 0), (32, 11), (32, 16)])
    func `Other lengths of key and nonce are errors`(_ keyLength: Int, _ nonceLength: Int) {
        let key = [UInt8](repeating: 1, count: keyLength), nonce = [UInt8](repeating: 2, count: nonceLength)
        let message = Self.message, sealed = [UInt8](repeating: 3, count: 40), bound: [UInt8] = []
        #expect(throws: OpenSSLFailure.self) {
            try AuthenticatedCipher.seal(message.span, key: key.span, nonce: nonce.span, binding: bound.span)
        }
        #expect(throws: OpenSSLFailure.self) {
            try AuthenticatedCipher.open(sealed.span, key: key.span, nonce: nonce.span, binding: bound.span)
        }
        #expect(queuedRecords().isEmpty)
    }
}

struct CipherGroup: Decodable, Sendable {
    let tests: [CipherCase]
}

/// A case of the file; `msg` is absent if the sealed bytes must not open.
struct CipherCase: Decodable, Sendable, CustomTestStringConvertible {
    let tcId: Int
    let comment: String
    let key: String
    let iv: String
    let aad: String
    let msg: String?
    let ct: String
    let tag: String
    let result: String

    var testDescription: String { "\(tcId) \(comment)" }
}
