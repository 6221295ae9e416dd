import HostSystem
import OpenSSLBridge
import TestVectors
import Testing

/// Encrypted keys and containers: the right password, wrong ones, and files that ask for too much work.
@Suite struct UnlockingTests {
    private static let password = "test-only"

    private func unlocker(_ password: String? = Self.password, iterations: Int? = nil, memory: Int? = nil) -> Unlocker {
        var limits = WorkLimits()
        if let iterations { limits.maximumIterations = iterations }
        if let memory { limits.maximumScryptMemory = memory }
        return Unlocker(password: password.map(secret), limits: limits)
    }

    private func openPKCS8(_ name: String, _ unlocker: Unlocker) throws(UnlockFailure) -> [UInt8] {
        let encrypted: EncryptedPKCS8
        do {
            let der = try TestKeys.bytes("formats/\(name)")
            encrypted = try EncryptedPKCS8(der: der.span)
        } catch {
            throw .damaged
        }
        return try encrypted.decrypted(by: unlocker).array
    }

    private func openPKCS12(_ name: String, _ unlocker: Unlocker) throws(UnlockFailure) -> PKCS12Content {
        let file: PKCS12File
        do {
            let der = try TestKeys.bytes("formats/\(name)")
            file = try PKCS12File(der: der.span)
        } catch {
            throw .damaged
        }
        return try file.content(by: unlocker, takingPrivateKeys: true)
    }

    // MARK: PKCS#8

    @Test(arguments: ["pbes2-aes256", "pbes2-scrypt"]) func `The right password opens PKCS#8`(_ name: String) throws {
        let opened = try openPKCS8("test-only-1024.\(name).der", unlocker())
        #expect(try opened == TestKeys.bytes("formats/test-only-1024.pkcs8.der"))
        #expect(queuedRecords().isEmpty)
    }

    @Test(arguments: ["wrong", "", "test-only\0"]) func `Other passwords are bad`(_ password: String) {
        #expect(throws: UnlockFailure.badPassword) {
            try openPKCS8("test-only-1024.pbes2-aes256.der", unlocker(password))
        }
        #expect(queuedRecords().isEmpty)
    }

    @Test func `No password is not a wrong one`() {
        #expect(throws: UnlockFailure.passwordRequired) {
            try openPKCS8("test-only-1024.pbes2-aes256.der", unlocker(nil))
        }
    }

    /// The file asks for 2048 iterations.
    @Test func `Iterations are limited for all that one unlocker opens`() throws {
        let name = "test-only-1024.pbes2-aes256.der"
        #expect(throws: UnlockFailure.tooMuchWork("asks for 2048 or more iterations of key derivation")) {
            try openPKCS8(name, unlocker(iterations: 2047))
        }
        let twice = unlocker(iterations: 2 * 2048)
        for _ in 0..<2 { #expect(throws: Never.self) { try openPKCS8(name, twice) } }
        #expect(throws: UnlockFailure.tooMuchWork("asks for 2048 or more iterations of key derivation")) {
            try openPKCS8(name, twice)
        }
    }

    /// The file asks for 128 * 16384 * 8 bytes (RFC 7914 §2).
    @Test func `The memory of scrypt is limited`() {
        let name = "test-only-1024.pbes2-scrypt.der"
        #expect(throws: UnlockFailure.tooMuchWork("asks for a scrypt of more than 15 MiB")) {
            try openPKCS8(name, unlocker(memory: 16 << 20 - 1))
        }
        #expect(throws: Never.self) { try openPKCS8(name, unlocker(memory: 16 << 20)) }
    }

    @Test(arguments: ["pkcs8-iterations", "pkcs8-scrypt"]) func `Excessive files are refused at once`(_ name: String) {
        expectRefusalWithoutWork { _ = try openPKCS8("bad/test-only-\(name).der", $0) }
    }

    /// None of the work that an unlocker has left is taken by what it refuses, so the next file opens with all of it.
    private func expectRefusalWithoutWork(_ open: (Unlocker) throws -> Void) {
        let strict = unlocker(iterations: 2048)
        for unlocker in [unlocker(), strict] {
            timed("a refusal of too many iterations, or of too much memory") {
                let error = #expect(throws: UnlockFailure.self) { try open(unlocker) }
                guard case .tooMuchWork = error else {
                    Issue.record("not the expected failure")
                    return
                }
            }
        }
        #expect(throws: Never.self) { try openPKCS8("test-only-1024.pbes2-aes256.der", strict) }
    }

    @Test func `An unknown key derivation is named`() {
        let error = #expect(throws: UnlockFailure.self) {
            try openPKCS8("bad/test-only-pkcs8-unknown-kdf.der", unlocker())
        }
        guard case .unsupported(let name) = error else {
            Issue.record("not the expected failure")
            return
        }
        #expect(!name.isEmpty)
    }

    // MARK: Encrypted PEM

    @Test func `Traditional PEM opens with its password only`() throws {
        let text = try TestKeys.bytes("formats/test-only-1024.traditional-aes256.pem")
        let block = try #require(try pemBlocks(in: text.span).first)
        let encryption = try #require(block.encryption)
        let opened = try block.content.withSpan { try encryption.decrypt($0, by: unlocker()) }
        #expect(try opened.array == TestKeys.bytes("formats/test-only-1024.pkcs1.der"))
        // One wrong password in 256 gives bytes, so several are tried.
        let refused = (0..<8).count { number in
            block.content.withSpan { try? encryption.decrypt($0, by: unlocker("wrong-\(number)")) } == nil
        }
        #expect(refused >= 6)
        #expect(queuedRecords().isEmpty)
    }

    // MARK: PKCS#12

    /// 2048 iterations each for the integrity code, the certificates and the key.
    @Test func `A PKCS#12 file opens within its work`() throws {
        let name = "test-only-1024.modern.p12"
        let content = try openPKCS12(name, unlocker(iterations: 3 * 2048))
        #expect(content.schemes == ["PBES2, AES-256-CBC"])
        let keys = content.entries.compactMap { entry in
            if case .privateKey(let der) = entry.content { der.array } else { nil }
        }
        #expect(try keys == [TestKeys.bytes("formats/test-only-1024.pkcs8.der")])
        #expect(queuedRecords().isEmpty)
        #expect(throws: UnlockFailure.tooMuchWork("asks for 2048 or more iterations of key derivation")) {
            try openPKCS12(name, unlocker(iterations: 3 * 2048 - 1))
        }
    }

    @Test func `A PKCS#12 file with another password or a change is refused`() {
        let name = "test-only-1024.modern.p12"
        #expect(throws: UnlockFailure.badPassword) { try openPKCS12(name, unlocker("wrong")) }
        #expect(throws: UnlockFailure.passwordRequired) { try openPKCS12(name, unlocker(nil)) }
        #expect(throws: UnlockFailure.badPassword) { try openPKCS12("bad/test-only-changed.p12", unlocker()) }
        #expect(throws: UnlockFailure.noIntegrityCode) { try openPKCS12("bad/test-only-no-mac.p12", unlocker()) }
        #expect(queuedRecords().isEmpty)
    }

    @Test func `A PKCS#12 file with too many iterations is refused at once`() {
        expectRefusalWithoutWork { _ = try openPKCS12("bad/test-only-p12-iterations.p12", $0) }
    }

    @Test func `The empty password is tried if none is given`() throws {
        let content = try openPKCS12("test-only-empty-password.p12", unlocker(nil))
        #expect(!content.entries.isEmpty)
    }

    // MARK: Writing

    @Test func `What is written encrypted opens again`() throws {
        let key = try TestKeys.privateKey("test-only-issuer-2048")
        let pem = try key.encryptedPEM(password: secret("sesame"), iterations: 1000)
        let block = try #require(try pem.withSpan { try pemBlocks(in: $0) }.first)
        #expect(block.label == "ENCRYPTED PRIVATE KEY")
        let opened = try block.content.withSpan { der in
            try EncryptedPKCS8(der: der).decrypted(by: unlocker("sesame", iterations: 1000))
        }
        let plain = try #require(try key.plainPEM().withSpan { try pemBlocks(in: $0) }.first)
        #expect(opened.array == plain.content.array)
    }

    @Test func `Passwords become UTF-16 for Java`() throws {
        #expect(try secret("aé€").utf16BigEndian().array == [0x00, 0x61, 0x00, 0xE9, 0x20, 0xAC])
        #expect(try secret("").utf16BigEndian().array == [])
    }
}
