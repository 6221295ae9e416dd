import TextCodecs

/// An encoding around a token, a value or another text, which its reader does not take off.
///
/// Shells, logs, databases and editors add one when a text passes through them. It is looked for in the first bytes of a text
/// that was refused, so that the error can say what to do, and holds nothing of the text.
@nonexhaustive
public enum ForeignEncoding: Sendable, Hashable {
    /// UTF-16, in which Windows PowerShell writes files.
    case utf16
    /// Escapes of JSON and of programming languages: `\u003c`, `\/`, or `\n` for a line end.
    case escapes
    /// Character references of HTML and XML: `&lt;`, `&#x2B;`.
    case characterReferences
    /// `b'…'`: how Python shows bytes.
    case pythonBytes
    /// Quotation marks around the text.
    case quotationMarks
    /// Percent-encoding (RFC 3986 §2.1).
    case percentEncoding
    /// Percent-encoding of a percent-encoded text.
    case doublePercentEncoding
    /// Hexadecimal digits, two for each byte.
    case hexadecimal
    /// Base64 of Base64.
    case doubleBase64
    /// Base64 in lines whose ends became spaces, as in a variable of a shell without quotation marks.
    case joinedLines
}

extension ForeignEncoding: CustomStringConvertible {
    /// What was done to the text, and how to undo it, as the end of a sentence: *the token is …*.
    public var description: String {
        switch self {
        case .utf16:
            "UTF-16, in which Windows PowerShell writes files; convert it: iconv -f UTF-16 -t UTF-8 FILE (without a "
                + "byte order mark: -f UTF-16LE)"
        case .escapes:
            #"escaped (\u003c, \/ or \n), as in JSON or a log; take it out with a parser of JSON, such as jq -r"#
        case .characterReferences:
            "escaped (&lt; or &#x2B;), as in HTML or XML; take it out with a parser of that document"
        case .pythonBytes: "written as Python shows bytes (b'…'); write value.decode() in place of str(value)"
        case .quotationMarks: "in quotation marks; pass it without them"
        case .percentEncoding: "percent-encoded; decode that once"
        case .doublePercentEncoding: "percent-encoded twice; encode it once only, or decode it once more"
        case .hexadecimal: "in hexadecimal digits, as databases show bytes; write it as Base64: xxd -r -p | base64 -w0"
        case .doubleBase64: "Base64 of Base64; decode it once: base64 -d"
        case .joinedLines:
            "Base64 in lines that were joined with spaces, as a shell does without quotation marks; write \"$VALUE\""
        }
    }
}

extension ForeignEncoding {
    /// Looks for an encoding by how a refused text begins, and reads no more of it than 1024 bytes.
    package init?(of text: Span<UInt8>) {
        let head = text.extracting(first: 1024)
        if head.looksLikeUTF16 {
            self = .utf16
            return
        }
        let trimmed = head.trimmingWhiteSpace(head.afterByteOrderMark)
        let bytes = Array(copying: head.extracting(trimmed))
        // Among bytes at random, everything occurs.
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0.isWhiteSpace }) else { return nil }
        guard let found = Self.mark(of: bytes) ?? Self.shape(of: bytes) else { return nil }
        self = found
    }

    /// An encoding that shows in what is not Base64.
    private static func mark(of bytes: [UInt8]) -> ForeignEncoding? {
        switch bytes.first {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .quotationMarks
        case UInt8(ascii: "b") where bytes.count > 1 && [UInt8(ascii: "'"), UInt8(ascii: "\"")].contains(bytes[1]):
            return .pythonBytes
        default: break
        }
        // PostgreSQL shows bytes as \x and digits.
        if bytes.starts(with: #"\x"#.utf8), isHexadecimal(bytes.dropFirst(2)) { return .hexadecimal }
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\\"): return .escapes
            case UInt8(ascii: "&") where isReference(bytes[index...]): return .characterReferences
            case UInt8(ascii: "%") where hasDigits(bytes[index...]):
                let isDouble = bytes[index...].starts(with: "%25".utf8) && hasDigits(bytes[(index + 2)...])
                return isDouble ? .doublePercentEncoding : .percentEncoding
            default: continue
            }
        }
        return nil
    }

    /// An encoding of a text that has the characters of Base64, or spaces between them.
    private static func shape(of bytes: [UInt8]) -> ForeignEncoding? {
        if isHexadecimal(bytes[...]) { return .hexadecimal }
        let lines = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        // Tools write lines of 64 (PEM), 72 or 76 (MIME) symbols.
        guard lines.count > 1, let length = lines.first?.count, 60...76 ~= length, length % 4 == 0,
            lines.dropLast().allSatisfy({ $0.count == length }), (lines.last?.count ?? 0) <= length,
            lines.allSatisfy({ $0.allSatisfy(\.isSymbolOfBase64) })
        else { return nil }
        return .joinedLines
    }

    /// Whether so many digits stand there that it is not by chance.
    private static func isHexadecimal(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.starts(with: "0x".utf8) || bytes.starts(with: "0X".utf8) ? bytes.dropFirst(2) : bytes
        return digits.count >= 64 && digits.count % 2 == 0 && digits.allSatisfy { $0.hexDigitValue != nil }
    }

    /// Whether a reference, such as `&lt;` or `&#x2B;`, stands at the beginning.
    private static func isReference(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.dropFirst().prefix(8).prefix { $0 != UInt8(ascii: ";") }
        let next = name.endIndex
        return !name.isEmpty && next < bytes.endIndex && bytes[next] == UInt8(ascii: ";")
            && name.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "#") }
    }

    /// Whether two hexadecimal digits follow the first character.
    private static func hasDigits(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.dropFirst().prefix(2)
        return digits.count == 2 && digits.allSatisfy { $0.hexDigitValue != nil }
    }
}

extension UInt8 {
    /// Whether the byte occurs in Base64 of either alphabet, padding included.
    package var isSymbolOfBase64: Bool {
        isURLSafe || self == UInt8(ascii: "+") || self == UInt8(ascii: "/") || self == UInt8(ascii: "=")
    }
}
