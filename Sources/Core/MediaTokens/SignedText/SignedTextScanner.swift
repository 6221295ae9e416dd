import TextCodecs

/// Reads the elements of a signed text: one root with flat elements inside it, and nothing else.
///
/// It reads the bytes once, from front to back, and keeps byte ranges instead of a tree. Everything it accepts is
/// well-formed XML, and an XML parser reads the same texts from it. It refuses much that an XML parser accepts.
///
/// AuthN and AuthZ tokens need two more things, which `isLenient` allows: elements inside elements, whose texts are
/// skipped, and an `&` that does not begin a reference, which is taken as text. Such a text may not be XML.
package struct SignedTextScanner {
    private let isLenient: Bool
    private let start: Int
    private let end: Int
    private var position: Int

    /// The root's name.
    package private(set) var root: Range<Int>
    private var isEmptyRoot = false
    private var isAtEnd = false

    /// One element inside the root.
    package struct Element {
        /// Its name.
        package let name: Range<Int>
        /// Its text.
        package let content: ElementText
        /// Names of the elements inside it, at every depth; if there are any, `content` is empty.
        package var inner: [Range<Int>] = []
    }

    /// Reads the root's start tag, with which the signed range of the text must begin.
    ///
    /// The plain text of a token is UTF-8 without NUL. A lenient scanner accepts elements inside elements and a bare
    /// `&`.
    package init(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        isLenient: Bool = false
    ) throws(SignedTextError) {
        self.isLenient = isLenient
        start = range.lowerBound
        end = range.upperBound
        position = start
        root = start..<start
        guard let tag = try readStartTag(text) else { throw .malformed(.root) }
        root = tag.name
        isEmptyRoot = tag.isEmptyElement
    }

    /// Reads the next element; after the last one, checks that only white space follows the root, and returns `nil`.
    ///
    /// `text` is the one that the scanner was made with.
    package mutating func next(_ text: Span<UInt8>) throws(SignedTextError) -> Element? {
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
        if byte(text, at: position + 1) == UInt8(ascii: "/") {
            try readEndTag(text, named: tag.name)
            return Element(name: tag.name, content: content)
        }
        let inner = try passElements(text, inside: tag.name)
        return Element(name: tag.name, content: .empty(at: position), inner: inner)
    }

    /// Skips the elements inside an element, and its end tag.
    private mutating func passElements(
        _ text: Span<UInt8>,
        inside name: Range<Int>
    ) throws(SignedTextError) -> [Range<Int>] {
        var names: [Range<Int>] = []
        var open = [name]
        while let innermost = open.last {
            if byte(text, at: position + 1) == UInt8(ascii: "/") {
                try readEndTag(text, named: innermost)
                open.removeLast()
            } else if let tag = try readStartTag(text) {
                names.append(tag.name)
                if !tag.isEmptyElement { open.append(tag.name) }
            }
            if !open.isEmpty { _ = try readText(text) }
        }
        return names
    }

    // MARK: Tags

    /// Reads `<name>` or `<name/>`; `nil` if there is no `<` at the position.
    private mutating func readStartTag(
        _ text: Span<UInt8>
    ) throws(SignedTextError) -> (name: Range<Int>, isEmptyElement: Bool)? {
        guard byte(text, at: position) == UInt8(ascii: "<") else { return nil }
        position += 1
        let name = try readName(text)
        skipWhiteSpace(text)
        let isEmptyElement = take(text, UInt8(ascii: "/"))
        guard take(text, UInt8(ascii: ">")) else { throw markup }
        return (name, isEmptyElement)
    }

    private mutating func readEndTag(_ text: Span<UInt8>, named name: Range<Int>) throws(SignedTextError) {
        guard take(text, UInt8(ascii: "<")), take(text, UInt8(ascii: "/")) else { throw markup }
        let length = name.upperBound - name.lowerBound
        let nameEnd = position + length
        var isSame = nameEnd <= end && !byte(text, at: nameEnd).isNamePart
        if isSame {
            for offset in 0..<length where text[position + offset] != text[name.lowerBound + offset] { isSame = false }
        }
        guard isSame else {
            // The error names the offset at which the other name ends.
            _ = try readName(text)
            throw markup
        }
        position = nameEnd
        skipWhiteSpace(text)
        guard take(text, UInt8(ascii: ">")) else { throw markup }
    }

    /// Reads a name of ASCII letters, digits, `_`, `-` and `.`: no prefixes, since nothing can declare them.
    private mutating func readName(_ text: Span<UInt8>) throws(SignedTextError) -> Range<Int> {
        let first = position
        guard byte(text, at: position).isNameStart else { throw markup }
        while byte(text, at: position).isNamePart { position += 1 }
        return first..<position
    }

    private mutating func readEnd(_ text: Span<UInt8>) throws(SignedTextError) {
        skipWhiteSpace(text)
        guard position == end else { throw stray }
        isAtEnd = true
    }

    // MARK: Text

    /// Reads the text of an element up to the next tag: characters, references, CDATA sections.
    private mutating func readText(_ text: Span<UInt8>) throws(SignedTextError) -> ElementText {
        let first = position
        var isLiteral = true
        passPlain(text, upTo: UInt8(ascii: "<"), without: (UInt8(ascii: "&"), UInt8(ascii: "]")))
        while position < end {
            switch text[position] {
            case UInt8(ascii: "<"):
                guard text.has(cdataStart, at: position) else {
                    guard isLenient || byte(text, at: position + 1) == UInt8(ascii: "/") else { throw markup }
                    return ElementText(range: first..<position, isLiteral: isLiteral)
                }
                isLiteral = false
                try readCDATA(text)
            case UInt8(ascii: "&"):
                isLiteral = false
                if let reference = CharacterReference(text, at: position, end: end) {
                    position = reference.end
                } else {
                    guard isLenient else { throw .malformed(.reference(offset: position - start)) }
                    position += 1
                }
            case UInt8(ascii: "]") where isCDATAEnd(text):
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

    private mutating func readCDATA(_ text: Span<UInt8>) throws(SignedTextError) {
        position += cdataStart.count
        passPlain(text, upTo: UInt8(ascii: "]"))
        while position < end {
            if text[position] == UInt8(ascii: "]"), isCDATAEnd(text) {
                position += 3
                return
            }
            try readCharacter(text)
        }
        throw markup
    }

    /// Whether the bracket at the position begins `]]>`.
    private func isCDATAEnd(_ text: Span<UInt8>) -> Bool {
        byte(text, at: position + 2) == UInt8(ascii: ">") && byte(text, at: position + 1) == UInt8(ascii: "]")
    }

    /// Skips to the next occurrence of a byte, if everything before it is plain text; otherwise does nothing.
    ///
    /// Called once for each text and CDATA section, so that the work stays linear.
    private mutating func passPlain(
        _ text: Span<UInt8>,
        upTo byte: UInt8,
        without others: (UInt8, UInt8) = (0, 0)
    ) {
        guard position < end, let next = text.firstIndex(of: byte, in: position..<end),
            text.extracting(position..<next).isPlain(without: others)
        else { return }
        position = next
    }

    /// Skips one byte, and refuses characters that XML does not allow; the text is known to be UTF-8.
    private mutating func readCharacter(_ text: Span<UInt8>) throws(SignedTextError) {
        let byte = text[position]
        if byte < 0x20 {
            guard byte.isWhiteSpace else { throw character }
        } else if byte == 0xEF, text.has(nonCharacterStart, at: position), self.byte(text, at: position + 2) >= 0xBE {
            // U+FFFE and U+FFFF: the only two characters from U+0020 on that UTF-8 can encode and XML forbids.
            throw character
        }
        position += 1
    }

    // MARK: Steps

    /// The byte at a position; after the end 0, which no text contains.
    private func byte(_ text: Span<UInt8>, at position: Int) -> UInt8 {
        position < end ? text[position] : 0
    }

    private mutating func take(_ text: Span<UInt8>, _ expected: UInt8) -> Bool {
        guard byte(text, at: position) == expected else { return false }
        position += 1
        return true
    }

    private mutating func skipWhiteSpace(_ text: Span<UInt8>) {
        while byte(text, at: position).isWhiteSpace { position += 1 }
    }

    private var markup: SignedTextError { .malformed(.markup(offset: position - start)) }
    private var stray: SignedTextError { .malformed(.strayText(offset: position - start)) }
    private var character: SignedTextError { .malformed(.character(offset: position - start)) }
}

private let endTagStart = Array("</".utf8)
private let cdataStart = Array("<![CDATA[".utf8)
private let nonCharacterStart: [UInt8] = [0xEF, 0xBF]

extension Span<UInt8> {
    /// Whether the bytes contain no control character, no 0xEF (with which U+FFFE and U+FFFF begin) and neither of two others.
    ///
    /// A loop without a branch, in a function of its own, is compiled to take many bytes at a time.
    @inline(never)
    fileprivate func isPlain(without others: (UInt8, UInt8)) -> Bool {
        var lowest: UInt8 = 0xFF
        // The smallest difference is 0 if a byte is one of these.
        var nearest: UInt8 = 0xFF
        for index in 0..<count {
            let byte = self[index]
            lowest = min(lowest, byte)
            nearest = min(nearest, min(byte ^ 0xEF, min(byte ^ others.0, byte ^ others.1)))
        }
        return lowest >= 0x20 && nearest != 0
    }
}

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
