import EntitlementValues
import TextCodecs

/// How likely it is that decrypted bytes are the real text.
///
/// A wrong key yields bytes too: sometimes by chance, and always if OpenSSL rejects bad padding implicitly. These bytes are
/// random and of any length up to the maximum. So the likelihood depends on how rarely random bytes look like the text.
package enum Plausibility: Int, Comparable {
    /// Not the text of this attribute.
    case none
    /// Up to 7 bytes of text, or a short match: with 2048 bits, one wrong key in 365 yields this.
    case faint
    /// 8 to 15 bytes of text: one in 90,000.
    case fair
    /// More text, or a form that random bytes hardly ever have: less than one in 900,000.
    case certain

    package static func < (left: Plausibility, right: Plausibility) -> Bool { left.rawValue < right.rawValue }
}

/// The form that decrypted bytes must have to be the text of an attribute.
package enum PlausibleText: UInt8 {
    case text, list, postalCodes, boolean, object

    package init(_ attribute: MetadataAttribute?) {
        switch attribute?.shape ?? .text {
        case .text: self = .text
        case .list: self = attribute == .zip ? .postalCodes : .list
        case .boolean: self = .boolean
        case .object: self = .object
        }
    }

    /// Rates how likely decrypted bytes are the real text; empty bytes are never a text.
    package func plausibility(of bytes: Span<UInt8>) -> Plausibility {
        guard bytes.isPrintable(withLineEnds: self != .text && self != .boolean) else { return .none }
        let range = 0..<bytes.count
        switch self {
        case .text: return bareText(range)
        case .boolean: return boolean(bytes, in: range)
        case .object: return isObject(bytes, in: range) ? .certain : .none
        case .list, .postalCodes: return list(bytes, in: bytes.trimmingWhiteSpace(range))
        }
    }

    private func bareText(_ range: Range<Int>) -> Plausibility {
        switch range.count {
        case 0: .none
        case ..<8: .faint
        case ..<16: .fair
        default: .certain
        }
    }

    private func boolean(_ bytes: Span<UInt8>, in range: Range<Int>) -> Plausibility {
        let isQuoted = bytes.isJSONString(range)
        let content = isQuoted ? 1..<range.upperBound - 1 : range
        if content.count == 1, let byte = content.first.map({ bytes[$0] }), 0x30...0x31 ~= byte {
            return isQuoted ? .certain : .faint
        }
        return bytes.isWord("true", in: content) || bytes.isWord("false", in: content) ? .certain : .none
    }

    private func isObject(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        (try? JSONReader.value(of: bytes, in: range))?.kind == .object
    }

    // MARK: Lists

    private func list(_ bytes: Span<UInt8>, in range: Range<Int>) -> Plausibility {
        guard let first = range.first.map({ bytes[$0] }) else { return .none }
        switch first {
        case UInt8(ascii: "["): return jsonList(bytes, in: range) ? .certain : .none
        case UInt8(ascii: "{"): return .none
        case _ where bytes.isJSONString(range):
            return bareList(bytes, in: range.lowerBound + 1..<range.upperBound - 1)
        default: return bareList(bytes, in: range)
        }
    }

    private func jsonList(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard let array = try? JSONReader.value(of: bytes, in: range),
            let elements = try? JSONReader.elements(of: bytes, in: array.range)
        else { return false }
        return elements.allSatisfy { element in
            switch element.kind {
            case .string:
                guard let text = element.bytes(in: bytes) else { return false }
                return self == .list || text.withSpan { postalCode($0, in: 0..<$0.count) } != .none
            case .number: return self == .list || postalCode(bytes, in: element.range) != .none
            default: return false
            }
        }
    }

    /// One element without JSON around it, or several between commas.
    private func bareList(_ bytes: Span<UInt8>, in range: Range<Int>) -> Plausibility {
        if self == .list { return range.contains { bytes[$0] < 0x20 } ? .none : bareText(range) }
        var start = range.lowerBound
        var plausibility = Plausibility.certain
        while true {
            var end = start
            while end < range.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
            plausibility = min(plausibility, postalCode(bytes, in: bytes.trimmingWhiteSpace(start..<end)))
            if end == range.upperBound { return plausibility }
            start = end + 1
        }
    }

    /// 3 to 10 digits and letters with at least one digit, and spaces or hyphens between them: `77754`, `77754-1234`,
    /// `K1A 0B1`, `K1A`.
    private func postalCode(_ bytes: Span<UInt8>, in range: Range<Int>) -> Plausibility {
        guard 3...10 ~= range.count else { return .none }
        var digits = 0
        var letters = 0
        var wasJoint = true
        for index in range {
            switch bytes[index] {
            case 0x30...0x39: digits += 1
            case 0x41...0x5A, 0x61...0x7A: letters += 1
            case UInt8(ascii: " "), UInt8(ascii: "-"):
                if wasJoint { return .none }
                wasJoint = true
                continue
            default: return .none
            }
            wasJoint = false
        }
        guard digits > 0, !wasJoint else { return .none }
        return letters == 0 || range.count >= 6 ? .certain : .faint
    }
}

extension Span where Element == UInt8 {
    /// Tells whether the bytes are UTF-8 without control characters and noncharacters.
    ///
    /// TAB, LF and CR, which may separate the values of JSON, are accepted on request. The bytes are examined directly,
    /// since the standard library takes microseconds longer to find that something is not UTF-8, which could be measured
    /// from outside.
    fileprivate func isPrintable(withLineEnds: Bool) -> Bool {
        guard isTextWithoutNUL else { return false }
        for index in indices {
            switch self[index] {
            case 0x09, 0x0A, 0x0D: if !withLineEnds { return false }
            case ..<0x20, 0x7F: return false
            // U+0080 to U+009F.
            case 0x80..<0xA0 where self[index - 1] == 0xC2: return false
            // U+FDD0 to U+FDEF.
            case 0x90...0xAF where self[index - 1] == 0xB7 && self[index - 2] == 0xEF: return false
            // U+FFFE, U+FFFF, and the last two of every other plane.
            case 0xBE...0xBF where self[index - 1] == 0xBF && isEndOfPlane(index - 2): return false
            default: continue
            }
        }
        return true
    }

    /// Whether a character that ends in BF BE or BF BF, and before that with the byte at an index, is U+nFFFE or U+nFFFF.
    private func isEndOfPlane(_ index: Int) -> Bool {
        self[index] == 0xEF || (self[index] & 0x0F == 0x0F && index > 0 && self[index - 1] >= 0xF0)
    }

    fileprivate func isJSONString(_ range: Range<Int>) -> Bool {
        !range.isEmpty && self[range.lowerBound] == UInt8(ascii: "\"")
            && (try? JSONReader.value(of: self, in: range))?.kind == .string
    }

    /// Tells whether a word, given in lower case, fills a range in either case.
    fileprivate func isWord(_ word: StaticString, in range: Range<Int>) -> Bool {
        let word = word.description.utf8
        guard word.count == range.count else { return false }
        return zip(range, word).allSatisfy { self[$0] | 0x20 == $1 }
    }
}
