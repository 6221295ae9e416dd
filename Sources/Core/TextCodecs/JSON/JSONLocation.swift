/// Says where in a JSON text a value is.
///
/// It holds names of members, never values.
public struct JSONLocation: Sendable, Hashable {
    /// One step down.
    public enum Step: Sendable, Hashable {
        /// To the member of an object.
        case member(String)
        /// To the element of an array; the first is 0.
        case element(Int)
    }

    /// The steps from the outermost value.
    public let steps: [Step]

    /// The steps as a JSON Pointer (RFC 6901): `/decisions/0/token/notAfter`; empty for the outermost value.
    public var pointer: String { steps.map(\.token).joined() }

    /// The name of the innermost member on the way; `nil` if there is none.
    package var lastMember: String? {
        for case .member(let name) in steps.reversed() { return name }
        return nil
    }

    package static let root = JSONLocation(steps: [])

    package static func + (path: JSONLocation, step: Step) -> JSONLocation {
        var steps = path.steps
        steps.append(step)
        return JSONLocation(steps: steps)
    }

    package static func + (path: JSONLocation, name: String) -> JSONLocation {
        path + .member(name)
    }
}

extension JSONLocation: CustomStringConvertible {
    /// The steps with dots and brackets: `decisions[0].token.notAfter`.
    ///
    /// Names that are not plain words are quoted, escaped and cut after 64 characters; `$` is the outermost value.
    public var description: String {
        if steps.isEmpty { return "$" }
        return steps.reduce(into: "") { text, step in
            switch step {
            case .element(let index): text += "[\(index)]"
            case .member(let name) where name.isPlainWord: text += text.isEmpty ? name : ".\(name)"
            case .member(let name): text += "[\"\(name.quotable)\"]"
            }
        }
    }
}

extension JSONLocation.Step {
    fileprivate var token: String {
        switch self {
        case .element(let index): return "/\(index)"
        case .member(let name):
            return name.unicodeScalars.reduce(into: "/") { token, scalar in
                switch scalar {
                case "~": token += "~0"
                case "/": token += "~1"
                default: token.unicodeScalars.append(scalar)
                }
            }
        }
    }
}

extension String {
    private static let maximumLength = 64

    fileprivate var isPlainWord: Bool {
        guard 1...Self.maximumLength ~= utf8.count, utf8.first?.isASCIIDigit == false else { return false }
        return utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
    }

    fileprivate var quotable: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(Self.maximumLength) {
            if scalar == "\"" || scalar == "\\" { scalars.append("\\") }
            scalars.append(scalar)
        }
        return String(scalars).printable + (unicodeScalars.dropFirst(Self.maximumLength).isEmpty ? "" : "…")
    }
}
