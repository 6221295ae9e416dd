extension String {
    /// The text with everything escaped that could break a line, hide text or reorder it.
    ///
    /// That is controls, separators, format characters, and characters that Unicode does not define.
    package var printable: String {
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isHarmless { result.unicodeScalars.append(scalar) } else { result += scalar.escape }
        }
        return result
    }

    /// Quotes texts that one message shows, so that two of them that differ never look the same.
    ///
    /// Returns both lists, each text in quotation marks.
    ///
    /// At both ends, what all of them have in common is shown, but for blanks other than the space and for what is
    /// invisible. In between, everything but ASCII is escaped: no-break spaces, the other normal form of an accent,
    /// letters of other scripts that look like these. A backslash is doubled, so that an escape is never a part of a
    /// text.
    package static func quotedApart(_ one: [String], _ other: [String]) -> (one: [String], other: [String]) {
        let texts = (one + other).map { Array($0.unicodeScalars) }
        let shortest = texts.map(\.count).min() ?? 0
        var (head, tail) = (0, 0)
        if let first = texts.first {
            while head < shortest, texts.allSatisfy({ $0[head] == first[head] }) { head += 1 }
            while tail < shortest - head, texts.allSatisfy({ $0[$0.count - 1 - tail] == first[first.count - 1 - tail] })
            {
                tail += 1
            }
        }
        let quoted = texts.map { Self.quoted($0, sharing: head, tail) }
        return (Array(quoted.prefix(one.count)), Array(quoted.dropFirst(one.count)))
    }

    /// Quotes two texts that differ; as lists are quoted.
    package static func quotedApart(_ one: String, _ other: String) -> (one: String, other: String) {
        let texts = quotedApart([one], [other])
        return (texts.one.joined(), texts.other.joined())
    }

    private static func quoted(_ text: [Unicode.Scalar], sharing head: Int, _ tail: Int) -> String {
        var result = "\""
        // A mark would join what it follows, and not be seen as the character that it is.
        var mayTakeMark = false
        for (index, scalar) in text.enumerated() {
            let isShared = index < head || index >= text.count - tail
            let isShown =
                scalar.isASCII ? scalar.isHarmless : isShared && scalar.isVisible && (mayTakeMark || !scalar.isMark)
            if scalar == "\\" {
                result += "\\\\"
            } else if isShown {
                result.unicodeScalars.append(scalar)
            } else {
                result += scalar.escape
            }
            mayTakeMark = isShown
        }
        return result + "\""
    }
}

extension Unicode.Scalar {
    fileprivate var escape: String { "\\u{\(String(value, radix: 16))}" }

    /// Whether the character neither breaks a line nor hides or reorders text.
    fileprivate var isHarmless: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }

    /// Whether the character, which is not ASCII, can be seen: it is neither a blank nor drawn as nothing.
    fileprivate var isVisible: Bool {
        // U+2800 is the Braille pattern without a dot.
        isHarmless && properties.generalCategory != .spaceSeparator && !properties.isDefaultIgnorableCodePoint
            && value != 0x2800
    }

    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
