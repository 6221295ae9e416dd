/// One value of a JSON text: what it is, and where it is in the text.
package struct JSONValue {
    package enum Kind: String, Sendable {
        case object, array, string, number, boolean, null
    }

    package let kind: Kind
    package let range: Range<Int>
    /// Whether it is a string in which something is escaped.
    package var hasEscapes = false

    /// Where the bytes of a string are, without the quotes.
    package var content: Range<Int> { range.lowerBound + 1..<range.upperBound - 1 }
}

// What a value says, read from the text that it is part of.
extension JSONValue {
    /// Whether it is `true`.
    package func isTrue(in text: Span<UInt8>) -> Bool {
        kind == .boolean && text[range.lowerBound] == UInt8(ascii: "t")
    }

    /// The bytes of a string, escapes resolved; `nil` if it has half a surrogate pair.
    package func bytes(in text: Span<UInt8>) -> [UInt8]? {
        guard hasEscapes else { return Array(copying: text.extracting(content)) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count)
        var index = content.lowerBound
        while index < content.upperBound {
            guard text[index] == UInt8(ascii: "\\") else {
                bytes.append(text[index])
                index += 1
                continue
            }
            let escape = text[index + 1]
            index += 2
            guard escape == UInt8(ascii: "u") else {
                bytes.append(simpleEscapes[escape] ?? escape)
                continue
            }
            var scalar = codeUnit(in: text, at: index)
            index += 4
            if 0xD800...0xDBFF ~= scalar {
                guard index + 6 <= content.upperBound, text[index] == UInt8(ascii: "\\"),
                    text[index + 1] == UInt8(ascii: "u"),
                    case let low = codeUnit(in: text, at: index + 2), 0xDC00...0xDFFF ~= low
                else { return nil }
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                index += 6
            }
            guard let scalar = Unicode.Scalar(scalar) else { return nil }
            bytes.append(contentsOf: String(scalar).utf8)
        }
        return bytes
    }

    /// A string, escapes resolved; `nil` if it has half a surrogate pair.
    package func string(in text: Span<UInt8>) -> String? {
        guard hasEscapes else { return String(copying: text.extracting(content)) }
        return bytes(in: text).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A whole number within 64 bits; `nil` for other numbers, and for values that are not numbers.
    package func integer(in text: Span<UInt8>) -> Int64? {
        guard kind == .number else { return nil }
        return Int64(String(copying: text.extracting(range)))
    }

    /// The value as JSON on one line of ASCII white space and printing characters.
    ///
    /// White space outside strings is dropped. What some readers take for a line end, or a terminal for a command, is
    /// escaped.
    package func compacted(in text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var isString = false
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = text[index]
            if isString, byte == UInt8(ascii: "\\") {
                bytes.append(byte)
                index += 1
                bytes.append(text[index])
            } else {
                if byte == UInt8(ascii: "\"") { isString.toggle() }
                if isString || !byte.isWhiteSpace { bytes.append(byte) }
            }
            index += 1
        }
        return JSONWriter.escapingUnseen(bytes)
    }

    /// Tells whether a character may come after a backslash, `u` excepted.
    static func hasSimpleEscape(_ character: UInt8) -> Bool { simpleEscapes[character] != nil }

    /// Reads the four digits of a `\u` escape.
    private func codeUnit(in text: Span<UInt8>, at index: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 << 4 | UInt32(text[index + $1].hexDigitValue ?? 0) }
    }
}

extension Span<UInt8> {
    /// Whether the bytes have neither controls nor backslashes.
    ///
    /// The compiler makes a loop without a branch take many bytes at a time.
    @inline(never)
    package var isPlainStringOfJSON: Bool {
        var marks: UInt8 = 0
        for index in 0..<count {
            let byte = self[index]
            marks |= byte < 0x20 || byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return marks == 0
    }
}

private let simpleEscapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
    UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
]
