#if CLI
import ArgumentParser
import EntitlementKeys
import HostSystem
import TextCodecs

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Inspect, compare, convert and generate keys and certificates.",
        subcommands: [KeysInspect.self, KeysMatch.self, KeysConvert.self, KeysGenerate.self]
    )
}

/// A file that a command makes; it never overwrites another one.
struct NewFile {
    let path: String
    let content: WipedBytes
    let isPrivate: Bool

    /// Refuses paths that exist, and the dash, which would be a file of this name.
    static func refuseExisting(_ paths: [String]) throws(CommandFailure) {
        guard !paths.contains("-") else {
            throw .usage("- is not a file; the command writes files only, so name one", file: "-")
        }
        for path in paths where Files.exists(path) {
            throw CommandFailure("io", "\(path): exists already, and is left as it is", file: path, exitCode: .io)
        }
    }

    /// Writes files that belong together; if one fails, removes those already written, so that the command can be repeated.
    static func writeAll(_ files: [NewFile]) throws(CommandFailure) {
        for (count, file) in files.enumerated() {
            do {
                try file.write()
            } catch {
                for written in files.prefix(count) { Files.remove(written.path) }
                throw error
            }
        }
    }

    func write() throws(CommandFailure) {
        try using(path, file: path, Files.create(path, holding: content, isPrivate: isPrivate))
    }
}

extension NewFile {
    init(_ path: String, holding text: String) {
        self.init(path: path, content: text.withBytes { WipedBytes($0) }, isPrivate: false)
    }
}
#endif
