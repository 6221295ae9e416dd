import TextCodecs

/// What a failed row looks like that was written in another form than the input is read in.
package enum Misreading: CaseIterable, Sendable {
    /// Read with quotation marks, though they are text.
    case textMarks
    /// Read with doubled quotation marks, though backslashes escape them.
    case escapedMarks
    /// Read with escaped quotation marks, though they are doubled.
    case doubledMarks
    /// Read without quotation marks, though values are in them.
    case quotedValues
    /// Read with backslashes that take the next character along, though they are text.
    case textBackslashes
    /// Text in Windows-1252, or in ISO 8859-1.
    case windows1252
    /// An object or array as a string, so that nothing is found in it.
    case jsonInText

    /// Recognises another encoding, or a string in place of an object.
    init?(ofJSONIn line: RowLine) {
        let beginning = line.bytes[line.json].lazy.filter { !$0.isWhiteSpace }.prefix(2)
        if beginning.elementsEqual("\"{".utf8) || beginning.elementsEqual("\"[".utf8) {
            self = .jsonInText
        } else {
            self.init(ofBytesIn: line)
        }
    }

    /// Recognises another encoding.
    init?(ofBytesIn line: RowLine) {
        let text = line.bytes[line.json]
        guard Self.isWindows1252(text) else { return nil }
        self = .windows1252
    }

    /// Recognises another form, in which the row would have as many values as the header.
    init?(_ line: RowLine, under header: SeparatedHeader) {
        let row = line.bytes[line.json]
        let hasMarks = row.contains(SeparatedForm.mark)
        let hasBackslashes = row.contains(SeparatedForm.backslash)
        func fits(_ quoting: SeparatedForm.Quoting) -> Bool {
            let form = SeparatedForm(separator: header.form.separator, quoting: quoting)
            return (try? form.values(in: line.bytes, line.json))?.count == header.count
        }
        // A value may lack in a row whose marks are right; but tabs are seldom within values.
        let marksAreWrong =
            (try? header.form.values(in: line.bytes, line.json)) == nil || header.form.separator == UInt8(ascii: "\t")
        switch header.form.quoting {
        case .csv where hasMarks && hasBackslashes && fits(.backslash): self = .escapedMarks
        case .backslash where hasMarks && fits(.csv): self = .doubledMarks
        case .csv where hasMarks && marksAreWrong && fits(.unquoted): self = .textMarks
        case .backslash where hasMarks && marksAreWrong && fits(.unquoted): self = .textMarks
        case .unquoted where hasMarks && fits(.csv): self = .quotedValues
        case .unquoted where hasBackslashes && row.count(where: { $0 == header.form.separator }) == header.count - 1:
            self = .textBackslashes
        default: return nil
        }
    }

    /// Whether bytes that are not UTF-8 look like text in Windows-1252.
    static func isWindows1252(_ text: ArraySlice<UInt8>) -> Bool {
        var hasOther = false
        var previous: UInt8 = 0
        for byte in text {
            // Not a character there; or a part of UTF-8, some of which is damaged then.
            if [0, 0x81, 0x8D, 0x8F, 0x90, 0x9D].contains(byte) { return false }
            if (0xC2...0xF4).contains(previous), (0x80...0xBF).contains(byte) { return false }
            if byte >= 0x80 { hasOther = true }
            previous = byte
        }
        return hasOther
    }
}
