/// A piece of a page, in which every text that was put in is escaped: `"<td>\(name)</td>"`.
package struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The markup.
    package private(set) var text: String

    package init(stringLiteral text: String) { self.text = text }
    package init(stringInterpolation parts: Parts) { text = parts.text }

    /// Puts pieces one after the other.
    package init(_ pieces: [HTML]) { text = pieces.map(\.text).joined() }

    package static func += (one: inout HTML, other: HTML) { one.text += other.text }

    /// Collects literals as they are, and values escaped.
    package struct Parts: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }
        package mutating func appendInterpolation(_ number: Int) { text += String(number) }
        package mutating func appendInterpolation(_ piece: HTML) { text += piece.text }
        package mutating func appendInterpolation(_ pieces: [HTML]) { text += HTML(pieces).text }
    }

    /// Replaces controls other than line ends, and what turns the direction of writing, by U+FFFD: no page may hold them.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n": result += "\n"
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
