import EntitlementKeys
import EntitlementValues
import Foundation
import MetadataDecryption
import TestVectors
import Testing
import TextCodecs

/// A decrypter that follows the files of its keys.
@Suite struct RotatingDecrypterTests {
    @Test func `It follows its files and keeps the counts`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-ring-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Renames each file when it is complete: names with a dot are not read.
        func write(_ text: String, as name: String) throws {
            let hidden = folder.appending(path: ".\(name).pem")
            try Data(text.utf8).write(to: hidden)
            try FileManager.default.moveItem(at: hidden, to: folder.appending(path: "\(name).pem"))
        }
        func add(_ name: String) throws {
            let source = Vectors.key("test-only-\(name).pkcs8.pem")
            try write(String(contentsOfFile: source, encoding: .utf8), as: name)
        }
        func value(for name: String) throws -> String {
            Base64.encode(try TestRing.keys(name).encrypt(Array("94107".utf8)))
        }
        try add("issuer-2048")
        let (rotations, report) = AsyncStream.makeStream(of: KeyRotation.self)
        var reports = rotations.makeAsyncIterator()
        let decrypter = try RotatingDecrypter(
            keysAt: [folder.path], every: .milliseconds(5), report: { report.yield($0) })
        let first = try decrypter.current.decrypt(value(for: "issuer-2048"), of: .zip)
        #expect(first.text == "94107")
        #expect(throws: MetadataDecryptionError.undecryptable) {
            try decrypter.current.decrypt(value(for: "other-2048"), of: .zip)
        }
        try add("other-2048")
        #expect(await reports.next() == .replaced)
        #expect(try decrypter.current.decrypt(value(for: "other-2048"), of: .zip).text == "94107")
        let again = try decrypter.current.decrypt(value(for: "issuer-2048"), of: .zip)
        #expect(again.key.use.successes == 2)

        try write("half a key", as: "c")
        guard case .refused = await reports.next() else {
            Issue.record("a bad file is reported")
            return
        }
        #expect(try decrypter.current.decrypt(value(for: "other-2048"), of: .zip).text == "94107")
    }

    @Test func `It does not begin without keys`() {
        #expect(throws: KeyError.self) { try RotatingDecrypter(keysAt: []) }
        #expect(throws: KeyError.self) {
            try RotatingDecrypter(keysAt: [Vectors.key("test-only-issuer-2048.spki.pem")])
        }
        #expect(throws: KeyError.self) {
            try RotatingDecrypter(keysAt: [Vectors.key("test-only-issuer-1024.pkcs8.pem")])
        }
    }
}
