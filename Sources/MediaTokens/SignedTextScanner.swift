import EntitlementValues

/// Scans a signed text: one root, flat elements inside it, nothing else.
///
/// Reads forward over the octets once, keeps byte ranges and no tree, and refuses what it does not know. Whatever it
/// accepts is well-formed XML, and an XML parser reads the same texts from it; much of what an XML parser accepts is
/// refused.
struct SignedTextScanner {
    private let start: Int
    private let end: Int
    private var position: Int

    /// The root's name.
    private(set) var root: Range<Int>
    private var isEmptyRoot = false
    private var isAtEnd = false

    /// One element inside the root.
    struct Element {
        let name: Range<Int>
        let content: ElementText
    }

    /// Reads the root's start tag, with which the text must begin.
    init(_ text: Span<UInt8>, in range: Range<Int>) throws(MediaTokenError) {
        start = range.lowerBound
        end = range.upperBound
        position = start
        root = start..<start
        guard let tag = try readStartTag(text) else { throw .malformed(.root) }
        root = tag.name
        isEmptyRoot = tag.isEmptyElement
    }

    /// Reads the next element; `nil` after the root's end tag, behind which only white space is left.
    mutating func next(_ text: Span<UInt8>) throws(MediaTokenError) -> Element? {
        if isAtEnd { return nil }
        if isEmptyRoot {
            try readEnd(text)
            return nil
        }
        skipWhiteSpace(text)
        if text.has(endTagStart, at: position), position + 2 <= end {
            try readEndTag(text, named: root)
            try readEnd(text)
            return nil
        }
        guard let tag = try readStartTag(text) else { throw stray }
        if tag.isEmptyElement { return Element(name: tag.name, content: .empty(at: position)) }
        let content = try readText(text)
        try readEndTag(text, named: tag.name)
        return Element(name: tag.name, content: content)
    }

    // MARK: Tags

    /// Reads `<name>` or `<name/>`; `nil` where no markup stands.
    private mutating func readStartTag(
        _ text: Span<UInt8>
    ) throws(MediaTokenError) -> (name: Range<Int>, isEmptyElement: Bool)? {
        guard octet(text, at: position) == UInt8(ascii: "<") else { return nil }
        position += 1
        let name = try readName(text)
        skipWhiteSpace(text)
        let isEmptyElement = take(text, UInt8(ascii: "/"))
        guard take(text, UInt8(ascii: ">")) else { throw markup }
        return (name, isEmptyElement)
    }

    private mutating func readEndTag(_ text: Span<UInt8>, named name: Range<Int>) throws(MediaTokenError) {
        guard take(text, UInt8(ascii: "<")), take(text, UInt8(ascii: "/")) else { throw markup }
        let found = try readName(text)
        guard found.count == name.count,
            name.indices.allSatisfy({ text[$0] == text[found.lowerBound + $0 - name.lowerBound] })
        else { throw markup }
        skipWhiteSpace(text)
        guard take(text, UInt8(ascii: ">")) else { throw markup }
    }

    /// Reads a name of ASCII letters, digits, `_`, `-` and `.`: no prefixes, since nothing could declare them.
    private mutating func readName(_ text: Span<UInt8>) throws(MediaTokenError) -> Range<Int> {
        let first = position
        guard octet(text, at: position).isNameStart else { throw markup }
        while octet(text, at: position).isNamePart { position += 1 }
        return first..<position
    }

    private mutating func readEnd(_ text: Span<UInt8>) throws(MediaTokenError) {
        skipWhiteSpace(text)
        guard position == end else { throw stray }
        isAtEnd = true
    }

    // MARK: Text

    /// Reads the text of an element up to its end tag: characters, references, CDATA sections.
    private mutating func readText(_ text: Span<UInt8>) throws(MediaTokenError) -> ElementText {
        let first = position
        var isLiteral = true
        while position < end {
            switch text[position] {
            case UInt8(ascii: "<"):
                if octet(text, at: position + 1) == UInt8(ascii: "/") {
                    return ElementText(range: first..<position, isLiteral: isLiteral)
                }
                guard text.has(cdataStart, at: position) else { throw markup }
                isLiteral = false
                try readCDATA(text)
            case UInt8(ascii: "&"):
                isLiteral = false
                guard let reference = CharacterReference(text, at: position, end: end) else {
                    throw .malformed(.reference(offset: position - start))
                }
                position = reference.end
            case UInt8(ascii: "]") where text.has(cdataEnd, at: position) && position + 3 <= end:
                throw character
            case UInt8(ascii: "\r"):
                isLiteral = false
                position += 1
            default:
                try readCharacter(text)
            }
        }
        throw markup
    }

    private mutating func readCDATA(_ text: Span<UInt8>) throws(MediaTokenError) {
        position += cdataStart.count
        while position < end {
            if text[position] == UInt8(ascii: "]"), text.has(cdataEnd, at: position), position + 3 <= end {
                position += cdataEnd.count
                return
            }
            try readCharacter(text)
        }
        throw markup
    }

    /// Passes an octet of a character that XML allows; the text is known to be UTF-8.
    private mutating func readCharacter(_ text: Span<UInt8>) throws(MediaTokenError) {
        let octet = text[position]
        if octet < 0x20 {
            guard octet.isWhiteSpace else { throw character }
        } else if octet == 0xEF, text.has(nonCharacterStart, at: position), self.octet(text, at: position + 2) >= 0xBE {
            // U+FFFE and U+FFFF, the only two that UTF-8 can carry and XML cannot.
            throw character
        }
        position += 1
    }

    // MARK: Steps

    /// The octet at a position; 0, which no text holds, behind the end.
    private func octet(_ text: Span<UInt8>, at position: Int) -> UInt8 {
        position < end ? text[position] : 0
    }

    private mutating func take(_ text: Span<UInt8>, _ expected: UInt8) -> Bool {
        guard octet(text, at: position) == expected else { return false }
        position += 1
        return true
    }

    private mutating func skipWhiteSpace(_ text: Span<UInt8>) {
        while octet(text, at: position).isWhiteSpace { position += 1 }
    }

    private var markup: MediaTokenError { .malformed(.markup(offset: position - start)) }
    private var stray: MediaTokenError { .malformed(.strayText(offset: position - start)) }
    private var character: MediaTokenError { .malformed(.character(offset: position - start)) }
}

private let endTagStart = Array("</".utf8)
private let cdataStart = Array("<![CDATA[".utf8)
private let cdataEnd = Array("]]>".utf8)
private let nonCharacterStart: [UInt8] = [0xEF, 0xBF]

extension UInt8 {
    fileprivate var isNameStart: Bool {
        switch self {
        case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
        default: false
        }
    }

    fileprivate var isNamePart: Bool {
        isNameStart || isASCIIDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}
