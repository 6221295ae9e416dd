import EntitlementKeys
import Foundation
import TestVectors
import Testing

/// Files of other programs: what can be read of them, and what is said of the rest.
@Suite struct ForeignKeyFileTests {
    private static let javaStore = Vectors.key("formats/bad/test-only-private-key.jks")

    @Test func `An open SSH key is named with its conversion`() {
        let text = Array("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n".utf8)
        let error = #expect(throws: KeyError.self) { try SigningKey(text.span, named: "id_rsa") }
        #expect(error?.description.contains("ssh-keygen -p -m PEM") == true)
    }

    @Test(arguments: [
        (
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\nVersion: 1\n\nmQENBF\n=abcd\n-----END PGP PUBLIC KEY BLOCK-----",
            "OpenPGP"
        ),
        ("A remark\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "gpg --export-ssh-key"),
        ("\u{99}\u{1}\u{d}\u{4}12345678", "OpenPGP"), ("\u{98}\u{33}\u{4}12345678", "OpenPGP"),
        ("\u{c6}\u{33}\u{6}12345678", "OpenPGP"),
        ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 me@here\n", "ssh-keygen -e -m PKCS8 -f FILE"),
        ("  ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me@here\n", "neither RSA nor P-256"),
        ("ecdsa-sha2-nistp384 AAAA", "neither RSA nor P-256"),
        ("ecdsa-sha2-nistp256 AAAA", "ssh-keygen -e -m PKCS8 -f FILE"),
        ("---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----\n", "ssh-keygen -i"),
        (#"{"keys": [{"kty": "RSA", "n": "AQAB"}]}"#, ".keys[0].x5c[0]"),
        ("\u{EF}\u{BB}\u{BF}\n" + #"{"kty": "RSA", "n": "AQAB"}"#, "'.x5c[0]'"),
    ])
    func `Keys of other programs are named with what to do`(_ text: String, _ words: String) {
        // One character for each byte.
        let bytes = text.unicodeScalars.map { UInt8($0.value) }
        let error = #expect(throws: KeyError.self) { try KeyInventory(bytes.span, named: "given") }
        #expect(error?.code == "unsupported_key")
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains("AAAA") == false && error?.description.contains("AQAB") == false)
    }

    /// A block that can be read is not the less one because of a word near it.
    @Test(arguments: ["ssh-rsa is not this\n", "{\"keys\": [\n", "---- BEGIN SSH2 PUBLIC KEY ----\n"])
    func `A block after a remark is read`(_ remark: String) throws {
        let file = Vectors.key("test-only-issuer-2048.spki.pem")
        let bytes = try Array(remark.utf8) + Array(Data(contentsOf: URL(filePath: file)))
        #expect(try VerificationKeys(bytes.span, named: "given").keys.count == 1)
    }

    @Test(arguments: [
        (#"\n"#, "printf %b"), (#"\r\n"#, "printf %b"), (" ", "printf %s"),
    ])
    func `A PEM file whose lines are joined is named with what to do`(_ lineEnd: String, _ words: String) throws {
        let pem = try String(contentsOfFile: Vectors.key("test-only-issuer-2048.spki.pem"), encoding: .utf8)
        let joined = Array(pem.split(separator: "\n").joined(separator: lineEnd).utf8)
        let error = #expect(throws: KeyError.self) { try VerificationKeys(joined.span, named: "one.pem") }
        #expect(error?.code == "unreadable_key")
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains("MIIB") == false)
    }

    @Test func `A PEM file in UTF-16 is named, and a byte order mark is no fault`() throws {
        let pem = try Array(Data(contentsOf: URL(filePath: Vectors.key("test-only-issuer-2048.spki.pem"))))
        let utf16: [UInt8] = [0xFF, 0xFE] + pem.flatMap { [$0, 0] }
        let error = #expect(throws: KeyError.self) { try VerificationKeys(utf16.span, named: "u.pem") }
        #expect(error?.code == "unreadable_key" && error?.description.contains("iconv -f UTF-16") == true)
        let marked = [0xEF, 0xBB, 0xBF] + pem
        #expect(try VerificationKeys(marked.span, named: "b.pem").keys.count == 1)
    }

    /// The name of the digest of the integrity code is exchanged for another algorithm of the same length: PBMAC1, whose
    /// parameters are then missing, and one that no OpenSSL knows.
    @Test(
        arguments: [
            ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0E], "PBMAC1"),
            ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x63], "2.16.840.1.101.3.4.2.99"),
        ] as [([UInt8], String)])
    func `The integrity code is blamed, and not the encryption`(_ algorithm: [UInt8], _ name: String) throws {
        let file = Vectors.key("formats/test-only-2048.modern.p12")
        var bytes = try Array(Data(contentsOf: URL(filePath: file)))
        let digest: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
        let places = bytes.indices.filter { bytes[$0...].starts(with: digest) }
        let last = try #require(places.last)
        bytes.replaceSubrange(last..<last + digest.count, with: algorithm)
        let error = #expect(throws: KeyError.self) {
            try SigningKey(bytes.span, named: "n.p12", password: KeyPassword("test-only"))
        }
        // From 3.4 on, the algorithm is known, and its parameters are found missing.
        if name == "PBMAC1", error?.code == "unreadable_key" { return }
        #expect(error?.code == "unsupported_key")
        #expect(error?.description.contains("whose integrity code (MAC) is") == true, "\(String(describing: error))")
        #expect(error?.description.contains(name) == true && error?.description.contains("-nomacver") == true)
        #expect(error?.description.contains("AES") == false)
    }

    @Test func `Authorities are marked`() throws {
        let entries = try KeyInventory(contentsOfFile: Vectors.key("test-only-ca-and-leaf.pem")).entries
        #expect(entries.map(\.isAuthority) == [true, false])
        #expect(
            try !KeyInventory(contentsOfFile: Vectors.key("test-only-issuer-2048.pkcs8.pem")).entries.contains {
                $0.isAuthority
            })
    }

    @Test func `A Java store with a private key says how to convert it`() {
        let password = KeyPassword("test-only")
        let error = #expect(throws: KeyError.self) {
            try SigningKey(contentsOfFile: Self.javaStore, password: password)
        }
        #expect(error?.code == "unsupported_key")
        #expect(error?.description.contains("keytool -importkeystore -srckeystore FILE -srcstoretype JKS") == true)
    }

    /// Its certificate is not encrypted.
    @Test func `The certificate of a private key in a Java store is read`() throws {
        let password = KeyPassword("test-only")
        let entries = try KeyInventory(contentsOfFile: Self.javaStore, password: password).entries
        #expect(entries.map(\.kind) == [.encryptedPrivateKey, .certificate])
        #expect(entries.map(\.alias) == ["one", "one"])
        #expect(entries.map { $0.problem?.code } == ["unsupported_key", nil])
        #expect(entries[1].subject == "CN=Test only")
        let keys = try VerificationKeys(contentsOfFile: Self.javaStore, password: password).keys
        #expect(keys.map(\.fingerprint) == [entries[1].fingerprint])
    }

    @Test(arguments: ["", "wrong"])
    func `A Java store with a private key needs its password`(_ password: String) {
        let error = #expect(throws: KeyError.self) {
            try VerificationKeys(
                contentsOfFile: Self.javaStore, password: password.isEmpty ? nil : KeyPassword(password))
        }
        #expect(error?.code == (password.isEmpty ? "password_required" : "bad_password"))
    }
}
