#if Service
import TextCodecs
import EntitlementValues

/// Says which path stands for which resource.
///
/// Written as lines of a path and a resource, separated by a space; the first line that fits counts. `*` at the end of a
/// path stands for one segment or more, `{resource}` for one segment, which the resource may repeat:
/// `/live/ref30/* REF30`, `/vod/{resource}/* {resource}`.
struct ResourceMap: Sendable {
    private enum Part: Sendable {
        case exactly(String)
        case resource
        case rest
    }

    private struct Line: Sendable {
        let parts: [Part]
        let resource: String
    }

    private var lines: [Line] = []

    private static let placeholder = "{resource}"

    init() {}

    init(_ texts: [String], _ faults: inout [String]) {
        for (index, text) in texts.enumerated() {
            if let line = Self.line(text) {
                lines.append(line)
            } else {
                faults.append(
                    "line \(index + 1) is not a path and a resource, as in \"/live/ref30/* REF30\" or "
                        + "\"/vod/{resource}/* {resource}\"")
            }
        }
    }

    private static func line(_ text: String) -> Line? {
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
        let holes = parts.count { if case .resource = $0 { true } else { false } }
        guard holes <= 1, resource.contains(placeholder) == (holes == 1) else { return nil }
        return Line(parts: parts, resource: resource)
    }

    /// The resource of a path; `nil` where no line fits.
    func resource(of segments: [String]) -> ResourceID? {
        for line in lines {
            guard let found = Self.match(line.parts, segments) else { continue }
            return ResourceID(
                found.isEmpty ? line.resource : line.resource.replacing(Self.placeholder, with: found))
        }
        return nil
    }

    /// What stands for `{resource}`, empty where there is none; `nil` where the path does not fit.
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
