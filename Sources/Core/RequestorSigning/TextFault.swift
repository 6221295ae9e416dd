import TextCodecs

/// Says why a text is not signed: it must be a mistake, or does not fit into the form it is written in.
///
/// Nothing is trimmed or repaired: a signature over a text that differs from the caller's would fail only in production.
@nonexhaustive
public enum TextFault: Sendable, Hashable {
    /// It is empty.
    case empty
    /// The bytes are not UTF-8.
    case notUTF8
    /// It starts or ends with white space.
    case outerWhiteSpace
    /// It contains a control character, a line end or a byte order mark.
    case control(scalar: UInt32, offset: Int)
    /// It contains a character that is not allowed in the form it is written in.
    case unexpected(scalar: UInt32, offset: Int)
}

extension TextFault: CustomStringConvertible {
    /// What is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .empty: "is empty"
        case .notUTF8: "is not UTF-8"
        case .outerWhiteSpace: "starts or ends with white space, which would be signed too; remove it"
        case .control(0x0A, let offset), .control(0x0D, let offset):
            "contains a line end at byte \(offset), which would be signed too; write it with printf %s instead of echo"
        case .control(let scalar, let offset):
            "contains the control character \(name(scalar)) at byte \(offset); remove it"
        case .unexpected(let scalar, let offset):
            "contains \(name(scalar)) at byte \(offset), which is not allowed there"
        }
    }

    private func name(_ scalar: UInt32) -> String {
        let digits = String(scalar, radix: 16, uppercase: true)
        return "U+\(String(repeating: "0", count: max(0, 4 - digits.utf8.count)))\(digits)"
    }
}

/// Refuses texts that must be a mistake: empty ones, white space at the ends, control characters.
func checkSignable(_ text: String, as field: String) throws(RequestorSigningError) {
    guard !text.isEmpty else { throw .unsuitable(field: field, .empty) }
    var offset = 0
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator:
            throw .unsuitable(field: field, .control(scalar: scalar.value, offset: offset))
        case _ where scalar.value == 0xFEFF:
            throw .unsuitable(field: field, .control(scalar: scalar.value, offset: offset))
        default:
            offset += UTF8.width(scalar)
        }
    }
    let ends = [text.unicodeScalars.first, text.unicodeScalars.last]
    if ends.contains(where: { $0?.properties.isWhitespace == true }) {
        throw .unsuitable(field: field, .outerWhiteSpace)
    }
}

/// Refuses the same texts given as bytes, and bytes that are not UTF-8.
func checkSignable(_ bytes: Span<UInt8>, as field: String) throws(RequestorSigningError) {
    if let offset = bytes.indices.first(where: { bytes[$0] == 0 }) {
        throw .unsuitable(field: field, .control(scalar: 0, offset: offset))
    }
    guard bytes.isTextWithoutNUL else { throw .unsuitable(field: field, .notUTF8) }
    try checkSignable(String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self), as: field)
}

/// Refuses texts that must be a mistake, and those with characters that a header field does not allow.
func checkHeaderValue(
    _ text: String,
    as field: String,
    allowed: (UInt8) -> Bool
) throws(RequestorSigningError) {
    try checkSignable(text, as: field)
    var offset = 0
    for scalar in text.unicodeScalars {
        guard let byte = UInt8(exactly: scalar.value), allowed(byte) else {
            throw .unsuitable(field: field, .unexpected(scalar: scalar.value, offset: offset))
        }
        offset += UTF8.width(scalar)
    }
}
