import EntitlementKeys
import Foundation
import TestVectors
import Testing

/// The key files of `Vectors/keys`, made by other tools, each with what must be found in it.
@Suite struct KeyFileTests {
    struct List: Decodable {
        let files: [KeyFile]
    }

    struct KeyFile: Decodable, Sendable, CustomTestStringConvertible {
        let file: String
        let `private`: Bool
        let keys: [Key]?
        let expectedError: String?

        struct Key: Decodable, Sendable {
            let bits: Int
            let spkiSHA256: String
        }

        var testDescription: String { file }
    }

    static let files = Result {
        let bytes = try Data(contentsOf: URL(filePath: Vectors.key("keys.json")))
        return try JSONDecoder().decode(List.self, from: bytes).files
    }

    private static func files(_ isIncluded: (KeyFile) -> Bool) -> [KeyFile] {
        ((try? files.get()) ?? []).filter(isIncluded)
    }

    @Test func `List is read`() throws {
        let files = try Self.files.get()
        #expect(files.count > 100)
    }

    @Test(arguments: files { $0.expectedError == nil && !$0.private })
    func `Public keys are found`(_ file: KeyFile) throws {
        let found = try VerificationKeys(contentsOfFile: Vectors.key(file.file))
        #expect(found.keys.map(\.fingerprint) == file.keys?.map(\.spkiSHA256))
        #expect(found.keys.map(\.bits) == file.keys?.map(\.bits))
    }

    @Test(arguments: files { $0.expectedError == nil && $0.private })
    func `Private keys are found`(_ file: KeyFile) throws {
        let found = try SigningKey(contentsOfFile: Vectors.key(file.file), allowingWeakKeys: true)
        #expect([found.fingerprint] == file.keys?.map(\.spkiSHA256))
        #expect([found.bits] == file.keys?.map(\.bits))
    }

    @Test(arguments: files { $0.expectedError != nil && !$0.private })
    func `Bad public keys are refused`(_ file: KeyFile) throws {
        let path = Vectors.key(file.file)
        let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOfFile: path) }
        #expect(error?.code == file.expectedError)
        #expect(error?.file == path)
    }

    @Test(arguments: files { $0.expectedError != nil && $0.private })
    func `Bad private keys are refused`(_ file: KeyFile) throws {
        let path = Vectors.key(file.file)
        let error = #expect(throws: KeyError.self) { try SigningKey(contentsOfFile: path, allowingWeakKeys: true) }
        #expect(error?.code == file.expectedError)
    }

    @Test func `Oversized keys are refused for their size`() {
        let path = Vectors.key("bad/test-only-rsa-16384.spki.der")
        timed("an oversized key") {
            let error = #expect(throws: KeyError.self) { try VerificationKeys(contentsOfFile: path) }
            #expect(error?.code == "key_too_large")
        }
    }
}
