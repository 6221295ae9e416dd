extension Span where Element == UInt8 {
    /// Tells whether the bytes are UTF-8 (RFC 3629: shortest forms, no surrogates, up to U+10FFFF) without NUL.
    package var isTextWithoutNUL: Bool { isASCIIWithoutNUL || isUTF8WithoutNUL }

    /// Nearly all texts are ASCII, and the compiler makes a loop without a branch take many bytes at a time.
    @inline(never)
    private var isASCIIWithoutNUL: Bool {
        var all: UInt8 = 0
        var nulls: UInt8 = 0
        for index in 0..<count {
            let byte = self[index]
            all |= byte
            nulls |= byte == 0 ? 1 : 0
        }
        return all < 0x80 && nulls == 0
    }

    private var isUTF8WithoutNUL: Bool {
        var index = 0
        while index < count {
            let first = self[index]
            index += 1
            if first == 0 { return false }
            if first < 0x80 { continue }
            // How many bytes follow, and what the first of them may be.
            let (length, allowed): (Int, ClosedRange<UInt8>)
            switch first {
            case 0xC2...0xDF: (length, allowed) = (1, 0x80...0xBF)
            case 0xE0: (length, allowed) = (2, 0xA0...0xBF)
            case 0xED: (length, allowed) = (2, 0x80...0x9F)
            case 0xE1...0xEF: (length, allowed) = (2, 0x80...0xBF)
            case 0xF0: (length, allowed) = (3, 0x90...0xBF)
            case 0xF1...0xF3: (length, allowed) = (3, 0x80...0xBF)
            case 0xF4: (length, allowed) = (3, 0x80...0x8F)
            default: return false
            }
            guard count - index >= length, allowed.contains(self[index]) else { return false }
            for offset in 1..<length where !(0x80...0xBF).contains(self[index + offset]) { return false }
            index += length
        }
        return true
    }
}

extension [UInt8] {
    /// Tells whether the bytes are UTF-8 without NUL.
    package var isTextWithoutNUL: Bool { withSpan { $0.isTextWithoutNUL } }
}

extension Span where Element == UInt8 {
    /// Where the text is without the byte order mark that some programs write before UTF-8.
    ///
    /// The mark is not part of a text (RFC 3629 §6), and a parser of JSON may ignore it (RFC 8259 §8.1). What reads
    /// a text from outside reads this range of it.
    package var afterByteOrderMark: Range<Int> {
        let hasMark = count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF
        return (hasMark ? 3 : 0)..<count
    }

    /// Whether the text looks like UTF-16: by its byte order mark, or since two ASCII characters have a NUL each.
    package var looksLikeUTF16: Bool {
        guard count >= 2 else { return false }
        if self[0] == 0xFF && self[1] == 0xFE || self[0] == 0xFE && self[1] == 0xFF { return true }
        guard count >= 4, (self[0] == 0) != (self[1] == 0) else { return false }
        return (self[0] == 0) == (self[2] == 0) && (self[1] == 0) == (self[3] == 0)
    }
}

extension String {
    /// The text without the byte order mark that some programs write before UTF-8.
    package var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(String.UnicodeScalarView(unicodeScalars.dropFirst())) : self
    }
}
