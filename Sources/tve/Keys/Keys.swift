#if CLI
import TextCodecs
import HostSystem
import ArgumentParser
import EntitlementKeys

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Look at, compare, convert and make keys and certificates.",
        subcommands: [KeysInspect.self, KeysMatch.self, KeysConvert.self, KeysGenerate.self]
    )
}

/// Files that a command makes, never over another one.
struct NewFile {
    let path: String
    let content: WipedBytes
    let isPrivate: Bool

    static func refuseExisting(_ paths: [String], _ form: OutputForm) throws {
        for path in paths where Files.exists(path) {
            throw Console.fail("io", file: path, "\(path): exists already, and stays as it is", form, .io)
        }
    }

    /// Writes all of some files that belong together, or leaves none behind: the next attempt writes them anew.
    static func writeAll(_ files: [NewFile], _ form: OutputForm) throws {
        for (count, file) in files.enumerated() {
            do {
                try file.write(form)
            } catch {
                for written in files.prefix(count) { Files.remove(written.path) }
                throw error
            }
        }
    }

    func write(_ form: OutputForm) throws {
        do throws(FileFailure) {
            try Files.create(path, holding: content, isPrivate: isPrivate)
        } catch {
            throw Console.fail("io", file: path, "\(path): \(error.reason)", form, .io)
        }
    }
}

extension NewFile {
    init(_ path: String, holding text: String) {
        self.init(path: path, content: text.withBytes { WipedBytes($0) }, isPrivate: false)
    }
}
#endif
