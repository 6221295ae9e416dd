/// The octets of a text that may be given to the XML parser.
///
/// Refuses beforehand whatever might make a parser read something else than UTF-8 text: some obey a declared encoding such
/// as UTF-7, guess UTF-16 from a NUL, or resolve a DOCTYPE's entities.
func documentOctets(_ text: String) throws(MediaRSSError) -> [UInt8] {
    let octets = Array(text.utf8)
    guard octets.count <= MediaRSSResource.maximumOctets else {
        throw .tooLarge(octets: octets.count, limit: MediaRSSResource.maximumOctets)
    }
    guard !octets.contains(0) else { throw .notMediaRSS(.notText) }
    guard !declaresMarkup(octets) else { throw .doctypeRefused }
    guard let first = octets.firstIndex(where: { !$0.isXMLWhiteSpace }) else { throw .notMediaRSS(.empty) }
    guard octets[first] == UInt8(ascii: "<") else {
        throw .notMediaRSS(octets[first...].starts(with: "&lt;".utf8) ? .entityEscaped : .plainText)
    }
    guard isPlainDeclaration(text, octets) else { throw .notMediaRSS(.declaration) }
    guard !hasInstruction(octets) else { throw .ambiguous(.markup) }
    return octets
}

/// Whether `<!DOCTYPE` or `<!ENTITY` stands anywhere, in CDATA too: nobody needs either in a resource.
private func declaresMarkup(_ octets: [UInt8]) -> Bool {
    octets.indices.contains { index in
        guard octets[index] == UInt8(ascii: "<"), octets[index...].starts(with: "<!".utf8) else { return false }
        // Setting bit 5 makes ASCII letters lowercase, and no other octet a letter that it was not.
        let word = octets[index...].dropFirst(2).prefix(7).map { $0 | 0x20 }
        return word.starts(with: "doctype".utf8) || word.starts(with: "entity".utf8)
    }
}

/// Whether `<?` stands anywhere but at the start of an XML declaration, in CDATA too.
private func hasInstruction(_ octets: [UInt8]) -> Bool {
    let start = startsWithDeclaration(octets) ? 1 : 0
    return octets.indices.dropFirst(start).contains { index in octets[index...].starts(with: "<?".utf8) }
}

private func startsWithDeclaration(_ octets: [UInt8]) -> Bool {
    octets.starts(with: "<?xml".utf8) && octets.count > 5 && octets[5].isXMLWhiteSpace
}

/// Whether an XML declaration, if there is one, says version 1.0 and no encoding or UTF-8.
private func isPlainDeclaration(_ text: String, _ octets: [UInt8]) -> Bool {
    guard startsWithDeclaration(octets) else { return true }
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
