/// Recognises, splits and decodes a JWS or JWE in compact serialization (RFC 7515 §7.1, RFC 7516 §7.1): parts of
/// Base64url, with dots between them.
package enum CompactSerialization {
    /// What the number of parts says that a text is.
    package enum Kind: Sendable {
        /// A JWS: header, payload, signature.
        case signed
        /// A JWE: header, encrypted key, initialization vector, ciphertext, tag.
        case encrypted

        /// What a text of so many parts is; `nil` if it is neither.
        package init?(partCount: Int) {
            switch partCount {
            case 3: self = .signed
            case 5: self = .encrypted
            default: return nil
            }
        }
    }

    /// Recognises a JWS or JWE by its alphabet and its parts, of which only the header must have something in it.
    ///
    /// The range has no white space around it. `nil` if the text is neither.
    package static func kind(of text: Span<UInt8>, in range: Range<Int>) -> Kind? {
        guard !range.isEmpty, text[range.lowerBound] != dot else { return nil }
        var partCount = 1
        for index in range {
            if text[index] == dot {
                partCount += 1
            } else if !text[index].isURLSafe {
                return nil
            }
        }
        return Kind(partCount: partCount)
    }

    /// Splits a whole text at its dots, as many as there are.
    package static func parts(of text: Span<UInt8>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        // A JWE has five.
        parts.reserveCapacity(5)
        var start = 0
        while let index = text.firstIndex(of: dot, in: start..<text.count) {
            parts.append(start..<index)
            start = index + 1
        }
        parts.append(start..<text.count)
        return parts
    }

    /// Decodes a part; `nil` if it has padding or anything else that is not in the Base64url alphabet.
    package static func decode(_ text: Span<UInt8>, part: Range<Int>) -> [UInt8]? {
        Base64.decode(text, in: part, options: .compact)
    }

    private static let dot = UInt8(ascii: ".")
}
