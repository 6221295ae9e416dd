extension [UInt8] {
    /// Writes a text as a JSON string, quotes included.
    ///
    /// One spelling for each text: the two escapes that must be, the three short ones for white space, and `\u00xx` for
    /// other controls and DEL; everything else as UTF-8.
    package mutating func appendJSON(_ text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy(\.isPlainInJSON) {
            append(contentsOf: text.utf8)
        } else {
            appendEscaped(text)
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case 0x0A: append(contentsOf: "\\n".utf8)
            case 0x0D: append(contentsOf: "\\r".utf8)
            case 0x09: append(contentsOf: "\\t".utf8)
            case ..<0x20, 0x7F: append(contentsOf: "\\u00\(hexadecimal([byte]))".utf8)
            default: append(byte)
            }
        }
    }
}

extension UInt8 {
    /// Whether it stands for itself in a JSON string.
    fileprivate var isPlainInJSON: Bool {
        self >= 0x20 && self != 0x7F && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}
