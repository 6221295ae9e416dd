import EntitlementKeys
import Foundation
import OpenSSLBridge
import TestVectors
import Testing

@Suite struct KeyPasswordTests {
    static let encrypted = Vectors.key("formats/test-only-2048.pbes2-aes256.pem")
    static let plain = Vectors.key("test-only-issuer-2048.pkcs8.pem")

    @Test(arguments: ["test-only", "test-only\n", "test-only\r\n"])
    func `A file may end with a line end`(_ content: String) throws {
        try withFile(content) { path in
            let password = try KeyPassword(contentsOfFile: path)
            #expect(try SigningKey(contentsOfFile: Self.encrypted, password: password).bits == 2048)
        }
    }

    @Test(arguments: ["test-only\n\n", " test-only", "test-only ", "test-only\n\r", "test-only\0", ""])
    func `Nothing else is taken off`(_ content: String) throws {
        try withFile(content) { path in
            let password = try KeyPassword(contentsOfFile: path)
            let error = #expect(throws: KeyError.self) {
                try SigningKey(contentsOfFile: Self.encrypted, password: password)
            }
            #expect(error?.code == "bad_password")
        }
    }

    /// It would be part of the password, which would be called wrong.
    @Test func `A byte order mark in a password file is named`() throws {
        try withFile("\u{FEFF}test-only\n") { path in
            let error = #expect(throws: KeyError.self) { try KeyPassword(contentsOfFile: path) }
            #expect(error?.code == "unreadable_key" && error?.file == path)
            #expect(error?.description.contains("byte order mark") == true)
            #expect(error?.description.contains("test-only") == false)
        }
    }

    @Test func `A password file in UTF-16 is named`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tve-password-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let content: [UInt8] = "test-only\r\n".utf8.flatMap { [$0, 0] }
        try Data([0xFF, 0xFE] + content).write(to: file)
        let error = #expect(throws: KeyError.self) { try KeyPassword(contentsOfFile: file.path) }
        #expect(error?.description.contains("UTF-16") == true)
    }

    @Test func `A descriptor is read to its end and stays open`() throws {
        try withFile("test-only\n") { path in
            let file = try #require(FileHandle(forReadingAtPath: path))
            let password = try KeyPassword(fileDescriptor: file.fileDescriptor)
            #expect(try SigningKey(contentsOfFile: Self.encrypted, password: password).bits == 2048)
            #expect(try file.offset() == 10)
        }
    }

    @Test func `A descriptor that is not open is an error`() {
        let error = #expect(throws: KeyError.self) { try KeyPassword(fileDescriptor: 987) }
        #expect(error?.file == "descriptor 987")
    }

    @Test func `A variable that is not set is named`() {
        let error = #expect(throws: KeyError.self) { try KeyPassword(fileNamedByEnvironment: "TVE_NO_SUCH_VARIABLE") }
        #expect(error?.description.contains("$TVE_NO_SUCH_VARIABLE") == true)
    }

    @Test func `A variable names a file and is not the password`() {
        // PATH is set everywhere, and no file has such a name.
        let error = #expect(throws: KeyError.self) { try KeyPassword(fileNamedByEnvironment: "PATH") }
        #expect(error?.code == "unreadable_key")
    }

    @Test func `An empty password needs not be given`() throws {
        let file = Vectors.key("formats/test-only-empty-password.p12")
        #expect(try SigningKey(contentsOfFile: file).bits == 2048)
        #expect(try SigningKey(contentsOfFile: file, password: KeyPassword("")).bits == 2048)
        let error = #expect(throws: KeyError.self) { try SigningKey(contentsOfFile: file, password: KeyPassword("x")) }
        #expect(error?.code == "bad_password")
    }

    @Test func `Passwords are UTF-8`() throws {
        let file = Vectors.key("formats/test-only-umlauts.p12")
        #expect(try SigningKey(contentsOfFile: file, password: KeyPassword("prüfung-€")).bits == 2048)
    }

    @Test func `A password for a plain file is ignored`() throws {
        let key = try SigningKey(contentsOfFile: Self.plain, password: KeyPassword("whatever"))
        #expect(key.bits == 2048)
    }

    @Test func `Verification asks for no password of a key beside the certificate`() throws {
        let files = [Self.encrypted, Vectors.key("formats/test-only-2048.cert.pem")]
        let bytes = try files.flatMap { Array(try Data(contentsOf: URL(filePath: $0))) }
        #expect(try VerificationKeys(bytes.span, named: "both.pem").keys.count == 1)
        let wrong = KeyPassword("wrong")
        #expect(try VerificationKeys(bytes.span, named: "both.pem", password: wrong).keys.count == 1)
    }

    @Test func `Single DES is not mistaken for a wrong password`() throws {
        for name in ["traditional-des.pem", "pbe-md5-des.der", "legacy.p12", "rc2-40-key.p12"] {
            let file = Vectors.key("formats/test-only-2048.\(name)")
            var reader = KeyReader(password: KeyPassword("test-only"))
            reader.providerFolder = "/no/such/folder"
            let error = #expect(throws: KeyError.self) { try KeyInventory(contentsOfFile: file, reader: reader) }
            #expect(error?.code == "needs_legacy_provider")
            #expect(error?.description.contains("/no/such/folder/legacy.") == true)
            #expect(error?.description.contains("openssl pkcs12 -legacy") == true)
        }
    }

    @Test func `The default context stays as it is`() throws {
        let file = Vectors.key("formats/test-only-2048.legacy.p12")
        for _ in 0..<3 {
            let key = try SigningKey(contentsOfFile: file, password: KeyPassword("test-only"))
            let digest = [UInt8](repeating: 1, count: 32)
            #expect(throws: Never.self) { try key.sign(digest: digest, algorithm: .sha256) }
        }
        #expect(!defaultContextKnows(cipher: "RC2-40-CBC"))
        #expect(defaultContextKnows(cipher: "AES-256-CBC"))
    }

    @Test func `A password shows nothing of itself`() {
        let password = KeyPassword("abracadabra")
        var dumped = ""
        dump(password, to: &dumped)
        for text in ["\(password)", String(reflecting: password), dumped] { #expect(!text.contains("abracadabra")) }
        #expect(Mirror(reflecting: password).children.isEmpty)
    }

    @Test func `No error shows the password or the key`() throws {
        let secret = "sesame-9f2c"
        let key = try String(contentsOfFile: Self.plain, encoding: .utf8)
        let lines = key.split(separator: "\n").map(String.init).filter { $0.count == 64 }
        for file in FormatMatrixTests.files({ _ in true }) {
            do throws(KeyError) {
                _ = try KeyInventory(contentsOfFile: file.path, password: KeyPassword(secret))
            } catch {
                var text = "\(error) \(String(reflecting: error))"
                dump(error, to: &text)
                #expect(!text.contains(secret))
                #expect(!lines.contains { text.contains($0) })
            }
        }
    }

    private func withFile(_ content: String, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tve-password-\(UUID().uuidString)")
        try Data(content.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }
}
