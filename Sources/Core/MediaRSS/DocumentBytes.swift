/// Checks a text before it is parsed, and returns its UTF-8 bytes.
///
/// Refuses everything that could make another parser read different text: a declared encoding such as UTF-7, a NUL,
/// which looks like UTF-16, or a DOCTYPE with entities. Throws `.tooLarge`, `.doctypeRefused`, or the reason why
/// the text cannot be a fragment.
func documentBytes(_ text: String) throws(MediaRSSError) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count <= MediaRSSResource.maximumBytes else {
        throw .tooLarge(bytes: bytes.count, limit: MediaRSSResource.maximumBytes)
    }
    guard !bytes.contains(0) else { throw .notMediaRSS(.notText) }
    guard !declaresMarkup(bytes) else { throw .doctypeRefused }
    guard let first = bytes.firstIndex(where: { !$0.isXMLWhiteSpace }) else { throw .notMediaRSS(.empty) }
    guard bytes[first] == UInt8(ascii: "<") else {
        guard !bytes[first...].starts(with: "\u{FEFF}".utf8) else { throw .notMediaRSS(.byteOrderMark) }
        throw .notMediaRSS(bytes[first...].starts(with: "&lt;".utf8) ? .entityEscaped : .plainText)
    }
    guard isPlainDeclaration(text, bytes) else { throw .notMediaRSS(.declaration) }
    guard !hasInstruction(bytes) else { throw .ambiguous(.markup) }
    return bytes
}

/// Whether the text contains `<!DOCTYPE` or `<!ENTITY` in upper or lower case, even inside CDATA.
private func declaresMarkup(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { index in
        guard bytes[index] == UInt8(ascii: "<"), bytes[index...].starts(with: "<!".utf8) else { return false }
        // Setting bit 5 makes ASCII letters lowercase, and no other byte a letter that it was not.
        let word = bytes[index...].dropFirst(2).prefix(7).map { $0 | 0x20 }
        return word.starts(with: "doctype".utf8) || word.starts(with: "entity".utf8)
    }
}

/// Whether the text contains `<?`, even inside CDATA, other than at the start of an XML declaration.
private func hasInstruction(_ bytes: [UInt8]) -> Bool {
    let start = startsWithDeclaration(bytes) ? 1 : 0
    return bytes.indices.dropFirst(start).contains { index in bytes[index...].starts(with: "<?".utf8) }
}

private func startsWithDeclaration(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "<?xml".utf8) && bytes.count > 5 && bytes[5].isXMLWhiteSpace
}

/// Whether the text has no XML declaration, or one of version 1.0 that names UTF-8 or no encoding.
private func isPlainDeclaration(_ text: String, _ bytes: [UInt8]) -> Bool {
    guard startsWithDeclaration(bytes) else { return true }
    let known =
        #/
        <\?xml [\ \t\r\n]+ version [\ \t\r\n]* = [\ \t\r\n]* (?: "1\.0" | '1\.0' )
        (?: [\ \t\r\n]+ encoding [\ \t\r\n]* = [\ \t\r\n]* (?: "(?i:utf-8)" | '(?i:utf-8)' ) )?
        (?: [\ \t\r\n]+ standalone [\ \t\r\n]* = [\ \t\r\n]* (?: "(?:yes|no)" | '(?:yes|no)' ) )?
        [\ \t\r\n]* \?>
        /#.matchingSemantics(.unicodeScalar)
    return text.prefixMatch(of: known) != nil
}

extension UInt8 {
    /// Whether it is a space, tab, line feed or carriage return.
    var isXMLWhiteSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
