#if Service
package import EntitlementValues
import TextCodecs

/// Maps paths of media to the resources that they belong to.
///
/// Each rule is a path and a resource, separated by a space: `/live/ref30/* REF30`. The first rule that matches decides.
/// `*` at the end of a path matches one or more segments. `{resource}` matches one segment that is not empty, and the
/// resource must repeat it: `/vod/{resource}/* {resource}`.
package struct ResourceMap: Sendable {
    fileprivate enum Part: Sendable {
        case exactly(String)
        case resource
        case rest
    }

    fileprivate struct Rule: Sendable {
        let parts: [Part]
        let resource: String
    }

    private var rules: [Rule] = []

    private static let placeholder = "{resource}"

    init() {}

    /// Reads rules, the first with the number 1; adds a text to `faults` for each rule that is malformed.
    package init(_ texts: [String], faults: inout [String]) {
        for (index, text) in texts.enumerated() {
            if let rule = Self.rule(text) {
                rules.append(rule)
            } else {
                faults.append(
                    "rule \(index + 1) is not a path and a resource, as in \"/live/ref30/* REF30\" or "
                        + "\"/vod/{resource}/* {resource}\"")
            }
        }
    }

    private static func rule(_ text: String) -> Rule? {
        let path = text.prefix { $0 != " " }
        let resource = String(text.dropFirst(path.count + 1))
        guard !resource.isEmpty, path.hasPrefix("/"), !path.contains("?"), !path.contains("#") else { return nil }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var parts: [Part] = []
        for (index, segment) in segments.enumerated() {
            switch segment {
            case "*":
                guard index == segments.count - 1 else { return nil }
                parts.append(.rest)
            case Substring(placeholder): parts.append(.resource)
            default: parts.append(.exactly(String(segment)))
            }
        }
        let placeholders = parts.count { if case .resource = $0 { true } else { false } }
        guard placeholders <= 1, resource.contains(placeholder) == (placeholders == 1) else { return nil }
        return Rule(parts: parts, resource: resource)
    }

    /// The resource of a path; `nil` if no rule matches.
    func resource(of segments: [String]) -> ResourceID? {
        for rule in rules {
            guard let found = Self.match(rule.parts, segments) else { continue }
            return ResourceID(
                found.isEmpty ? rule.resource : rule.resource.replacing(Self.placeholder, with: found))
        }
        return nil
    }

    /// Whether a rule opens a whole folder.
    var hasFolders: Bool { rules.contains { $0.opensFolder } }

    /// The numbers of the rules that never decide, each with that of an earlier rule that takes all of its paths.
    var unreachableRules: [(rule: Int, takenBy: Int)] {
        rules.indices.compactMap { index in
            rules[..<index].firstIndex { Self.takes($0.parts, allOf: rules[index].parts) }
                .map { (rule: index + 1, takenBy: $0 + 1) }
        }
    }

    /// Whether a rule matches every path that another one matches.
    private static func takes(_ parts: [Part], allOf others: [Part]) -> Bool {
        for (index, part) in parts.enumerated() {
            guard index < others.count else { return false }
            switch (part, others[index]) {
            case (.rest, _): return true
            case (.resource, .resource): continue
            case (.resource, .exactly(let text)): if text.isEmpty { return false }
            case (.exactly(let one), .exactly(let other)): if !one.hasSameBytes(as: other) { return false }
            default: return false
            }
        }
        return parts.count == others.count
    }

    /// The folders that belong to a resource alone, with `/` at both ends.
    ///
    /// A folder in which an earlier rule has paths is left out: an edge knows the folder only.
    package func folders(of resource: ResourceID) -> [String] {
        rules.enumerated().compactMap { number, rule in
            guard rule.opensFolder, let segments = rule.folder(of: resource.rawValue, placeholder: Self.placeholder),
                !rules[..<number].contains(where: { Self.canMatch($0.parts, below: segments) })
            else { return nil }
            return "/" + segments.map { "\($0)/" }.joined()
        }
    }

    /// The folders of all rules; where one has `{resource}`, that of a resource with a short name.
    var shortestFolders: [String] {
        rules.flatMap { folders(of: ResourceID($0.resource.replacing(Self.placeholder, with: "r"))) }
    }

    /// Whether a rule can match a path below a folder.
    private static func canMatch(_ parts: [Part], below folder: [String]) -> Bool {
        for (part, segment) in zip(parts, folder) {
            switch part {
            case .exactly(let text): if !text.hasSameBytes(as: segment) { return false }
            case .resource: continue
            case .rest: return true
            }
        }
        return parts.count > folder.count
    }

    /// The segment that `{resource}` matches, empty if the rule has no `{resource}`; `nil` if the path does not match.
    private static func match(_ parts: [Part], _ segments: [String]) -> String? {
        var found = ""
        for (index, part) in parts.enumerated() {
            if case .rest = part { return index < segments.count ? found : nil }
            guard index < segments.count else { return nil }
            switch part {
            case .exactly(let text): guard text.hasSameBytes(as: segments[index]) else { return nil }
            case .resource:
                guard !segments[index].isEmpty else { return nil }
                found = segments[index]
            case .rest: break
            }
        }
        return parts.count == segments.count ? found : nil
    }
}

extension ResourceMap.Rule {
    /// Whether the rule ends with `*`.
    fileprivate var opensFolder: Bool { if case .rest = parts.last { true } else { false } }

    /// The segments of the folder that the rule gives a resource; `nil` if the rule is for other resources.
    fileprivate func folder(of resource: String, placeholder: String) -> [String]? {
        let texts = self.resource.split(separator: placeholder, omittingEmptySubsequences: false)
        // The segment repeats itself as often as the placeholder does.
        let rest = resource.utf8.count - texts.reduce(0) { $0 + $1.utf8.count }
        var found = ""
        if texts.count > 1 {
            guard rest > 0, rest.isMultiple(of: texts.count - 1) else { return nil }
            let tail = resource.utf8.dropFirst(texts[0].utf8.count).prefix(rest / (texts.count - 1))
            found = String(Substring(tail))
        }
        guard !found.contains("/"), self.resource.replacing(placeholder, with: found).hasSameBytes(as: resource) else {
            return nil
        }
        return parts.compactMap { part in
            switch part {
            case .exactly(let text): text
            case .resource: found
            case .rest: nil
            }
        }
    }
}
#endif
