/// The bytes of a text that may be given to the XML parser.
///
/// Refuses beforehand whatever might make a parser read something else than UTF-8 text: some obey a declared encoding such
/// as UTF-7, guess UTF-16 from a NUL, or resolve a DOCTYPE's entities.
func documentBytes(_ text: String) throws(MediaRSSError) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count <= MediaRSSResource.maximumBytes else {
        throw .tooLarge(bytes: bytes.count, limit: MediaRSSResource.maximumBytes)
    }
    guard !bytes.contains(0) else { throw .notMediaRSS(.notText) }
    guard !declaresMarkup(bytes) else { throw .doctypeRefused }
    guard let first = bytes.firstIndex(where: { !$0.isXMLWhiteSpace }) else { throw .notMediaRSS(.empty) }
    guard bytes[first] == UInt8(ascii: "<") else {
        throw .notMediaRSS(bytes[first...].starts(with: "&lt;".utf8) ? .entityEscaped : .plainText)
    }
    guard isPlainDeclaration(text, bytes) else { throw .notMediaRSS(.declaration) }
    guard !hasInstruction(bytes) else { throw .ambiguous(.markup) }
    return bytes
}

/// Whether `<!DOCTYPE` or `<!ENTITY` stands anywhere, in CDATA too: nobody needs either in a resource.
private func declaresMarkup(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { index in
        guard bytes[index] == UInt8(ascii: "<"), bytes[index...].starts(with: "<!".utf8) else { return false }
        // Setting bit 5 makes ASCII letters lowercase, and no other byte a letter that it was not.
        let word = bytes[index...].dropFirst(2).prefix(7).map { $0 | 0x20 }
        return word.starts(with: "doctype".utf8) || word.starts(with: "entity".utf8)
    }
}

/// Whether `<?` stands anywhere but at the start of an XML declaration, in CDATA too.
private func hasInstruction(_ bytes: [UInt8]) -> Bool {
    let start = startsWithDeclaration(bytes) ? 1 : 0
    return bytes.indices.dropFirst(start).contains { index in bytes[index...].starts(with: "<?".utf8) }
}

private func startsWithDeclaration(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "<?xml".utf8) && bytes.count > 5 && bytes[5].isXMLWhiteSpace
}

/// Whether an XML declaration, if there is one, says version 1.0 and no encoding or UTF-8.
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
    /// Space, tab, line feed or carriage return.
    var isXMLWhiteSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
