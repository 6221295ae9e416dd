import EntitlementKeys
import EntitlementValues
import Foundation
import HostSystem
import OpenSSLBridge
import TestVectors
import Testing
import TextCodecs

/// The files of `Vectors/keys/p256`, made by OpenSSL and by hand, each with what must be found in it.
@Suite struct `Keys of P-256` {
    struct List: Decodable { let p256: [KeyFile] }

    struct KeyFile: Decodable, Sendable, CustomTestStringConvertible {
        let file: String
        let `private`: Bool
        let encrypted: Bool?
        let spkiSHA256: String?
        let x: String?
        let y: String?
        let expectedError: String?

        var testDescription: String { file }
    }

    static let files = Result {
        try JSONDecoder().decode(List.self, from: Data(contentsOf: URL(filePath: Vectors.key("keys.json")))).p256
    }
    static let good = ((try? files.get()) ?? []).filter { $0.expectedError == nil }
    static let bad = ((try? files.get()) ?? []).filter { $0.expectedError != nil }

    static func content(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: Vectors.key(file))))
    }

    /// Reads a key; `nil` if it is one of RSA, or not a key.
    static func read(_ file: String, password: String? = nil) throws -> P256Key? {
        try read(content(file), named: file, password: password)
    }

    static func read(_ content: [UInt8], named name: String = "key", password: String? = nil) throws -> P256Key? {
        let key = try SignatureKey(
            WipedBytes(content.span), named: name, password: password.map { KeyPassword(Array($0.utf8).span) })
        return if case .p256(let key)? = key { key } else { nil }
    }

    @Test func `Are listed`() throws {
        #expect(try Self.files.get().count > 30)
    }

    @Test(arguments: good)
    func `Are read`(_ file: KeyFile) throws {
        let key = try #require(try Self.read(file.file, password: file.encrypted == true ? "test-only" : nil))
        #expect(key.canSign == file.private)
        #expect(key.fingerprint == file.spkiSHA256)
        #expect(Base64.encodeURLSafe(key.coordinates.x) == file.x)
        #expect(Base64.encodeURLSafe(key.coordinates.y) == file.y)
        #expect(key.isPublishedTestKey)
        let text = Array("text".utf8)
        for form in [P256Key.SignatureForm.concatenated, .der] {
            let signature = try key.sign(text, as: form)
            #expect((signature != nil) == file.private)
            guard let signature else { continue }
            #expect(try key.isValid(signature, of: text, as: form))
            #expect(try !key.isValid(signature, of: text + [0], as: form))
        }
        #expect((try key.derivedKey(from: text) != nil) == file.private)
    }

    @Test(arguments: bad)
    func `Are refused if they are not fit`(_ file: KeyFile) throws {
        let error = #expect(throws: KeyError.self) { try Self.read(file.file) }
        #expect(error?.code == file.expectedError)
        #expect(error?.file == file.file)
    }

    @Test(arguments: good.filter { $0.encrypted == true })
    func `Need their password`(_ file: KeyFile) {
        let missing = #expect(throws: KeyError.self) { try Self.read(file.file) }
        #expect(missing?.code == "password_required")
        let wrong = #expect(throws: KeyError.self) { try Self.read(file.file, password: "other") }
        #expect(wrong?.code == "bad_password")
    }

    @Test func `Are not RSA keys, and several in one file are refused`() throws {
        let (one, other) = try (
            Self.content("p256/test-only-session.pkcs8.pem"), Self.content("p256/test-only-other.pkcs8.pem")
        )
        let rsa = try Self.content("test-only-issuer-2048.pkcs8.pem")
        #expect(try Self.read(rsa) == nil)
        for content in [one + other, one + rsa, rsa + one] {
            let error = #expect(throws: KeyError.self) { try Self.read(content) }
            #expect(error?.code == "unsupported_key")
        }
        let certificate = try Self.content("p256/test-only-session.cert.pem")
        #expect(try Self.read(one + certificate)?.canSign == true)
        let role = #expect(throws: KeyError.self) { try SigningKey(one, named: "key") }
        #expect(role?.code == "unsupported_key")
    }

    @Test(arguments: [
        (["spki.pem", "cert.pem"], false), (["spki-compressed.pem", "spki.pem", "cert.pem"], false),
        (["pkcs8.pem", "sec1.pem"], true), (["pkcs8.pem", "spki.pem", "cert.pem"], true),
    ])
    func `That are in a file several times are one`(_ parts: [String], canSign: Bool) throws {
        var content: [UInt8] = []
        for part in parts {
            if part == "spki-compressed.pem" {
                let der = try Self.content("p256/test-only-session.spki-compressed.der")
                content += Array("-----BEGIN PUBLIC KEY-----\n\(Base64.encode(der))\n-----END PUBLIC KEY-----\n".utf8)
            } else {
                content += try Self.content("p256/test-only-session.\(part)")
            }
        }
        #expect(try Self.read(content)?.canSign == canSign)
        let other = try Self.content("p256/test-only-other.\(canSign ? "pkcs8" : "spki").pem")
        let error = #expect(throws: KeyError.self) { try Self.read(content + other) }
        #expect(error?.description.contains("several keys") == true)
    }

    @Test(arguments: ["pkcs8", "spki"])
    func `Are named with their uses in an error, and other keys with what is needed`(_ part: String) throws {
        let (curve, edwards) = ("p256/test-only-session.\(part).pem", "bad/test-only-ed25519.\(part).pem")
        for name in [curve, edwards] {
            let content = try Self.content(name)
            let error = #expect(throws: KeyError.self) {
                if part == "spki" { _ = try VerificationKeys(content, named: "key") }
                _ = try SigningKey(content, named: "key")
            }
            let listed = try #require(try KeyInventory(content, named: "key").entries.first?.problem)
            if name == curve {
                #expect(error == listed)
                #expect(
                    listed.description
                        == "key: a P-256 key; it is for playback sessions (ES256), Common Access Tokens and CloudFront "
                        + "policies with SHA-256; everything else needs an RSA key")
            } else {
                #expect(error?.description == "key: a key for ED25519; an RSA key is needed")
                #expect(listed.description == "key: a key for ED25519; an RSA or a P-256 key is needed")
                #expect(throws: listed) { try Self.read(content) }
            }
        }
    }

    @Test func `Do not show themselves`() throws {
        let key = try #require(try Self.read("p256/test-only-session.pkcs8.pem"))
        #expect("\(key)" == "signing key (P-256)")
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test func `Derive the same key from a label each time`() throws {
        let key = try #require(try Self.read("p256/test-only-session.pkcs8.pem"))
        let same = try #require(try Self.read("p256/test-only-session.sec1-no-public.der"))
        let other = try #require(try Self.read("p256/test-only-other.pkcs8.pem"))
        let codes = try [key, same, other].map { key in
            try key.derivedKey(from: Array("label".utf8))?.withSpan { span in span.indices.map { span[$0] } }
        }
        #expect(codes[0]?.count == 32 && codes[0] == codes[1] && codes[0] != codes[2])
    }

    @Test func `Sign with a low s, and take the high one as well`() throws {
        let key = try #require(try Self.read("p256/test-only-session.pkcs8.pem"))
        let text = Array("text".utf8)
        for _ in 0..<20 {
            let made = try #require(try key.sign(text, as: .concatenated))
            let signature = try #require(P256Signature(concatenated: made))
            #expect(signature.hasLowS)
            let high = try #require(P256Signature(concatenated: made[..<32] + Self.negated(made[32...])))
            #expect(!high.hasLowS)
            #expect(try key.isValid(high.concatenated, of: text, as: .concatenated))
            #expect(try key.isValid(high.der, of: text, as: .der))
        }
    }

    /// The order of the curve less a number.
    static func negated(_ number: ArraySlice<UInt8>) -> [UInt8] {
        let order = Vectors.bytes(hexadecimal: "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        var result = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for (index, byte) in number.enumerated().reversed() {
            let difference = Int(order[index]) - Int(byte) - borrow
            (result[index], borrow) = (UInt8(truncatingIfNeeded: difference), difference < 0 ? 1 : 0)
        }
        return result
    }

    @Test func `Refuse every other spelling of a signature`() throws {
        let key = try #require(try Self.read("p256/test-only-session.pkcs8.pem"))
        let text = Array("text".utf8)
        let pair = try #require(try key.sign(text, as: .concatenated))
        let zero = [UInt8](repeating: 0, count: 32)
        let order = Self.negated(zero[...])
        let ones = [UInt8](repeating: 0xFF, count: 32)
        let (r, s) = (Array(pair[..<32]), Array(pair[32...]))
        let bad: [[UInt8]] = [
            [], [0], pair + [0], Array(pair.dropLast()), [0] + pair, zero + s, r + zero, zero + zero, order + s,
            r + order,
            order + order, ones + s, r + ones, s + r,
        ]
        for signature in bad {
            #expect(try !key.isValid(signature, of: text, as: .concatenated))
        }
        let der = try #require(P256Signature(concatenated: pair)).der
        #expect(try key.isValid(der, of: text, as: .der))
        #expect(try !key.isValid(der, of: text, as: .concatenated) && !key.isValid(pair, of: text, as: .der))
        let body = Array(der[2...])
        let first = Int(body[1])
        let padded: [UInt8] = [0x02, UInt8(first + 1), 0] + body[2...]
        let misspelt: [[UInt8]] = [
            [], [0x30], [0x30, 0], der + [0], Array(der.dropLast()), [0x30, 0x81, UInt8(body.count)] + body,
            [0x30, 0x80] + body + [0, 0], [0x31] + der[1...], [0x30, UInt8(body.count + 1)] + padded,
            [0x30, UInt8(body.count + 1)] + body + [0], [0x30, UInt8(body.count + 2)] + body + [5, 0],
            [0x30, 6, 2, 1, 0, 2, 1, 1], [0x30, 6, 2, 1, 1, 2, 1, 0], [0x30, 6, 2, 1, 0x81, 2, 1, 1],
            [0x30, 4, 2, 0, 2, 0], [0x30, 3, 2, 1, 1], [UInt8](repeating: 0xFF, count: 1025),
        ]
        for signature in misspelt {
            #expect(try !key.isValid(signature, of: text, as: .der), "\(signature)")
        }
        for index in der.indices {
            var flipped = der
            flipped[index] ^= 1
            #expect(try !key.isValid(flipped, of: text, as: .der), "byte \(index)")
        }
    }

    static func looksLikeKeyFile(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.span.looksLikeKeyFile }

    static let encoded =
        FileManager.default.enumerator(atPath: Vectors.key(""))?.compactMap { $0 as? String }
        .filter { $0.hasSuffix(".der") || $0.hasSuffix(".p12") || $0.hasSuffix(".jks") } ?? []

    /// What looks like a key file must not become a secret.
    @Test(arguments: encoded.filter { !$0.hasPrefix("bad/") && !$0.hasPrefix("formats/bad/") })
    func `Are known for damaged key files`(_ file: String) throws {
        var bytes = try Self.content(file)
        guard 32...4096 ~= bytes.count else { return }
        // What tells is at the beginning, and marks further on: all of the first bytes are tried, and samples of the others.
        let counts = (32...bytes.count).filter { $0 < 96 || $0 % 64 == 0 || $0 + 2 > bytes.count }
        #expect(counts.filter { !Self.looksLikeKeyFile(bytes[..<$0]) } == [], "cut off after so many bytes")
        var unknown: [Int] = []
        for index in bytes.indices where index < 64 || index % 64 == 0 {
            bytes[index] ^= 0xFF
            if !Self.looksLikeKeyFile(bytes[...]) { unknown.append(index) }
            bytes[index] ^= 0xFF
        }
        #expect(unknown == [], "with another byte there")
    }

    /// Keys that this OpenSSL may not know are public all the same: how they begin, and how many bytes they have.
    @Test(arguments: [
        // SubjectPublicKeyInfo of ML-DSA-44, whole and cut off, of SLH-DSA-SHA2-128s, of GOST R 34.10-2012 (256 and 512 bits).
        ("30820532300b06096086480165030403110382052100", 1334), ("30820532300b06096086480165030403110382052100", 900),
        ("3030300b0609608648016503040314032100", 50),
        ("3066301f06082a85030701010101301306072a85030202230106082a85030701010202", 104),
        ("3081a8301f06082a85030701010102301306072a85030202230006082a850307010103", 171),
        // PKCS#1 of 2047 bits: whole, cut off, and with a wrong byte.
        ("30820109028201005a", 269), ("30820109028201005a", 200), ("30820109038201005a", 269),
    ])
    func `Are known of every kind`(_ beginning: String, _ count: Int) {
        let start = Vectors.bytes(hexadecimal: beginning)
        let bytes = start + (0..<(count - start.count)).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        #expect(Self.looksLikeKeyFile(bytes[...]))
    }

    @Test func `Are not seen in secrets`() {
        // A secret may begin with its own length, as a key in DER does.
        for count in [32, 67, 91, 121, 130] {
            let header: [UInt8] = count < 130 ? [0x30, UInt8(count - 2)] : [0x30, 0x81, UInt8(count - 3)]
            let secret = header + (0..<(count - header.count)).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
            #expect(!Self.looksLikeKeyFile(secret[...]), "\(count) bytes")
        }
    }
}

/// The ECDSA vectors of C2SP/wycheproof for P-256 with SHA-256, if the folder that `TVE_WYCHEPROOF` names has them.
@Suite struct `ECDSA vectors of Wycheproof` {
    struct Group: Decodable, Sendable {
        struct Key: Decodable, Sendable { let uncompressed: String }
        struct Vector: Decodable, Sendable {
            let tcId: Int
            let comment: String
            let msg: String
            let sig: String
            let result: String
        }
        let publicKeyPem: String
        let tests: [Vector]
    }

    static let files = [
        ("ecdsa_secp256r1_sha256_test.json", P256Key.SignatureForm.der),
        ("ecdsa_secp256r1_sha256_p1363_test.json", .concatenated),
    ].compactMap { name, form in
        Vectors.wycheproof.map { ($0.appending(path: name), form) }
    }.filter { FileManager.default.fileExists(atPath: $0.0.path) }

    @Test(arguments: files)
    func `Verdicts are the stated ones`(_ file: URL, _ form: P256Key.SignatureForm) throws {
        let vectors = try VectorFile<Group>.read(file)
        #expect(vectors.testGroups.reduce(0) { $0 + $1.tests.count } == vectors.numberOfTests)
        #expect(vectors.numberOfTests > 250)
        for group in vectors.testGroups {
            let key = try #require(try `Keys of P-256`.read(Array(group.publicKeyPem.utf8)))
            for test in group.tests {
                let (text, signature) = (Vectors.bytes(hexadecimal: test.msg), Vectors.bytes(hexadecimal: test.sig))
                #expect(
                    try key.isValid(signature, of: text, as: form) == (test.result == "valid"),
                    "tcId \(test.tcId): \(test.comment)")
            }
        }
    }
}
