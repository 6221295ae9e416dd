import EntitlementKeys
import EntitlementValues
import MetadataDecryption
import OpenSSLBridge
import TestVectors
import Testing
import TextCodecs

@Suite struct RefusalTests {
    static let text = Array("77754".utf8)
    static let jwe = "eyJhbGciOiJSU0EtT0FFUCJ9.QUJD.QUJD.QUJD.QUJD"

    /// Blocks with bad padding, and blocks with good padding whose text is not plausible.
    static let kinds = BadBlock.allCases

    @Test(arguments: kinds, ["issuer-1024", "issuer-2048"])
    func `Every bad block is the one error`(_ kind: BadBlock, _ name: String) throws {
        let keys = try TestRing.keys(name)
        var noise = Noise(seed: 3)
        let bad = try kind.value(for: keys, &noise)
        let good = try keys.encrypt(Self.text)
        let decrypter = MetadataDecrypter(keys: keys)
        for value in [bad, good + bad, bad + good, good + bad + good] {
            for attribute in [nil, MetadataAttribute.zip, .hbaStatus, .maxRating] {
                // A text that only has the wrong form is accepted if no attribute is named.
                if attribute == nil, kind == .implausibleText { continue }
                #expect(throws: MetadataDecryptionError.undecryptable) {
                    try decrypter.decrypt(Base64.encode(value), of: attribute)
                }
            }
        }
    }

    @Test func `Wrong keys are the one error`() throws {
        let value = Base64.encode(try TestRing.keys("issuer-2048").encrypt(Self.text))
        for names in [["other-2048"], ["other-2048", "issuer-2048-e3", "issuer-1024"]] {
            let ring = try TestRing.keys(names)
            #expect(throws: MetadataDecryptionError.undecryptable) {
                try MetadataDecrypter(keys: ring).decrypt(value, of: .zip)
            }
            #expect(ring.keys.map { $0.use.failures } == names.map { _ in 1 })
        }
    }

    @Test func `Blocks of two keys are the one error`() throws {
        let one = try TestRing.keys("issuer-2048").encrypt(Self.text)
        let other = try TestRing.keys("other-2048").encrypt(Self.text)
        let decrypter = try TestRing.decrypter("issuer-2048", "other-2048")
        for value in [one + other, other + one] {
            #expect(throws: MetadataDecryptionError.undecryptable) { try decrypter.decrypt(Base64.encode(value)) }
        }
    }

    @Test(arguments: MetadataPadding.allCases, MetadataPadding.allCases)
    func `No padding falls back to another`(_ used: MetadataPadding, _ asked: MetadataPadding) throws {
        let keys = try TestRing.keys("issuer-2048")
        let value = Base64.encode(try keys.encrypt(Self.text, padding: used))
        let outcome = Result { try MetadataDecrypter(keys: keys, padding: asked).decrypt(value, of: .zip).text }
        if used == asked {
            #expect(try outcome.get() == "77754")
        } else {
            #expect(throws: MetadataDecryptionError.undecryptable) { try outcome.get() }
        }
    }

    @Test(arguments: [
        "====", "=", "A", "QUJDR", "QR==", "QUI=QUI=", "A+B_", "not Base64!", "77754", "TV-14 (dialogue)",
        "[\"77754\"]",
        "QUJD\u{0}", "\u{FEFF}QUJD", "AAAA.AAAA.AAAA", "AAAA.AAAA.AAAA.AAAA", "\(jwe).AAAA", "....",
        ".A.A.A.A",
        "é",
    ])
    func `What is not Base64 is named`(_ value: String) throws {
        #expect(throws: MetadataDecryptionError.notBase64) {
            try TestRing.decrypter("issuer-2048").decrypt(value, of: .zip)
        }
    }

    @Test func `An encoding around Base64, or in its place, is named`() throws {
        let decrypter = try TestRing.decrypter("issuer-2048")
        let bytes = try TestRing.keys("issuer-2048").encrypt(Self.text)
        let value = Base64.encode(bytes)
        let around: [(String, ForeignEncoding)] = [
            ("QUJD%2B", .percentEncoding), ("\(value)%253D", .doublePercentEncoding), ("b'\(value)'", .pythonBytes),
            ("\"\(value)\"", .quotationMarks), ("\(value)\\n", .escapes), ("\(value)&#61;", .characterReferences),
            (#"\x"# + Hex.encode(bytes), .hexadecimal),
        ]
        for (text, encoding) in around {
            let error = #expect(throws: MetadataDecryptionError.self) { try decrypter.decrypt(text) }
            #expect(error == .encoded(encoding) && error?.code == "not_base64")
            #expect(error?.description.contains(value.prefix(20)) == false)
        }
        let utf16: [UInt8] = value.utf8.flatMap { [$0, 0] }
        let marked: [UInt8] = [0xFF, 0xFE] + utf16
        for text in [utf16, marked] {
            #expect(throws: MetadataDecryptionError.encoded(.utf16)) { try decrypter.decrypt(text) }
        }
    }

    /// They pass for Base64 of another length.
    @Test func `An encoding that changes the length is named`() throws {
        let decrypter = try TestRing.decrypter("issuer-2048")
        let bytes = try TestRing.keys("issuer-2048").encrypt(Self.text)
        let value = Base64.encode(bytes)
        let lines = stride(from: 0, to: value.utf8.count, by: 76).map { value.dropFirst($0).prefix(76) }
        let texts: [(String, ForeignEncoding)] = [
            (Hex.encode(bytes), .hexadecimal), (Base64.encode(Array(value.utf8)), .doubleBase64),
            (lines.joined(separator: " "), .joinedLines),
        ]
        for (text, encoding) in texts {
            let error = #expect(throws: MetadataDecryptionError.self) { try decrypter.decrypt(text) }
            #expect(error?.code == "wrong_length")
            #expect(error?.description.contains("\(encoding)") == true, "\(String(describing: error))")
        }
    }

    @Test(arguments: [jwe, " \(jwe)\r\n", "eyJhbGciOiJkaXIifQ..QUJD.QUJD.QUJD", "AAAA.AAAA.AAAA.AAAA.AAAA"])
    func `Encrypted tokens are named`(_ value: String) throws {
        #expect(throws: MetadataDecryptionError.isJWE) { try TestRing.decrypter("issuer-2048").decrypt(value) }
    }

    @Test(arguments: ["", "?!", "AAAA", jwe])
    func `Another party's ZIP is not looked at`(_ value: String) throws {
        #expect(throws: MetadataDecryptionError.foreignScheme("encryptedZip")) {
            try TestRing.decrypter("issuer-2048").decrypt(value, of: .encryptedZip)
        }
    }

    @Test(arguments: [0, 1, 127, 128, 255, 257, 384, 511, 513, 33 * 256, 1 << 20])
    func `Other lengths are named`(_ count: Int) throws {
        let decrypter = try TestRing.decrypter("issuer-2048")
        let value = Base64.encode([UInt8](repeating: 7, count: count))
        let length = MetadataLength(bytes: count, blockLengths: [256])
        #expect(throws: MetadataDecryptionError.wrongLength(length)) { try decrypter.decrypt(value) }
    }

    @Test func `Lengths of the whole ring are named`() throws {
        let decrypter = try TestRing.decrypter("issuer-4096", "issuer-1025", "other-2048", "issuer-2048")
        let error = #expect(throws: MetadataDecryptionError.self) {
            try decrypter.decrypt(Base64.encode([UInt8](repeating: 7, count: 300)))
        }
        #expect(
            "\(error as Any)".contains("300 bytes are not a multiple of 129 or 256 or 512"))
    }

    /// 32 blocks of the large key are 64 of the small one, which is then not tried.
    @Test func `Long values are for the larger keys`() throws {
        let ring = try TestRing.keys("issuer-1024", "issuer-2048")
        let value = Base64.encode([UInt8](repeating: 7, count: 32 * 256))
        #expect(throws: MetadataDecryptionError.undecryptable) { try MetadataDecrypter(keys: ring).decrypt(value) }
        #expect(ring.keys.map { $0.use.failures } == [0, 1])
    }

    @Test func `Empty text is none`() throws {
        for padding in MetadataPadding.allCases {
            let keys = try TestRing.keys("issuer-2048")
            let value = try keys.encrypt([], padding: padding)
            for value in [value, value + value] {
                #expect(throws: MetadataDecryptionError.undecryptable) {
                    try MetadataDecrypter(keys: keys, padding: padding).decrypt(Base64.encode(value))
                }
            }
        }
    }

    @Test func `Errors say what to do and nothing of the value`() throws {
        let errors: [(MetadataDecryptionError, String, String)] = [
            (.foreignScheme("encryptedZip"), "foreign_scheme", "another party"),
            (.isJWE, "is_jwe", "five parts"),
            (.notBase64, "not_base64", "percent-encoded"), (.encoded(.hexadecimal), "not_base64", "xxd"),
            (
                .wrongLength(MetadataLength(bytes: 384, blockLengths: [256], encoding: .hexadecimal)), "wrong_length",
                "hexadecimal"
            ),
            (.wrongLength(MetadataLength(bytes: 0, blockLengths: [256])), "wrong_length", "empty"),
            (.wrongLength(MetadataLength(bytes: 255, blockLengths: [256])), "wrong_length", "another size"),
            (
                .wrongLength(MetadataLength(bytes: 33 * 256, blockLengths: [256])), "wrong_length",
                "more than 32 blocks"
            ),
            (.undecryptable, "undecryptable", "certificate that the service uses"),
            (.undecided(.noKeys), "internal", "no keys"),
            (.undecided(.backend("x failed")), "internal", "x failed"),
        ]
        for (error, code, words) in errors {
            #expect(error.code == code)
            #expect(error.description.contains(words))
            #expect(!error.description.contains("\n"))
        }
        // Nothing but the name is shown.
        #expect(Mirror(reflecting: MetadataDecryptionError.undecryptable).children.isEmpty)
    }
}
