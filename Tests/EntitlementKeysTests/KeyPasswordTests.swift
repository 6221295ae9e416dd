import EntitlementKeys
import Foundation
import OpenSSLBridge
import TestVectors
import Testing

@Suite struct KeyPasswordTests {
    static let encrypted = Vectors.key("formats/test-only-2048.pbes2-aes256.pem")
    static let plain = Vectors.key("test-only-issuer-2048.pkcs8.pem")

    @Test(arguments: ["test-only", "test-only\n", "test-only\r\n"])
    func aFileMayEndWithALineEnd(_ content: String) throws {
        try withFile(content) { path in
            let password = try KeyPassword(contentsOfFile: path)
            #expect(try SigningKey(contentsOfFile: Self.encrypted, password: password).bits == 2048)
        }
    }

    @Test(arguments: ["test-only\n\n", " test-only", "test-only ", "test-only\n\r", "test-only\0", ""])
    func nothingElseIsTakenOff(_ content: String) throws {
        try withFile(content) { path in
            let password = try KeyPassword(contentsOfFile: path)
            let error = #expect(throws: KeyError.self) {
                try SigningKey(contentsOfFile: Self.encrypted, password: password)
            }
            #expect(error?.code == "bad_password")
        }
    }

    @Test func aDescriptorIsReadToItsEndAndStaysOpen() throws {
        try withFile("test-only\n") { path in
            let file = try #require(FileHandle(forReadingAtPath: path))
            let password = try KeyPassword(fileDescriptor: file.fileDescriptor)
            #expect(try SigningKey(contentsOfFile: Self.encrypted, password: password).bits == 2048)
            #expect(try file.offset() == 10)
        }
    }

    @Test func aDescriptorThatIsNotOpenIsAnError() {
        let error = #expect(throws: KeyError.self) { try KeyPassword(fileDescriptor: 987) }
        #expect(error?.file == "descriptor 987")
    }

    @Test func aVariableThatIsNotSetIsNamed() {
        let error = #expect(throws: KeyError.self) { try KeyPassword(fileNamedByEnvironment: "TVE_NO_SUCH_VARIABLE") }
        #expect(error?.description.contains("$TVE_NO_SUCH_VARIABLE") == true)
    }

    @Test func aVariableNamesAFileAndIsNotThePassword() {
        // PATH is set everywhere, and no file has such a name.
        let error = #expect(throws: KeyError.self) { try KeyPassword(fileNamedByEnvironment: "PATH") }
        #expect(error?.code == "unreadable_key")
    }

    @Test func anEmptyPasswordNeedsNotBeGiven() throws {
        let file = Vectors.key("formats/test-only-empty-password.p12")
        #expect(try SigningKey(contentsOfFile: file).bits == 2048)
        #expect(try SigningKey(contentsOfFile: file, password: KeyPassword("")).bits == 2048)
        let error = #expect(throws: KeyError.self) { try SigningKey(contentsOfFile: file, password: KeyPassword("x")) }
        #expect(error?.code == "bad_password")
    }

    @Test func passwordsAreUTF8() throws {
        let file = Vectors.key("formats/test-only-umlauts.p12")
        #expect(try SigningKey(contentsOfFile: file, password: KeyPassword("prüfung-€")).bits == 2048)
    }

    @Test func aPasswordForAPlainFileIsIgnored() throws {
        let key = try SigningKey(contentsOfFile: Self.plain, password: KeyPassword("whatever"))
        #expect(key.bits == 2048)
    }

    @Test func verificationAsksForNoPasswordOfAKeyBesideTheCertificate() throws {
        let files = [Self.encrypted, Vectors.key("formats/test-only-2048.cert.pem")]
        let bytes = try files.flatMap { Array(try Data(contentsOf: URL(filePath: $0))) }
        #expect(try VerificationKeys(bytes.span, named: "both.pem").keys.count == 1)
        let wrong = KeyPassword("wrong")
        #expect(try VerificationKeys(bytes.span, named: "both.pem", password: wrong).keys.count == 1)
    }

    @Test func singleDESIsNotMistakenForAWrongPassword() throws {
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

    @Test func theDefaultContextStaysAsItIs() throws {
        let file = Vectors.key("formats/test-only-2048.legacy.p12")
        for _ in 0..<3 {
            let key = try SigningKey(contentsOfFile: file, password: KeyPassword("test-only"))
            let digest = [UInt8](repeating: 1, count: 32)
            #expect(throws: Never.self) { try key.sign(digest: digest, algorithm: .sha256) }
        }
        #expect(!defaultContextKnows(cipher: "RC2-40-CBC"))
        #expect(defaultContextKnows(cipher: "AES-256-CBC"))
    }

    @Test func aPasswordShowsNothingOfItself() {
        let password = KeyPassword("abracadabra")
        var dumped = ""
        dump(password, to: &dumped)
        for text in ["\(password)", String(reflecting: password), dumped] { #expect(!text.contains("abracadabra")) }
        #expect(Mirror(reflecting: password).children.isEmpty)
    }

    @Test func noErrorShowsThePasswordOrTheKey() throws {
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
