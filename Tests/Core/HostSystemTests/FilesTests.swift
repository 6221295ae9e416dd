import Foundation
import HostSystem
import TestVectors
import Testing

@Suite struct FilesTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func newFolder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-files-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    private func array(_ memory: WipedBytes) -> [UInt8] {
        memory.withSpan { span in span.indices.map { span[$0] } }
    }

    // MARK: Names

    @Test(arguments: [
        "nowhere", "nowhere.pem", "-", "/etc/tve/secrets/issuer", "../keys/2026-11", "~/.local/state/tve/state.sqlite",
        "test-only-issuer-2048-pbes2-aes256", "a key of mine", "schlüssel", "Sources/Core/HostSystem/Files",
        "/run/secrets/6f1c90ab11d46f1c90ab11d46f1c90ab", "6f1c90ab11d46f1c90ab11d46f1c90ab.key", "/nix/store/0kx9/Keys",
        "/tmp/tve-keys-0B1E6A6C-6C55-4A30-9C6B-3F8C5B7D0E11/none", "C:/Users/Me/keys", "/Users/me/Projects/keys2",
        "/run/secrets/tve/Schlüssel-des-Herausgebers-2026", "/data/date=2026-11-28/salt-production",
        "/opt/libstdc++/tve/issuer-production-key",
    ])
    func `The name of a file is shown`(_ name: String) {
        #expect(Files.canBeName(name))
        #expect(Files.shown(name) == name)
        #expect(FileFailure.missing(name).reason == "no such file or folder")
    }

    @Test(arguments: [
        "", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIE", "a\nb",
        #"{"kty":"oct","k":"c2VjcmV0"}"#,
        "<signatureInfo>", "6f1c90ab11d46f1c90ab11d46f1c90ab", "6F1C90AB11D46F1C90AB11D46F1C90AB",
        "index 6f1c90ab11d46f1c90ab11d46f1c90ab", "0b1e6a6c-6c55-4a30-9c6b-3f8c5b7d0e11",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7", "gJ5sX/0eY9k+Qm2v7p1wRw==", "/J5sX/0eY9k+Qm2v7p1wRw==",
        "dGhpcyBpcyBhIHNl/Y3JldCB/rZXk5", "sed_aWJZSt9PSspHjXVumV-28mbIavCDr6eKLgcCsdM", "JBSWY3DPEHPK3PXPJBSWY3DPEH",
        "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.abcabc", String(repeating: "a-", count: 200),
        String(repeating: "a-/", count: 2000),
    ])
    func `What a file holds is not shown in the place of its name`(_ content: String) {
        #expect(!Files.canBeName(content))
        #expect(Files.shown(content) == "(not shown)")
        let failure = #expect(throws: FileFailure.self) { try Files.read(content, maximumSize: 9) }
        #expect(failure?.reason == "this is not the name of a file; name the file that holds it")
    }

    @Test func `A file is shown whatever its name is`() throws {
        try withFolder { folder in
            let path = "\(folder)/sed_aWJZSt9PSspHjXVumV {28}"
            #expect(Files.shown(path) == "(not shown)")
            try write([1], to: path)
            #expect(Files.shown(path) == path)
        }
    }

    // MARK: Reading

    /// One piece, its edges, and several pieces.
    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 40_000]) func `Files are read whole`(_ count: Int) throws {
        try withFolder { folder in
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }
            try write(content, to: "\(folder)/file")
            #expect(try array(Files.read("\(folder)/file", maximumSize: count)) == content)
            #expect(try array(Files.read("\(folder)/file", maximumSize: count + 1)) == content)
            guard count > 0 else { return }
            let error = #expect(throws: FileFailure.self) {
                try Files.read("\(folder)/file", maximumSize: count - 1)
            }
            #expect(error?.reason == "larger than \(count - 1) bytes")
            #expect(error?.isMissing == false)
        }
    }

    @Test func `A missing file is said to be missing`() throws {
        try withFolder { folder in
            try write([1], to: "\(folder)/file")
            for path in ["\(folder)/none", "\(folder)/file/below"] {
                let error = #expect(throws: FileFailure.self) { try Files.read(path, maximumSize: 10) }
                #expect(error?.isMissing == true)
                #expect(!Files.exists(path))
            }
        }
    }

    @Test func `A folder cannot be read as a file`() throws {
        try withFolder { folder in
            let error = #expect(throws: FileFailure.self) { try Files.read(folder, maximumSize: 10) }
            #expect(error?.isMissing == false)
            let kind = try Files.kind(of: folder)
            #expect(kind == .folder)
        }
    }

    @Test func `A descriptor is read to its end and stays open`() throws {
        try withFolder { folder in
            try write([1, 2, 3], to: "\(folder)/file")
            let file = try #require(FileHandle(forReadingAtPath: "\(folder)/file"))
            #expect(try array(Files.read(descriptor: file.fileDescriptor, maximumSize: 3)) == [1, 2, 3])
            #expect(try file.offset() == 3)
        }
        #expect(throws: FileFailure.self) { try Files.read(descriptor: 987, maximumSize: 3) }
    }

    // MARK: Folders

    @Test func `Visible files are sorted by their bytes`() throws {
        try withFolder { folder in
            for name in ["b", "a", "B", ".hidden", "é"] { try write([], to: "\(folder)/\(name)") }
            try FileManager.default.createDirectory(atPath: "\(folder)/folder", withIntermediateDirectories: false)
            let made = unsafe mkfifo("\(folder)/pipe", 0o600)
            #expect(made == 0)
            #expect(try Files.kind(of: "\(folder)/pipe") == .stream)
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/dangling", withDestinationPath: "/no/such/file")
            let names = ["B", "a", "b", "dangling", "é"]
            #expect(try Files.visibleFiles(in: folder) == names.map { "\(folder)/\($0)" })
            #expect(try Files.visibleFiles(in: folder + "/") == names.map { "\(folder)/\($0)" })
        }
        #expect(throws: FileFailure.self) { try Files.visibleFiles(in: "/no/such/folder") }
    }

    // MARK: Pipes

    /// A pipe that nothing comes from must not stop a service for good.
    @Test func `A silent pipe is given up`() async throws {
        let silence = PipeSilence(withoutWriter: .milliseconds(50), withWriter: .milliseconds(50))
        let folder = try newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/pipe"
        let made = unsafe mkfifo(path, 0o600)
        #expect(made == 0)
        let failure = await #expect(throws: FileFailure.self) {
            try await onOwnThread { try Files.read(path, maximumSize: 10, silence: silence).count }
        }
        #expect(failure?.reason == "is a pipe that nothing writes to")
        let unread = #expect(throws: FileFailure.self) { try Files.append([1], to: path) }
        #expect(unread?.reason == "is a pipe that nothing reads, or a socket")
        // One that is held open is given up, too, after what it gave.
        let held = unsafe open(path, O_RDWR)
        defer { close(held) }
        let stalled = await #expect(throws: FileFailure.self) {
            try await onOwnThread { try Files.read(path, maximumSize: 10, silence: silence).count }
        }
        #expect(stalled?.reason == "is a pipe whose writer sends nothing")
    }

    /// A service that reads its files once more waits for none of them.
    @Test func `Pipes and devices are refused at once by who does not wait`() throws {
        try withFolder { folder in
            let (path, file) = ("\(folder)/pipe", "\(folder)/file")
            let made = unsafe mkfifo(path, 0o600)
            #expect(made == 0)
            try write([1, 2], to: file)
            // A writer that sends nothing.
            let held = unsafe open(path, O_RDWR)
            defer { close(held) }
            try Files.withoutPipes {
                for path in [path, "/dev/null"] {
                    let failures = [
                        #expect(throws: FileFailure.self) { try Files.read(path, maximumSize: 10) },
                        #expect(throws: FileFailure.self) { try Files.readSecret(path, maximumSize: 10) },
                    ]
                    for failure in failures {
                        #expect(failure?.reason.hasPrefix("is a pipe or a device") == true)
                        #expect(failure?.isPassing == false)
                    }
                }
                let content = try array(Files.read(file, maximumSize: 10))
                #expect(content == [1, 2])
            }
        }
    }

    @Test func `A file that every user may change takes no more text`() throws {
        try withFolder { folder in
            let path = "\(folder)/events"
            try Files.append([1], to: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
            let failure = #expect(throws: FileFailure.self) { try Files.append([2], to: path) }
            #expect(failure?.reason.contains("every user may change it") == true)
            #expect(try array(Files.read(path, maximumSize: 10)) == [1])
        }
    }

    @Test func `A pipe is read to its end however slowly it is written`() async throws {
        let folder = try newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/pipe"
        let made = unsafe mkfifo(path, 0o600)
        #expect(made == 0)
        Thread.detachNewThread {
            guard let writer = FileHandle(forWritingAtPath: path) else { return }
            for piece in ["one", "two", String(repeating: "x", count: 40_000)] {
                try? writer.write(contentsOf: Data(piece.utf8))
                // Only so that the pieces come apart; they may come together.
                Thread.sleep(forTimeInterval: 0.05)
            }
            try? writer.close()
        }
        let patience = PipeSilence(withoutWriter: .seconds(120), withWriter: .seconds(120))
        let count = try await onOwnThread { try Files.read(path, maximumSize: 50_000, silence: patience).count }
        #expect(count == 40_006)
    }

    // MARK: Stamps

    /// A tool that keeps the time of the original must not keep a change from being seen.
    @Test func `A change with the same size and time is seen`() async throws {
        let folder = try newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/file"
        try write([1], to: path)
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        let first = try Files.stamps(at: path)
        #expect(try Files.stamps(at: path) == first)
        try await waitForTheClockOfFiles(in: folder)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: Data([2]))
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        #expect(try Files.stamps(at: path) != first)
    }

    /// The clock of a file system goes in steps of some milliseconds, so two files are made until they have two times.
    private func waitForTheClockOfFiles(in folder: String) async throws {
        func time(of name: String) throws -> Date? {
            try write([], to: "\(folder)/\(name)")
            return try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.modificationDate] as? Date
        }
        let first = try #require(try time(of: "first"))
        try await eventually("a step of the file system's clock") { try time(of: "second") ?? first > first }
    }

    @Test func `A stamp changes with the file`() throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            try write([1], to: path)
            let first = try Files.stamps(at: path)
            #expect(try Files.stamps(at: path) == first)
            try write([1, 2], to: path)
            let longer = try Files.stamps(at: path)
            #expect(longer != first)
            #expect(try Files.stamps(at: folder).map(\.path) == [path])
            #expect(try Files.stamps(at: folder) == longer)
        }
        #expect(throws: FileFailure.self) { try Files.stamps(at: "/no/such/file") }
    }

    /// A mounted secret is replaced by turning a link to a file of the same size and time.
    @Test func `A turned link changes the stamp`() throws {
        try withFolder { folder in
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            for name in [".one", ".two"] {
                try write([1], to: "\(folder)/\(name)")
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(folder)/\(name)")
            }
            let link = "\(folder)/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(folder)/.one")
            let first = try Files.stamps(at: link)
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(folder)/.two")
            #expect(try Files.stamps(at: link) != first)
        }
    }

    // MARK: Writing

    @Test(arguments: [(true, 0o600), (false, 0o644)]) func `New files have their mode`(_ isPrivate: Bool, _ mode: Int)
        throws
    {
        try withFolder { folder in
            let path = "\(folder)/file"
            let content = [UInt8](repeating: 7, count: 100_000)
            try Files.create(path, holding: WipedBytes(content.span), isPrivate: isPrivate)
            #expect(try array(Files.read(path, maximumSize: content.count)) == content)
            let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            // The mask of the process may take bits away, and never from the owner.
            #expect(found.map { $0 & ~mode } == 0)
            #expect(found.map { $0 & 0o600 } == 0o600)
            #expect(try Files.isOpenToOthers(path) == (found != 0o600))
            #expect(throws: FileFailure.self) {
                try Files.create(path, holding: WipedBytes([1, 2].span), isPrivate: isPrivate)
            }
            #expect(try array(Files.read(path, maximumSize: content.count)) == content)
            Files.remove(path)
            #expect(!Files.exists(path))
        }
    }

    @Test func `A private file that is replaced is for its owner alone, and another one keeps its mode`() throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            func mode() throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            try write([1], to: path)
            for (isPrivate, old, new) in [(false, 0o640, 0o640), (true, 0o640, 0o600), (false, 0o600, 0o600)] {
                try FileManager.default.setAttributes([.posixPermissions: old], ofItemAtPath: path)
                try Files.replace(path, with: [1, 2], isPrivate: isPrivate)
                #expect(try mode() == new)
            }
            #expect(try array(Files.read(path, maximumSize: 2)) == [1, 2])
            // Nothing is left of what cannot take its place.
            let failure = #expect(throws: FileFailure.self) {
                try Files.replace(folder, with: [1], isPrivate: false)
            }
            #expect(failure?.reason == "is a folder, not a file")
            #expect(!Files.exists("\(folder).new"))
        }
    }

    /// They lead to files, too, which must not be opened once more, and the names are not replaced.
    @Test func `Open streams are known by their names`() throws {
        for name in ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/2", "/dev/null"] {
            #expect(try OutputFile.stream(name) != nil, "\(name)")
        }
        try withFolder { folder in
            try write([1], to: "\(folder)/file")
            #expect(try OutputFile.stream("\(folder)/file") == nil)
            #expect(try OutputFile.stream("\(folder)/missing") == nil)
        }
    }

    @Test func `A pipe that nothing reads is given up, and stays`() async throws {
        let folder = try newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/pipe"
        let made = unsafe mkfifo(path, 0o600)
        #expect(made == 0)
        let failure = await #expect(throws: FileFailure.self) {
            try await onOwnThread { try Files.replace(path, with: [1], isPrivate: false) }
        }
        #expect(failure?.reason == "is a pipe that nothing reads, or a socket")
        #expect(try Files.kind(of: path) == .stream)
    }

    @Test func `A held file is not held a second time`() throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            let isHeld = try Files.holdUntilExit(path)
            #expect(isHeld)
            #expect(try !Files.holdUntilExit(path))
            #expect(try !Files.isOpenToOthers(path))
            #expect(try Files.holdUntilExit("\(folder)/other"))
            #expect(throws: FileFailure.self) { try Files.holdUntilExit("\(folder)/missing/file") }
        }
    }

    @Test func `A private file is written piece by piece`() throws {
        try withFolder { folder in
            let path = "\(folder)/file"
            let file = try OutputFile(path)
            try file.write([1, 2])
            try file.write([])
            try file.write([3])
            try file.finish()
            #expect(try array(Files.read(path, maximumSize: 3)) == [1, 2, 3])
            #expect(try !Files.isOpenToOthers(path))
            #expect(throws: FileFailure.self) { try OutputFile(path) }
        }
    }
}
