#if Client
import Foundation
import TestVectors

/// The articles of the module, as text.
enum FlowArticles {
    static let here = URL(filePath: #filePath).deletingLastPathComponent()
    static let folder = Vectors.repository.appending(path: "Sources/Broker/EntitlementFlows/EntitlementFlows.docc")

    static func lines(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }

    static func article(_ name: String) throws -> [String] { try lines(folder.appending(path: name)) }

    /// The lines of a section of the guide: from its heading to the next one.
    static func section(_ heading: String, of name: String) throws -> [String] {
        let lines = try article(name)
        guard let start = lines.firstIndex(of: heading) else { return [] }
        return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("##") })
    }

    /// The cells of the tables in a section, without the rows of the head.
    static func rows(_ heading: String, of name: String) throws -> [[String]] {
        let lines = try section(heading, of: name).filter { $0.hasPrefix("|") }
        return lines.dropFirst(2).map { line in
            line.dropFirst().dropLast().components(separatedBy: "|")
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Lines as one text, with one space between words.
    static func words(of lines: [String]) -> String {
        lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    }

    /// The texts in backticks.
    static func names(in text: String) -> [String] {
        text.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }
}
#endif
