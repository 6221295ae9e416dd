import EntitlementKeys
import MetadataDecryption
import Testing
import TextCodecs

@Suite struct MetadataDecrypterTests {
    @Test(arguments: MetadataPadding.allCases, ["issuer-1024", "issuer-2048", "issuer-4096"])
    func `Text comes back`(_ padding: MetadataPadding, _ name: String) throws {
        let keys = try TestRing.keys(name)
        let decrypter = MetadataDecrypter(keys: keys, padding: padding)
        let value = Base64.encode(try keys.encrypt(Array("[\"77754\"]".utf8), padding: padding))
        let read = try decrypter.decrypt(value, of: .zip)
        #expect(read.text == "[\"77754\"]")
        #expect(read.key.label == "test-only-\(name).pkcs8.pem")
    }

    @Test(arguments: [1, 2, 116, 117, 118, 234, 235, 351])
    func `Every length comes back`(_ count: Int) throws {
        let keys = try TestRing.keys("issuer-1024")
        let text = String(String(repeating: "0123456789abcdef", count: 22).prefix(count))
        let value = try keys.encrypt(Array(text.utf8))
        #expect(value.count == (count + 116) / 117 * 128)
        #expect(try MetadataDecrypter(keys: keys).decrypt(Base64.encode(value)).text == text)
    }

    @Test(arguments: [1, 2, 3, 50])
    func `Characters may straddle blocks`(_ chunk: Int) throws {
        let keys = try TestRing.keys("issuer-1024")
        let text = "Zoë 😀 €"
        let value = try keys.encrypt(Array(text.utf8), chunk: chunk)
        #expect(try MetadataDecrypter(keys: keys).decrypt(Base64.encode(value)).text == text)
    }

    @Test func `The text of the wire may be wrapped`() throws {
        let keys = try TestRing.keys("issuer-2048")
        let decrypter = MetadataDecrypter(keys: keys)
        var bytes = try keys.encrypt(Array("77754".utf8))
        while !Base64.encode(bytes).contains("+") { bytes = try keys.encrypt(Array("77754".utf8)) }
        let text = Base64.encode(bytes)
        let urlSafe = Base64.encodeURLSafe(bytes)
        var wrapped = ""
        for (index, symbol) in text.enumerated() { wrapped += index % 76 == 75 ? "\(symbol)\r\n" : "\(symbol)" }
        let forms = [
            text, urlSafe, wrapped, " \(text)\n", text.filter { $0 != "=" }, String(text.map { $0 == "+" ? " " : $0 }),
        ]
        for form in forms {
            #expect(try decrypter.decrypt(form, of: .zip).text == "77754")
            let bytes = Array(form.utf8)
            #expect(try decrypter.decrypt(bytes.span, of: .zip).text == "77754")
            #expect(try decrypter.decrypt(bytes, of: .zip).text == "77754")
        }
    }

    @Test(arguments: [
        ["issuer-2048", "other-2048", "issuer-1024"], ["other-2048", "issuer-2048", "issuer-1024"],
        ["issuer-1024", "other-2048", "issuer-2048"],
    ])
    func `The key that reads is named`(_ names: [String]) throws {
        let ring = try TestRing.keys(names)
        let decrypter = MetadataDecrypter(keys: ring)
        for name in names {
            let value = Base64.encode(try TestRing.keys(name).encrypt(Array("77754".utf8)))
            for attribute in [nil, MetadataAttribute.zip] {
                let read = try decrypter.decrypt(value, of: attribute)
                #expect(read.text == "77754")
                #expect(read.key.label == "test-only-\(name).pkcs8.pem")
            }
        }
    }

    @Test func `Uses are counted`() throws {
        let ring = try TestRing.keys("issuer-2048", "other-2048", "issuer-4096")
        let decrypter = MetadataDecrypter(keys: ring)
        let old = Base64.encode(try TestRing.keys("other-2048").encrypt(Array("77754".utf8)))
        let foreign = Base64.encode(try TestRing.keys("issuer-2048-e3").encrypt(Array("77754".utf8)))
        for _ in 0..<3 { _ = try decrypter.decrypt(old, of: .zip) }
        #expect(throws: MetadataDecryptionError.undecryptable) { try decrypter.decrypt(foreign, of: .zip) }
        #expect(ring.keys.map { $0.use.successes } == [0, 3, 0])
        #expect(ring.keys.map { $0.use.failures } == [1, 1, 0])
    }

    @Test func `Nothing shows the text`() throws {
        let keys = try TestRing.keys("issuer-2048")
        let value = Base64.encode(try keys.encrypt(Array("secret-77754".utf8)))
        let read = try MetadataDecrypter(keys: keys).decrypt(value)
        var dumped = ""
        dump(read, to: &dumped)
        let texts = ["\(read)", String(reflecting: read), dumped, "\([read])", "\(Optional(read) as Any)"]
        #expect(texts.allSatisfy { !$0.contains("secret") })
    }

    @Test func `One decrypter serves many tasks`() async throws {
        let keys = try TestRing.keys("other-2048", "issuer-2048")
        let decrypter = MetadataDecrypter(keys: keys, memo: MetadataMemo(capacity: 4))
        let ring = try TestRing.keys("issuer-2048")
        let values = try (0..<8).map { Base64.encode(try ring.encrypt(Array("user number \($0)".utf8))) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    try (0..<16).allSatisfy { round in
                        let index = (task + round) % 8
                        return try decrypter.decrypt(values[index]).text == "user number \(index)"
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
