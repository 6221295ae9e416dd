import Testing
import TextCodecs

@Suite struct Base64Tests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `Encodes and decodes the standard's examples`(_ plain: String, _ encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(Array(encoded.utf8), options: .canonical) == Array(plain.utf8))
    }

    @Test func `Every byte survives in every place`() {
        for count in 0...300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            let standard = Array(Base64.encode(bytes).utf8)
            let urlSafe = Array(Base64.encodeURLSafe(bytes).utf8)
            #expect(Base64.decode(standard, options: .canonical) == bytes)
            #expect(Base64.decode(urlSafe, options: [.urlSafe, .unpadded]) == bytes)
        }
    }

    /// Texts that other decoders take.
    @Test(arguments: [
        "====", "QUJD====", "QUI==", "QUI", "QQ", "Q", "QR==", "QUJ=", "=QUJ", "Q=JD", "QQ==QUJD", "QUJD-foo!!",
        "QUJ\u{0}",
        "QUJD\n", " QUJD", "QU JD", "QU-_", "QUJDé",
    ])
    func `Canonical decoding refuses`(_ text: String) {
        #expect(Base64.decode(Array(text.utf8), options: .canonical) == nil)
    }

    @Test(arguments: [
        ("\r\n QUJD\r\nREVG \t", "ABCDEF"), ("QU\tJD", "ABC"), ("fn5+", "~~~"), ("fn5-", "~~~"), ("fn5 ", "~~~"),
        ("QUI", "AB"), ("QUI=\n", "AB"),
    ])
    func `Tolerant decoding repairs what transports do`(_ text: String, _ plain: String) {
        let options: Base64.DecodingOptions = [.urlSafe, .unpadded, .transported]
        #expect(Base64.decode(Array(text.utf8), options: options) == Array(plain.utf8))
    }

    @Test(arguments: ["fn5+fn5-", "QUJD=", "QUI= =", "QUI=QUJD", "Q", "QR", "\u{A0}QUJD"])
    func `Tolerant decoding still refuses`(_ text: String) {
        let options: Base64.DecodingOptions = [.urlSafe, .unpadded, .transported]
        #expect(Base64.decode(Array(text.utf8), options: options) == nil)
    }

    @Test func `Padding shows a lost plus at either end`() {
        // 48 bytes make 64 symbols without padding, so both ends can be a `+`.
        var bytes = [UInt8](repeating: 0, count: 48)
        bytes[0] = 0xF8
        bytes[47] = 0x3E
        let text = Base64.encode(bytes)
        #expect(text.first == "+" && text.last == "+")
        let lostFirst = Array(" \(text.dropFirst())".utf8)
        let lostLast = Array("\(text.dropLast()) ".utf8)
        #expect(Base64.decode(lostFirst, options: .transported) == bytes)
        #expect(Base64.decode(lostLast, options: .transported) == bytes)
        let padded = Array("\n  \(text)  \n".utf8)
        #expect(Base64.decode(padded, options: .transported) == bytes)
    }

    /// The only spelling that has nothing of the other alphabet and no padding.
    @Test func `Compact decoding takes the URL-safe alphabet alone, without padding`() {
        for count in 0...300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            #expect(Base64.decode(Array(Base64.encodeURLSafe(bytes).utf8), options: .compact) == bytes)
        }
        // One group of four and 1 to 4 symbols after it, or many groups before them: each byte in each place.
        for text in ["QUJD", "QUJDQUI", "QUJDQQ", "QUJDQ"].flatMap({ [$0, String(repeating: "_-aZ", count: 70) + $0] })
        {
            var bytes = Array(text.utf8)
            for index in max(0, bytes.count - 9)..<bytes.count {
                let right = bytes[index]
                for byte in UInt8.min...UInt8.max {
                    bytes[index] = byte
                    let wanted =
                        bytes.allSatisfy(\.isURLSafe) ? Base64.decode(bytes, options: [.urlSafe, .unpadded]) : nil
                    #expect(
                        Base64.decode(bytes, options: .compact) == wanted, "\(byte) at \(index) of \(text.suffix(9))")
                }
                bytes[index] = right
            }
        }
    }

    @Test(arguments: [
        "QQ==", "QUI=", "QQ=", "=", "QR", "QUJ", "Q", "QUJDQ", "QUJ+", "QUJ/", "QU+D", " QUJD", "QUJD\n", "QUJD.",
        "QUé",
    ])
    func `Compact decoding refuses`(_ text: String) {
        #expect(Base64.decode(Array(text.utf8), options: .compact) == nil)
    }

    /// Six bits after the other, by the standard's definition.
    @Test func `Encodes each byte in each place`() {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        for byte in UInt8.min...UInt8.max {
            for (count, place) in [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 3), (5, 4)] {
                var bytes = [UInt8](repeating: 0x5A, count: count)
                bytes[place] = byte
                let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - UInt8($0)) & 1 } }
                let values = stride(from: 0, to: bits.count, by: 6).map { start in
                    (0..<6).reduce(0) { $0 << 1 | Int(start + $1 < bits.count ? bits[start + $1] : 0) }
                }
                let plain = String(
                    decoding: values.map { ($0 < 62 ? letters : letters + Array("+/".utf8))[$0] }, as: UTF8.self)
                let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
                #expect(Base64.encode(bytes) == plain + padding)
                #expect(Base64.encodeURLSafe(bytes) == plain.replacing("+", with: "-").replacing("/", with: "_"))
            }
        }
    }
}
