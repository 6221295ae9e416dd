#if Service
import EntitlementValues
import TextCodecs

/// Maps paths of media to the resources that they belong to.
///
/// Each rule is a path and a resource, separated by a space: `/live/ref30/* REF30`. The first rule that matches decides.
/// `*` at the end of a path matches one or more segments. `{resource}` matches one segment that is not empty, and the
/// resource must repeat it: `/vod/{resource}/* {resource}`.
struct ResourceMap: Sendable {
    private enum Part: Sendable {
        case exactly(String)
        case resource
        case rest
    }

    private struct Rule: Sendable {
        let parts: [Part]
        let resource: String
    }

    private var rules: [Rule] = []

    private static let placeholder = "{resource}"

    init() {}

    /// Reads rules.
    ///
    /// - Parameters:
    ///   - texts: The rules, the first with the number 1.
    ///   - faults: Takes a text for each rule that is malformed.
    init(_ texts: [String], faults: inout [String]) {
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
#endif
