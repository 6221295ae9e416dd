import EntitlementKeys
import EntitlementValues
import Foundation
import Synchronization
import TestVectors
import Testing

@Suite struct KeyFolderTests {
    static let issuer = Vectors.key("test-only-issuer-2048.spki.pem")
    static let other = Vectors.key("test-only-other-2048.spki.pem")

    @Test func `A new file replaces the set`() throws {
        try withFolder { folder in
            try copy(Self.issuer, to: folder, as: "a.pem")
            let watched = try KeyFolder(path: folder.path)
            #expect(watched.reload() == nil)
            try copy(Self.other, to: folder, as: "b.pem")
            let change = watched.reload()
            guard case .replaced(let keys) = change else { throw Unexpected() }
            #expect(keys.keys.map(\.label) == ["a.pem", "b.pem"])
            #expect(watched.keys.keys.count == 2)
            #expect(watched.reload() == nil)
            try FileManager.default.removeItem(at: folder.appending(path: "a.pem"))
            _ = watched.reload()
            #expect(watched.keys.keys.map(\.label) == ["b.pem"])
        }
    }

    @Test func `A bad file keeps the set and is reported once`() throws {
        try withFolder { folder in
            try copy(Self.issuer, to: folder, as: "a.pem")
            let watched = try KeyFolder(path: folder.path)
            try Data("half a key".utf8).write(to: folder.appending(path: "b.pem"))
            guard case .refused(let error) = watched.reload() else { throw Unexpected() }
            #expect(error.file.hasSuffix("b.pem"))
            #expect(watched.keys.keys.map(\.label) == ["a.pem"])
            #expect(watched.reload() == nil)
            try copy(Self.other, to: folder, as: "b.pem")
            guard case .replaced = watched.reload() else { throw Unexpected() }
            #expect(watched.keys.keys.count == 2)
        }
    }

    @Test func `Files that could not be read are read again although they have not changed`() throws {
        try withFolder { folder in
            try copy(Self.issuer, to: folder, as: "a.pem")
            let calls = Mutex(0)
            let watcher = try KeyWatcher<Int>(
                paths: [folder.path],
                reading: { () throws(KeyError) in
                    let call = calls.withLock { calls in
                        calls += 1
                        return calls
                    }
                    guard call == 1 || call > 3 else { throw .unreadable(file: "b.pem", reason: "too many open files") }
                    return call
                },
                continuing: { found, _ in found })
            try copy(Self.other, to: folder, as: "b.pem")
            guard case .failure = watcher.reload() else { throw Unexpected() }
            #expect(watcher.reload() == nil, "it is reported once")
            guard case .success(4) = watcher.reload() else { throw Unexpected() }
            #expect(watcher.reload() == nil && watcher.keys == 4)
        }
    }

    /// Who takes a compromised key away must not have to mend other files first.
    @Test func `A key that is taken away is dropped also beside a bad file`() throws {
        try withFolder { folder in
            try copy(Self.issuer, to: folder, as: "a.pem")
            try copy(Self.other, to: folder, as: "b.pem")
            let watched = try KeyFolder(path: folder.path)
            try Data("half a key".utf8).write(to: folder.appending(path: "c.pem"))
            guard case .refused = watched.reload() else { throw Unexpected() }
            #expect(watched.keys.keys.count == 2)
            try FileManager.default.removeItem(at: folder.appending(path: "a.pem"))
            guard case .replaced(let rest) = watched.reload() else { throw Unexpected() }
            #expect(rest.keys.map(\.label) == ["b.pem"] && watched.keys.keys.map(\.label) == ["b.pem"])
            guard case .refused(let error) = watched.reload() else { throw Unexpected() }
            #expect(error.file.hasSuffix("c.pem") && watched.reload() == nil)
            // Its own file is there, with another key.
            try copy(Vectors.key("test-only-issuer-3072.spki.pem"), to: folder, as: "b.pem")
            guard case .replaced(let none) = watched.reload() else { throw Unexpected() }
            #expect(none.keys.isEmpty)
        }
    }

    /// What is in its place cannot have the key.
    @Test(arguments: ["half", "empty", "folder", "pipe", "loop", "device"])
    func `A file that cannot have its key any more does not keep it`(_ change: String) throws {
        try withFolder { folder in
            let file = folder.appending(path: "a.pem")
            try copy(Self.issuer, to: folder, as: "a.pem")
            let watched = try KeyFolder(path: file.path)
            if change != "half" { try FileManager.default.removeItem(at: file) }
            switch change {
            case "half": try Data("half a key".utf8).write(to: file)
            case "empty": try Data().write(to: file)
            case "folder": try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            case "pipe":
                let made = unsafe mkfifo(file.path, 0o600)
                #expect(made == 0)
            case "loop":
                try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: file.path)
            default: try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/null")
            }
            guard case .replaced(let rest) = watched.reload() else { throw Unexpected() }
            #expect(rest.keys.isEmpty && watched.keys.keys.isEmpty)
            guard case .refused = watched.reload() else { throw Unexpected() }
            try? FileManager.default.removeItem(at: file)
            try copy(Self.issuer, to: folder, as: "a.pem")
            guard case .replaced = watched.reload() else { throw Unexpected() }
            #expect(watched.keys.keys.count == 1)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may read every file"))
    func `A file that may not be read keeps its key`() throws {
        try withFolder { folder in
            try copy(Self.issuer, to: folder, as: "a.pem")
            let watched = try KeyFolder(path: folder.path)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0], ofItemAtPath: folder.appending(path: "a.pem").path)
            guard case .refused = watched.reload() else { throw Unexpected() }
            #expect(watched.keys.keys.count == 1)
        }
    }

    @Test func `A vanished folder ends its keys`() throws {
        try withFolder { folder in
            let inner = folder.appending(path: "keys")
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            try copy(Self.issuer, to: inner, as: "a.pem")
            let watched = try KeyFolder(path: inner.path)
            try FileManager.default.removeItem(at: inner)
            guard case .replaced = watched.reload() else { throw Unexpected() }
            #expect(watched.keys.keys.isEmpty)
            guard case .refused(.noSuchFile) = watched.reload() else { throw Unexpected() }
            #expect(watched.reload() == nil)
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            try copy(Self.issuer, to: inner, as: "a.pem")
            guard case .replaced = watched.reload() else { throw Unexpected() }
        }
    }

    @Test func `Uses are counted across reloads`() throws {
        try withFolder { folder in
            try copy(Self.issuer, to: folder, as: "a.pem")
            let watched = try KeyFolder(path: folder.path)
            let first = try #require(watched.keys.keys.first)
            #expect(first.use.count == 0 && first.use.last == nil)
            first.noteUse(at: Timestamp(milliseconds: 5))
            try copy(Self.other, to: folder, as: "b.pem")
            _ = watched.reload()
            first.noteUse(at: Timestamp(milliseconds: 7))
            #expect(watched.keys.keys.map(\.use.count) == [2, 0])
            #expect(watched.keys.keys.first?.use.last == Timestamp(milliseconds: 7))
        }
    }

    @Test func `Changes are reported until cancelled`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try copy(Self.issuer, to: folder, as: "a.pem")
        let watched = try KeyFolder(path: folder.path)
        let task = Task {
            var counts: [Int] = []
            for await change in watched.changes(every: .milliseconds(5)) {
                if case .replaced(let keys) = change { counts.append(keys.keys.count) }
                if counts.count == 1 { return counts }
            }
            return counts
        }
        try copy(Self.other, to: folder, as: "b.pem")
        let counts = await task.value
        #expect(counts == [2])
        let endless = Task { for await _ in watched.changes(every: .milliseconds(5)) {} }
        endless.cancel()
        await endless.value
    }

    @Test func `Many readers see whole sets while it changes`() async throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try copy(Self.issuer, to: folder, as: "a.pem")
        let watched = try KeyFolder(path: folder.path)
        let odd = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<2000).count { _ in !(1...2).contains(watched.keys.keys.count) } }
            }
            group.addTask {
                for round in 0..<50 {
                    let file = folder.appending(path: "b.pem")
                    if round % 2 == 0 {
                        try? copy(Self.other, to: folder, as: "b.pem")
                    } else {
                        try? FileManager.default.removeItem(at: file)
                    }
                    _ = watched.reload()
                }
                return 0
            }
            return await group.reduce(0, +)
        }
        #expect(odd == 0)
    }

    private struct Unexpected: Error {}

    private func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-folder-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func copy(_ file: String, to folder: URL, as name: String) throws {
        let target = folder.appending(path: name)
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.copyItem(atPath: file, toPath: target.path)
    }
}
