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
    /// The segment stands between two slashes, with its escapes resolved once. If it has another reading, so may have
    /// the path that it is in.
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
        if text.allSatisfy({ $0 < 0x80 }) { return text.filter { !isDropped(UInt32($0)) } }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            let value = scalar.value
            switch value {
            case _ where isDropped(value): break
            case 0..<0x80: result.append(UInt8(value))
            case 0xFF01...0xFF5E: result.append(UInt8(value - 0xFEE0))
            case 0x2024...0x2026: result += repeatElement(dot, count: Int(value - 0x2023))
            case 0xFE52: result.append(dot)
            case 0xFE30: result += repeatElement(dot, count: 2)
            case 0xFE19: result += repeatElement(dot, count: 3)
            case 0x2044, 0x2100, 0x2101, 0x2105, 0x2106, 0x2215: result.append(slash)
            case 0x2216, 0xFE68: result.append(UInt8(ascii: "\\"))
            case 0x37E, 0xFE14, 0xFE54: result.append(UInt8(ascii: ";"))
            case 0x2047, 0x2048, 0xFE16, 0xFE56: result.append(UInt8(ascii: "?"))
            case 0x207A, 0x208A, 0xFE62: result.append(UInt8(ascii: "+"))
            case 0xFE5F: result.append(UInt8(ascii: "#"))
            case 0xFE6A: result.append(percent)
            default: result.append(UInt8(ascii: "_"))
            }
        }
        return result
    }

    /// Whether some server may take a character, a number in Unicode, for white space, or for nothing.
    package static func isDropped(_ scalar: UInt32) -> Bool {
        if 0x21...0x7E ~= scalar { return scalar == 0x2B }
        var (lower, upper) = (0, dropped.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if dropped[middle].upperBound < scalar { lower = middle + 1 } else { upper = middle }
        }
        return lower < dropped.count && dropped[lower].contains(scalar)
    }

    /// White space, controls, format characters and those that show nothing, with U+FFFD, which stands for bytes that are
    /// not UTF-8.
    ///
    /// A table, because asking the standard library for properties makes long paths of such characters costly.
    ///
    /// Source: Unicode 16: White_Space, Default_Ignorable_Code_Point, and the general categories Cc and Cf.
    private static let dropped: [ClosedRange<UInt32>] = [
        0x0...0x20, 0x7F...0xA0, 0xAD...0xAD, 0x34F...0x34F, 0x600...0x605, 0x61C...0x61C, 0x6DD...0x6DD, 0x70F...0x70F,
        0x890...0x891, 0x8E2...0x8E2, 0x115F...0x1160, 0x1680...0x1680, 0x17B4...0x17B5, 0x180B...0x180F,
        0x2000...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x3000...0x3000, 0x3164...0x3164, 0xFE00...0xFE0F,
        0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFFB, 0xFFFD...0xFFFD, 0x110BD...0x110BD, 0x110CD...0x110CD,
        0x13430...0x1343F, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF,
    ]
}

private let slash = UInt8(ascii: "/")
private let dot = UInt8(ascii: ".")
private let percent = UInt8(ascii: "%")
