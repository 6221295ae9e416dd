import TextCodecs

/// Tells paths that all servers read alike from others.
package enum RequestPath {
    /// Tells whether a server may read a decoded segment as a step up, as nothing, or as several segments.
    ///
    /// Such segments have a slash or a backslash, or only dots, or nothing, before their first `;`, `?` or `#`: servlet
    /// containers drop what begins with `;`, and servers that decode before they split drop a query. So have those that
    /// come to this
    /// - once more escapes are resolved, however many: some servers decode twice;
    /// - without white space of any kind, `+`, controls and characters that show nothing: some servers drop them;
    /// - with other forms of the same characters, such as `．`, `‥` and `／`: some servers normalise texts (NFKC), or convert
    ///   them to an encoding that has no such forms.
    ///
    /// Bytes that are not UTF-8 count as nothing: in other encodings they may be white space.
    ///
    /// - Parameter segment: What stands between two slashes, with its escapes resolved once.
    /// - Returns: Whether the path that the segment is in may be another one elsewhere.
    package static func hasOtherReading(_ segment: some Collection<UInt8>) -> Bool {
        var text = Array(segment)
        if text.allSatisfy({ $0.isURLSafe || $0 == dot }) { return text.allSatisfy { $0 == dot } }
        // What is resolved may be a disguise of something else, so this goes on until nothing changes.
        for _ in 0..<maximumRounds {
            let plainer = withoutDisguises(withoutEscapes(text))
            if plainer == text {
                let name = text.prefix { !";?#".utf8.contains($0) }
                return text.contains(where: isSeparator) || name.allSatisfy { $0 == dot }
            }
            text = plainer
        }
        return true
    }

    /// No name needs more: what is left then was made to take long.
    private static let maximumRounds = 8

    /// Whether a path has one reading.
    ///
    /// It begins with `/`, and has no empty segment but the last, none that has another reading, no backslash, no control,
    /// and no escape of a character that may stand for itself or could separate segments: `%61`, `%2e`, `%2F`, `%5C`, `%00`.
    static func isPlain(_ path: String) -> Bool {
        let bytes = Array(path.utf8)
        guard bytes.first == slash, bytes.allSatisfy({ 0x21...0x7E ~= $0 && !"\\?#\"<>".utf8.contains($0) }) else {
            return false
        }
        return hasPlainEscapes(bytes) && hasPlainSegments(bytes)
    }

    private static func hasPlainEscapes(_ bytes: [UInt8]) -> Bool {
        var index = 0
        while let found = bytes[index...].firstIndex(of: percent) {
            guard found + 2 < bytes.count, let high = bytes[found + 1].hexDigitValue,
                let low = bytes[found + 2].hexDigitValue
            else { return false }
            let byte = high << 4 | low
            if byte.isUnreserved || byte < 0x20 || byte == 0x7F || "/\\%".utf8.contains(byte) { return false }
            index = found + 3
        }
        return true
    }

    private static func hasPlainSegments(_ bytes: [UInt8]) -> Bool {
        let segments = bytes.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        return segments.enumerated().allSatisfy { index, segment in
            if segment.isEmpty { return index == segments.count - 1 }
            return Percent.decode(Array(segment)).map { !hasOtherReading($0) } ?? false
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == slash || byte == UInt8(ascii: "\\") }

    /// Resolves escapes, and those that come of it, in one pass; broken ones stay.
    private static func withoutEscapes(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(percent) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for byte in text {
            result.append(byte)
            while result.count >= 3, result[result.count - 3] == percent,
                let high = result[result.count - 2].hexDigitValue, let low = result[result.count - 1].hexDigitValue
            {
                result.removeLast(3)
                result.append(high << 4 | low)
            }
        }
        return result
    }

    /// Leaves out what some servers drop, and writes other forms of ASCII characters as these; `_` stands for the rest.
    private static func withoutDisguises(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where !scalar.isDropped {
            switch scalar.value {
            case 0..<0x80: result.append(UInt8(scalar.value))
            case 0xFF01...0xFF5E: result.append(UInt8(scalar.value - 0xFEE0))
            default: result += otherForms[scalar] ?? [UInt8(ascii: "_")]
            }
        }
        return result
    }

    /// What NFKC and tables of encodings make of characters beyond ASCII, besides those of full width.
    ///
    /// Source: Unicode 16, UnicodeData.txt; of the slashes U+2044, U+2215 and U+2216, bestfit1252.txt.
    private static let otherForms: [Unicode.Scalar: [UInt8]] = [
        ("\u{2024}\u{FE52}", "."), ("\u{2025}\u{FE30}", ".."), ("\u{2026}\u{FE19}", "..."),
        ("\u{2044}\u{2100}\u{2101}\u{2105}\u{2106}\u{2215}", "/"), ("\u{2216}\u{FE68}", "\\"), ("\u{FE6A}", "%"),
        ("\u{37E}\u{FE14}\u{FE54}", ";"), ("\u{2047}\u{2048}\u{FE16}\u{FE56}", "?"), ("\u{FE5F}", "#"),
        ("\u{207A}\u{208A}\u{FE62}", "+"),
    ].reduce(into: [:]) { forms, row in
        for scalar in row.0.unicodeScalars { forms[scalar] = Array(row.1.utf8) }
    }
}

private let slash = UInt8(ascii: "/")
private let dot = UInt8(ascii: ".")
private let percent = UInt8(ascii: "%")

extension Unicode.Scalar {
    /// Whether some server may take it for white space, or for nothing.
    fileprivate var isDropped: Bool {
        switch value {
        case 0x21...0x7E: self == "+"
        case 0xFFFD: true
        default: properties.isWhitespace || properties.isDefaultIgnorableCodePoint || isControlOrFormat
        }
    }

    private var isControlOrFormat: Bool {
        switch properties.generalCategory {
        case .control, .format: true
        default: false
        }
    }
}
