import TextCodecs

/// Locates the text of one element, and says whether it needs decoding.
package struct ElementText {
    let range: Range<Int>
    /// Whether the bytes are the text: no references, no CDATA, no carriage returns.
    let isLiteral: Bool

    static func empty(at position: Int) -> ElementText {
        ElementText(range: position..<position, isLiteral: true)
    }

    /// Decodes the text as XML 1.0 does: references and CDATA are resolved once, line ends become LF (§2.11).
    ///
    /// `text` is the one in which the scanner found this element. The result is UTF-8.
    package func bytes(_ text: Span<UInt8>) -> [UInt8] {
        if isLiteral { return Array(copying: text.extracting(range)) }
        return [UInt8](capacity: range.count) { output in Self.resolve(text, in: range, into: &output) }
    }

    /// Passes the decoded bytes to a reader; copies them only if they need decoding.
    func read<Value>(_ text: Span<UInt8>, _ reader: (Span<UInt8>) -> Value?) -> Value? {
        if isLiteral { return reader(text.extracting(range)) }
        return bytes(text).withSpan(reader)
    }

    /// Decodes the text as `bytes` does, from the text in which the scanner found this element.
    package func string(_ text: Span<UInt8>) -> String {
        isLiteral
            ? String(copying: text.extracting(range)) : String(decoding: bytes(text), as: UTF8.self)
    }

    private static func resolve(_ text: Span<UInt8>, in range: Range<Int>, into output: inout OutputSpan<UInt8>) {
        var index = range.lowerBound
        var isCDATA = false
        while index < range.upperBound {
            if isCDATA, text.has(cdataEnd, at: index) {
                isCDATA = false
                index += cdataEnd.count
            } else if !isCDATA, text.has(cdataStart, at: index) {
                isCDATA = true
                index += cdataStart.count
            } else if !isCDATA, let reference = CharacterReference(text, at: index, end: range.upperBound) {
                // A reference is always longer than the character it stands for.
                for byte in UTF8.encode(reference.scalar).map(Array.init) ?? [] { output.append(byte) }
                index = reference.end
            } else if text[index] == UInt8(ascii: "\r") {
                output.append(UInt8(ascii: "\n"))
                index += index + 1 < range.upperBound && text[index + 1] == UInt8(ascii: "\n") ? 2 : 1
            } else {
                output.append(text[index])
                index += 1
            }
        }
    }
}

private let cdataStart = Array("<![CDATA[".utf8)
private let cdataEnd = Array("]]>".utf8)

/// A character written as a reference: one of the five predefined entities, or a number (`&#38;`, `&#x26;`).
package struct CharacterReference {
    /// The character.
    package let scalar: Unicode.Scalar
    /// The index after the semicolon.
    package let end: Int

    /// Reads a reference that begins with the `&` at a position and ends at `limit` at the latest.
    ///
    /// `nil` if there is none, or if it names something that is not an XML character.
    package init?(_ text: Span<UInt8>, at position: Int, end limit: Int) {
        guard position < limit, text[position] == UInt8(ascii: "&") else { return nil }
        let named = predefinedEntities.first { text.has($0.name, at: position) }
            .map { (scalar: $0.scalar, end: position + $0.name.count) }
        guard let found = named ?? Self.numeric(text, at: position, end: limit), found.end <= limit else { return nil }
        scalar = found.scalar
        end = found.end
    }

    private static func numeric(_ text: Span<UInt8>, at position: Int, end limit: Int) -> (
        scalar: Unicode.Scalar, end: Int
    )? {
        guard text.has(numericStart, at: position) else { return nil }
        var index = position + numericStart.count
        let isHexadecimal = index < limit && text[index] == UInt8(ascii: "x")
        if isHexadecimal { index += 1 }
        let firstDigit = index
        var value: UInt32 = 0
        while index < limit, let digit = text[index].hexDigitValue, isHexadecimal || digit < 10 {
            value = value * (isHexadecimal ? 16 : 10) + UInt32(digit)
            if value > 0x10FFFF { return nil }
            index += 1
        }
        guard index > firstDigit, index < limit, text[index] == UInt8(ascii: ";") else { return nil }
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF:
            return Unicode.Scalar(value).map { ($0, index + 1) }
        default:
            return nil
        }
    }
}

private let numericStart = Array("&#".utf8)

private let predefinedEntities: [(name: [UInt8], scalar: Unicode.Scalar)] = [
    (Array("&amp;".utf8), "&"), (Array("&lt;".utf8), "<"), (Array("&gt;".utf8), ">"),
    (Array("&quot;".utf8), "\""), (Array("&apos;".utf8), "'"),
]
