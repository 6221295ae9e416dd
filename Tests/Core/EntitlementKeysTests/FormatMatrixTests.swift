import EntitlementKeys
import Foundation
import TestVectors
import Testing

/// The files of `Vectors/keys/formats`: every format in four sizes, made by `openssl`, `keytool` and Python.
@Suite struct FormatMatrixTests {
    struct List: Decodable {
        let files: [File]
    }

    struct File: Decodable, Sendable, CustomTestStringConvertible {
        let file: String
        let contains: [String]?
        let encrypted: Bool
        let legacy: Bool?
        let bits: Int?
        let spkiSHA256: String?
        let `private`: Bool?
        let expectedError: String?

        var path: String { Vectors.key(file) }
        var testDescription: String { file }
        var holdsKey: Bool { contains?.contains("key") == true }
        var holdsPublic: Bool { contains.map { $0 != ["key"] } ?? false }
        /// Whether nothing at all can be read without the password.
        var isLockedAsAWhole: Bool { encrypted && (file.hasSuffix(".p12") || file.hasSuffix(".jks")) }
    }

    static let files = Result {
        try JSONDecoder().decode(List.self, from: Data(contentsOf: URL(filePath: Vectors.key("formats.json")))).files
    }

    static func files(_ isIncluded: (File) -> Bool) -> [File] {
        ((try? files.get()) ?? []).filter(isIncluded)
    }

    static let password = KeyPassword("test-only")
    static let wrong = KeyPassword("test-onlx")

    @Test func `List is read`() throws {
        let files = try Self.files.get()
        #expect(files.count { $0.expectedError == nil } == 4 * 45)
        #expect(files.count { $0.expectedError != nil } > 25)
    }

    @Test(arguments: files { $0.holdsKey })
    func `Private keys are found`(_ file: File) throws {
        let password = file.encrypted ? Self.password : nil
        let key = try SigningKey(contentsOfFile: file.path, password: password, allowingWeakKeys: true)
        #expect(key.fingerprint == file.spkiSHA256)
        #expect(key.bits == file.bits)
        #expect((key.validity != nil) == file.holdsPublic)
        let ring = try DecryptionKeys(contentsOfFile: file.path, password: password, allowingWeakKeys: true)
        #expect(ring.keys.map(\.fingerprint) == [key.fingerprint])
    }

    @Test(arguments: files { $0.holdsPublic })
    func `Public keys are found`(_ file: File) throws {
        let keys = try VerificationKeys(contentsOfFile: file.path, password: file.encrypted ? Self.password : nil)
        #expect(keys.keys.map(\.fingerprint) == [file.spkiSHA256])
        #expect(keys.keys.map(\.bits) == [file.bits])
    }

    @Test(arguments: files { $0.expectedError == nil })
    func `Entries are listed`(_ file: File) throws {
        let inventory = try KeyInventory(contentsOfFile: file.path, password: Self.password)
        #expect(inventory.entries.count == file.contains?.count)
        for entry in inventory.entries {
            #expect(entry.fingerprint == file.spkiSHA256)
            #expect(entry.problem == nil)
            #expect(entry.isWeak == (file.bits == 1024))
            #expect((entry.kind == .certificate) == (entry.subject?.hasPrefix("CN=Issuer") == true))
        }
    }

    @Test(arguments: files { $0.encrypted && $0.expectedError == nil })
    func `A wrong password is named as such`(_ file: File) throws {
        timed("a file with a wrong password") {
            let error = #expect(throws: KeyError.self) {
                try KeyInventory(contentsOfFile: file.path, password: Self.wrong)
            }
            #expect(error?.code == "bad_password")
        }
    }

    @Test(arguments: files { $0.encrypted && $0.expectedError == nil })
    func `A missing password is asked for`(_ file: File) throws {
        let error = #expect(throws: KeyError.self) {
            if file.holdsKey {
                _ = try SigningKey(contentsOfFile: file.path, allowingWeakKeys: true)
            } else {
                _ = try VerificationKeys(contentsOfFile: file.path)
            }
        }
        #expect(error?.code == "password_required")
        if file.isLockedAsAWhole { return }
        let inventory = try KeyInventory(contentsOfFile: file.path)
        #expect(inventory.entries.map(\.kind) == [.encryptedPrivateKey])
    }

    @Test(arguments: files { $0.expectedError != nil })
    func `Bad files are refused`(_ file: File) throws {
        timed("a bad file") {
            let error = #expect(throws: KeyError.self) {
                if file.private == true {
                    _ = try SigningKey(contentsOfFile: file.path, password: Self.password)
                } else {
                    _ = try VerificationKeys(contentsOfFile: file.path, password: Self.password)
                }
            }
            #expect(error?.code == file.expectedError)
            #expect(error?.file == file.path)
            #expect(error.map { "\($0)".contains("test-only-") } == true)
        }
    }
}
