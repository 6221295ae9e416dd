import TextCodecs

/// The code of an authentication session, which a user may have to type on a second screen.
///
/// The code alone lets any registered application read the user's profile, so neither its description nor its mirror
/// shows it. Keep it out of logs, and do not store it once it was used. Codes are compared byte by byte.
public struct AuthenticationCode: Sendable {
    private let redactedText: Redacted<String>

    /// The code as it is written on the wire: six or seven capital letters and digits, `I`, `O` and `0` included.
    public var text: String { redactedText.value }

    /// Makes a code from its text, unchanged.
    public init(_ text: String) { redactedText = Redacted(text) }

    /// Reads a code that a user has typed, or has dictated to a keyboard.
    ///
    /// Small letters become capital ones, and full-width letters and digits, as keyboards for Chinese and Japanese write them,
    /// become those of ASCII. Blanks, dashes of all kinds and full stops are dropped. A letter that only looks like one of
    /// these is refused.
    ///
    /// - Parameter text: What was typed; `nil` is returned if it is longer than 256 bytes, or has not 4 to 16 letters and
    ///   digits and nothing else.
    public init?(typed text: String) {
        guard text.utf8.count <= 256 else { return nil }
        var letters: [UInt8] = []
        for scalar in text.unicodeScalars where !scalar.isSeparatorInCode {
            guard let letter = scalar.letterOfCode else { return nil }
            letters.append(letter)
        }
        guard 4...16 ~= letters.count else { return nil }
        self.init(String(decoding: letters, as: UTF8.self))
    }
}

extension Unicode.Scalar {
    /// Whether people put the character between the letters of a code, or a keyboard does.
    fileprivate var isSeparatorInCode: Bool {
        switch properties.generalCategory {
        case .spaceSeparator, .dashPunctuation, .format: true
        default: otherSeparators.contains(self)
        }
    }

    /// The capital letter or digit of ASCII that the character is, or is a form of; `nil` if it is another one.
    fileprivate var letterOfCode: UInt8? {
        // The full-width forms stand in the order of ASCII.
        let plain = Unicode.Scalar(0xFF01...0xFF5E ~= value ? value - 0xFF01 + 0x21 : value)
        // Only then: the capital letter of a dotless i, for one, is that of ASCII.
        guard let plain, plain.isASCII, let byte = plain.properties.uppercaseMapping.utf8.first,
            byte.isASCIILetter || byte.isASCIIDigit
        else { return nil }
        return byte
    }
}

/// Tabs and line ends; the minus sign; full stops: of ASCII, full-width, ideographic, and that in its half-width form.
private let otherSeparators: Set<Unicode.Scalar> = [
    "\t", "\n", "\r", "\u{2212}", ".", "\u{FF0E}", "\u{3002}", "\u{FF61}",
]

extension AuthenticationCode: Hashable {
    /// Compares the UTF-8 bytes.
    public static func == (one: Self, other: Self) -> Bool { one.text.hasSameBytes(as: other.text) }

    /// Hashes the UTF-8 bytes, which are what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

extension AuthenticationCode: CustomStringConvertible {
    /// The same text for every code.
    public var description: String { "authentication code" }
}
