import TextCodecs

/// Writes and reads the Base64 of a signature in its two forms: one line, or lines as Android's default flag made them.
enum SignatureText {
    private static let lineLength = 76
    private static let lineFeed = UInt8(ascii: "\n")

    /// Longer than the wrapped signature of the largest key, 8192 bits.
    static let maximumLength = 2048

    /// Puts a line feed after every 76 symbols and at the end.
    static func wrapped(_ text: String) -> String {
        let symbols = Array(text.utf8)
        var lines: [UInt8] = []
        for start in stride(from: 0, to: symbols.count, by: lineLength) {
            lines += symbols[start..<min(start + lineLength, symbols.count)]
            lines.append(lineFeed)
        }
        return String(decoding: lines, as: UTF8.self)
    }

    /// Reads either form; `nil` for every other spelling.
    ///
    /// The last line feed may be missing: form fields are often trimmed on their way.
    static func bytes(_ text: String) -> [UInt8]? {
        var lines = Array(text.utf8).split(separator: lineFeed, omittingEmptySubsequences: false)
        if lines.count > 1 {
            if lines.last?.isEmpty == true { lines.removeLast() }
            guard let last = lines.last, 1...lineLength ~= last.count,
                lines.dropLast().allSatisfy({ $0.count == lineLength })
            else { return nil }
        }
        return Base64.decode(Array(lines.joined()), options: .canonical)
    }
}
