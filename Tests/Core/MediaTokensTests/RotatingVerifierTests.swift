import EntitlementKeys
import EntitlementValues
import Foundation
import MediaTokens
import TVETesting
import TestVectors
import Testing

/// A verifier that follows the files of its keys.
@Suite struct RotatingVerifierTests {
    static let now = TestIssuerTests.now
    static let issuer = "test-only-issuer-2048"
    static let other = "test-only-other-2048"

    /// A folder for keys, removed at the end.
    private final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory.appending(path: "tve-rotation-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: url) }

        func add(_ key: String, as name: String) throws {
            try write(String(contentsOfFile: Vectors.key("\(key).spki.pem"), encoding: .utf8), as: name)
        }

        /// Renames the file when it is complete: names with a dot are not read.
        func write(_ text: String, as name: String) throws {
            let hidden = url.appending(path: ".\(name)")
            try Data(text.utf8).write(to: hidden)
            try FileManager.default.moveItem(at: hidden, to: url.appending(path: name))
        }

        func remove(_ name: String) throws { try FileManager.default.removeItem(at: url.appending(path: name)) }
    }

    private func code(_ key: String, _ verifier: RotatingVerifier) throws -> String {
        let token = try TestIssuerTests.issuer("\(key).pkcs8.pem").issue(TestIssuerTests.claims)
        return verifier.current.verdict(on: token, expecting: TestIssuerTests.expectations, at: Self.now).code
    }

    @Test func `It follows its files`() async throws {
        let (folder, second) = (try Folder(), try Folder())
        try folder.add(Self.issuer, as: "a.pem")
        let (rotations, report) = AsyncStream.makeStream(of: KeyRotation.self)
        var reports = rotations.makeAsyncIterator()
        try second.add("test-only-issuer-3072", as: "c.pem")
        let verifier = try RotatingVerifier(
            keysAt: [folder.url.path, second.url.path], every: .milliseconds(5), report: { report.yield($0) })
        #expect(try code(Self.issuer, verifier) == "valid")
        #expect(try code("test-only-issuer-3072", verifier) == "valid")
        #expect(try code(Self.other, verifier) == "bad_signature")

        try folder.write("half a key", as: "b.pem")
        guard case .refused(let error) = await reports.next() else { throw Unexpected() }
        #expect(error.file.hasSuffix("b.pem"))
        #expect(try code(Self.issuer, verifier) == "valid", "a bad file changes nothing")

        try folder.remove("b.pem")
        #expect(await reports.next() == .replaced)
        try second.remove("c.pem")
        try second.add(Self.other, as: "d.pem")
        try await eventually("the new key") { try code(Self.other, verifier) == "valid" }
        #expect(try code("test-only-issuer-3072", verifier) == "bad_signature")
        #expect(try code(Self.issuer, verifier) == "valid")
    }

    @Test func `It ends with its owner`() async throws {
        let folder = try Folder()
        try folder.add(Self.issuer, as: "a.pem")
        let time = ManualTime(at: Self.now)
        var verifier: RotatingVerifier? = try RotatingVerifier(keysAt: [folder.url.path], by: time.source)
        #expect(verifier != nil)
        try await eventually("a verifier that waits") { time.sleepers > 0 }
        verifier = nil
        try await eventually("a verifier that has ended") { time.sleepers == 0 }
    }

    @Test func `It does not begin without keys`() throws {
        let folder = try Folder()
        for paths in [[], [folder.url.path], [folder.url.path + "/missing"]] {
            #expect(throws: KeyError.self) { try RotatingVerifier(keysAt: paths) }
        }
        try folder.write("no key", as: "a.pem")
        #expect(throws: KeyError.self) { try RotatingVerifier(keysAt: [folder.url.path]) }
    }

    @Test func `A password opens what is encrypted`() throws {
        let store = Vectors.key("formats/test-only-2048.jks")
        let verifier = try RotatingVerifier(keysAt: [store], password: KeyPassword("test-only"))
        #expect(try code(Self.issuer, verifier) == "valid")
        let folder = try KeyFolder(paths: [store], password: KeyPassword("test-only"))
        #expect(folder.keys.keys.count == 1)
        #expect(folder.paths == [store])
    }

    private struct Unexpected: Error {}
}
