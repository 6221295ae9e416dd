import EntitlementValues

/// The text of one element: where it stands, and whether it can be taken as it is.
struct ElementText {
    let range: Range<Int>
    /// No references, no CDATA, no carriage returns: the octets are the text.
    let isLiteral: Bool

    static func empty(at position: Int) -> ElementText {
        ElementText(range: position..<position, isLiteral: true)
    }

    /// The text as XML 1.0 reads it: references and CDATA resolved once, line ends as LF (§2.11).
    ///
    /// For text that the scanner accepted.
    func octets(_ text: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: range.count) { output in
            if isLiteral {
                for index in range { output.append(text[index]) }
            } else {
                Self.resolve(text, in: range, into: &output)
            }
        }
    }

    func string(_ text: Span<UInt8>) -> String {
        String(decoding: octets(text), as: UTF8.self)
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
                for octet in UTF8.encode(reference.scalar).map(Array.init) ?? [] { output.append(octet) }
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

/// `&amp;` and its four kin, `&#38;` or `&#x26;`.
struct CharacterReference {
    let scalar: Unicode.Scalar
    /// Behind the semicolon.
    let end: Int

    /// Reads a reference; `nil` where there is none, or one to something that is no XML character.
    init?(_ text: Span<UInt8>, at position: Int, end limit: Int) {
        guard position < limit, text[position] == UInt8(ascii: "&") else { return nil }
        // The longest, `&#x0010FFFF;` with a zero or two to spare, decides how far to look.
        var semicolon = position + 1
        while semicolon < min(limit, position + 16), text[semicolon] != UInt8(ascii: ";") { semicolon += 1 }
        guard semicolon < limit, text[semicolon] == UInt8(ascii: ";"),
            let scalar = Self.scalar(text, in: position + 1..<semicolon)
        else { return nil }
        self.scalar = scalar
        end = semicolon + 1
    }

    private static func scalar(_ text: Span<UInt8>, in range: Range<Int>) -> Unicode.Scalar? {
        for (name, scalar) in predefinedEntities where text.equals(name, in: range) { return scalar }
        guard range.count > 1, text[range.lowerBound] == UInt8(ascii: "#") else { return nil }
        let isHexadecimal = text[range.lowerBound + 1] == UInt8(ascii: "x")
        let digits = range.lowerBound + (isHexadecimal ? 2 : 1)..<range.upperBound
        guard !digits.isEmpty else { return nil }
        var value: UInt32 = 0
        for index in digits {
            guard let digit = text[index].hexDigitValue, isHexadecimal || digit < 10 else { return nil }
            value = value * (isHexadecimal ? 16 : 10) + UInt32(digit)
            if value > 0x10FFFF { return nil }
        }
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: return Unicode.Scalar(value)
        default: return nil
        }
    }
}

private let predefinedEntities: [([UInt8], Unicode.Scalar)] = [
    (Array("amp".utf8), "&"), (Array("lt".utf8), "<"), (Array("gt".utf8), ">"),
    (Array("quot".utf8), "\""), (Array("apos".utf8), "'"),
]
