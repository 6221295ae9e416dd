import EntitlementKeys
import EntitlementValues
import Foundation
import TestVectors
import Testing

@Suite struct KeySetTests {
    static let issuer = Vectors.key("test-only-issuer-2048.spki.pem")
    static let other = Vectors.key("test-only-other-2048.spki.pem")
    static let privateKey = Vectors.key("test-only-issuer-2048.pkcs8.pem")

    @Test func `The same key in another form counts once`() throws {
        let keys = try VerificationKeys(contentsOf: [
            Self.issuer, Vectors.key("test-only-issuer-2048.cert-v3.pem"),
            Vectors.key("test-only-issuer-2048.spki.der"),
        ])
        #expect(keys.keys.count == 1)
    }

    @Test func `A folder is read by name and hidden files are left out`() throws {
        try withFolder { folder in
            try copy(Self.other, to: folder, as: "b.pem")
            try copy(Self.issuer, to: folder, as: "a.pem")
            try Data("noise".utf8).write(to: folder.appending(path: ".hidden"))
            try FileManager.default.createDirectory(
                at: folder.appending(path: "sub"), withIntermediateDirectories: false)
            let keys = try VerificationKeys(contentsOfFile: folder.path)
            #expect(keys.keys.map(\.label) == ["a.pem", "b.pem"])
        }
    }

    @Test func `One bad file fails the folder and is named`() throws {
        try withFolder { folder in
            try copy(Self.issuer, to: folder, as: "a.pem")
            try Data("noise".utf8).write(to: folder.appending(path: "b.pem"))
            let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOfFile: folder.path) }
            #expect(error?.code == "unreadable_key")
            #expect(error?.file.hasSuffix("/b.pem") == true)
        }
    }

    @Test func `An empty folder holds no key`() throws {
        try withFolder { folder in
            let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOfFile: folder.path) }
            #expect(error?.code == "no_key")
        }
    }

    @Test func `No paths are no keys`() {
        let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOf: []) }
        #expect(error?.code == "no_key")
    }

    @Test func `A missing file is said to be missing`() {
        let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOfFile: "/no/such/file.pem") }
        #expect(error == .noSuchFile(file: "/no/such/file.pem"))
    }

    @Test func `A file of more than a mebibyte is refused`() throws {
        try withFolder { folder in
            let path = folder.appending(path: "large.pem")
            try Data(repeating: 0x20, count: 1 << 20 + 1).write(to: path)
            let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOfFile: path.path) }
            #expect(error?.code == "unreadable_key")
        }
    }

    @Test func `Files of one name are told apart by their paths`() throws {
        try withFolder { folder in
            for (name, key) in [("one", Self.issuer), ("two", Self.other)] {
                let inner = folder.appending(path: name)
                try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
                try copy(key, to: inner, as: "issuer.pem")
            }
            let paths = ["one", "two"].map { folder.appending(path: "\($0)/issuer.pem").path }
            let keys = try VerificationKeys(contentsOf: paths)
            #expect(keys.keys.map(\.label) == paths)
        }
    }

    @Test func `A private key is no verification key and the error says how to make one`() {
        let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOfFile: Self.privateKey) }
        #expect(error?.code == "unsupported_key")
        #expect(error?.description.contains("openssl pkey") == true)
    }

    @Test func `A public key is no signing key`() {
        let error = #expect(throws: KeyError.self) { try SigningKey(contentsOfFile: Self.issuer) }
        #expect(error?.code == "unsupported_key")
    }

    @Test func `A certificate beside its private key is used for verification`() throws {
        let files = [Self.privateKey, Vectors.key("test-only-issuer-2048.cert-v3.pem")]
        let bytes = try files.flatMap { Array(try Data(contentsOf: URL(filePath: $0))) }
        let keys = try VerificationKeys(bytes, named: "both.pem")
        #expect(keys.keys.map(\.label) == ["both.pem"])
    }

    @Test func `The issuer of a certificate in the same file is not trusted`() throws {
        let keys = try VerificationKeys(contentsOfFile: Vectors.key("test-only-ca-and-leaf.pem"))
        let alone = try VerificationKeys(contentsOfFile: Vectors.key("test-only-issuer-2048.cert-self-signed-ca.pem"))
        #expect(keys.keys.count == 1)
        #expect(alone.keys.count == 1)
    }

    /// The bundles of a rotation and of a chain, with all kinds of certificates.
    @Test(arguments: [
        (["cert-self-signed-ca", "cert-self-signed-ca"], 1), (["cert-v1", "cert-v1"], 1), (["cert-v3", "cert-v1"], 1),
        (["cert-self-signed-ca"], 1), (["cert-v3", "cert-self-signed-ca"], 1), (["cert-expired", "cert-v3"], 1),
    ])
    func `Some key is always left`(_ names: [String], _ count: Int) throws {
        let bytes = try names.flatMap { name in
            Array(try Data(contentsOf: URL(filePath: Vectors.key("test-only-issuer-2048.\(name).pem"))))
        }
        let keys = try VerificationKeys(bytes.span, named: "bundle.pem")
        #expect(keys.keys.count == count)
    }

    @Test func `The text of a key is no file name`() throws {
        let text = try String(contentsOfFile: Self.privateKey, encoding: .utf8)
        let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOfFile: text) }
        #expect(error.map { "\($0)" }?.contains("PRIVATE") == false)
        let empty = #expect(throws: KeyError.self) { try SigningKey(contentsOfFile: "") }
        #expect(empty?.description.contains("empty") == true)
    }

    @Test func `A folder with a dangling link names the link`() throws {
        try withFolder { folder in
            try copy(Self.issuer, to: folder, as: "a.pem")
            let link = folder.appending(path: "b.pem").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/no/such/file")
            let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOfFile: folder.path) }
            #expect(error == .noSuchFile(file: link))
        }
    }

    @Test func `A pipe in a folder is not waited for`() throws {
        try withFolder { folder in
            try copy(Self.issuer, to: folder, as: "a.pem")
            let made = unsafe mkfifo(folder.appending(path: "b.pem").path, 0o600)
            #expect(made == 0)
            let keys = try VerificationKeys(contentsOfFile: folder.path)
            #expect(keys.keys.count == 1)
        }
    }

    /// Whoever adds a key to the vectors publishes its private half.
    @Test func `All keys of the vectors count as published`() throws {
        struct List: Decodable {
            struct File: Decodable { let keys: [Key]? }
            struct Key: Decodable { let spkiSHA256: String }
            struct P256File: Decodable { let spkiSHA256: String? }
            let files: [File]
            let p256: [P256File]
        }
        let json = try Data(contentsOf: URL(filePath: Vectors.key("keys.json")))
        let list = try JSONDecoder().decode(List.self, from: json)
        let all = list.files.flatMap { $0.keys ?? [] }.map(\.spkiSHA256) + list.p256.compactMap(\.spkiSHA256)
        #expect(Set(all) == PublishedTestKeys.fingerprints)
        #expect(try VerificationKeys(contentsOfFile: Self.issuer).keys.allSatisfy(\.isPublishedTestKey))
    }

    @Test func `Dates of certificates are shown and not enforced`() throws {
        let expired = try VerificationKeys(contentsOfFile: Vectors.key("test-only-issuer-2048.cert-expired.pem"))
        let end = try #require(expired.keys.first?.validity?.upperBound)
        #expect(end < Timestamp(milliseconds: 1_750_000_000_000))
        let plain = try VerificationKeys(contentsOfFile: Self.issuer)
        #expect(plain.keys.first?.validity == nil)
    }

    @Test func `Small keys sign only on request`() throws {
        let path = Vectors.key("test-only-issuer-1024.pkcs8.pem")
        let error = #expect(throws: KeyError.self) { try SigningKey(contentsOfFile: path) }
        #expect(error == .tooSmall(file: path, bits: 1024, minimum: 2048))
        let key = try SigningKey(contentsOfFile: path, allowingWeakKeys: true)
        #expect(key.bits == 1024)
    }

    @Test func `A damaged private key is found at load`() throws {
        // One byte of the private exponents changed: libcrypto reads the file without complaint.
        var bytes = Array(try Data(contentsOf: URL(filePath: Vectors.key("test-only-issuer-2048.pkcs1.der"))))
        bytes[20] ^= 1
        let error = #expect(throws: KeyError.self) { try SigningKey(bytes.span, named: "damaged.der") }
        #expect(error != nil)
    }

    @Test func `Signing keys show nothing of themselves`() throws {
        let key = try SigningKey(contentsOfFile: Self.privateKey)
        #expect("\(key)" == "signing key (RSA 2048)")
        #expect(String(reflecting: key) == "signing key (RSA 2048)")
        #expect(Mirror(reflecting: key).children.isEmpty)
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("storage"))
    }

    @Test(arguments: [512, 1023, 8193]) func `Keys of other sizes are not made`(_ bits: Int) {
        #expect(throws: KeyError.self) { try SigningKey.generated(bits: bits, named: "test-only") }
    }

    private func copy(_ file: String, to folder: URL, as name: String) throws {
        try FileManager.default.copyItem(atPath: file, toPath: folder.appending(path: name).path)
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
