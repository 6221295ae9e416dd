import MetadataDecryption
import TextCodecs

/// What the lines of a record look like, each read alone as a row.
///
/// A quotation mark that was meant as text makes the rows after it part of its value, up to a mark that ends a value of
/// the same column; so does a backslash at the end of a line that was. The record then has as many values as the header,
/// and nothing else tells that rows are lost in it.
struct RecordLines {
    private let bytes: [UInt8]
    private let cells: [Range<Int>]
    private let header: SeparatedHeader
    private let nulls: NullTexts

    private var lines = 0
    /// How many lines read as rows: they have as many values as the header, and in the columns that are decrypted a value
    /// that is encrypted or absent.
    private(set) var rows = 0
    /// How many others there are, but for blank ones, and how many of them have another number of values, or are text.
    private var others = 0
    private var misfits = 0
    /// How many lines have as many values as the header, though not all their separators separate values of the record.
    private var joined = 0
    /// Whether a line has an encrypted value in its column that is not the record's own.
    private var holdsValues = false

    /// A value of more lines is possible, and so rare that it has to be meant.
    private static let maximumLines = 1000

    /// Looks at the lines of a record, given without its line end.
    ///
    /// It has as many values as the header, which says which of them are encrypted. `nulls` are texts that stand for a
    /// value that is not there.
    init(
        _ record: Range<Int>,
        of bytes: [UInt8],
        cells: [Range<Int>],
        under header: SeparatedHeader,
        nulls: NullTexts
    ) {
        (self.bytes, self.cells, self.header, self.nulls) = (bytes, cells, header, nulls)
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        var start = record.lowerBound
        while start <= record.upperBound {
            let end = bytes[start..<record.upperBound].firstIndex { $0 == lineFeed || $0 == carriageReturn }
            look(at: start..<(end ?? record.upperBound))
            guard let end else { return }
            let isPair = bytes[end] == carriageReturn && end + 1 < record.upperBound && bytes[end + 1] == lineFeed
            start = end + (isPair ? 2 : 1)
        }
    }

    /// Why rows may be lost in the record; `nil` if it is one row.
    var kind: JoinedRecords.Kind? {
        if holdsValues { return .bad }
        // Texts have tabs and control characters seldom, and commas often. Those after backslashes are meant.
        let isRareInTexts = header.form.separator < 0x20
        let mostAreRows = others * (isRareInTexts && header.form.quoting != .unquoted ? 1 : 9) <= rows
        let allFit = misfits == 0 && (isRareInTexts || !header.columns.allSatisfy { isGood(cells[$0.index]) })
        if header.count > 1, joined > 0, mostAreRows || allFit { return .suspected }
        return lines > Self.maximumLines ? .long : nil
    }

    private mutating func look(at line: Range<Int>) {
        lines += 1
        guard !line.isEmpty else { return }
        let found = header.form.readings(ofLine: line, in: bytes)
        if found.contains(where: { holdsOtherValue($0) }) { holdsValues = true }
        let readings = found.filter { $0.count == header.count }
        guard !readings.isEmpty, !escapesMarks(in: line) else {
            others += 1
            misfits += 1
            return
        }
        if cells.dropLast().count(where: { line.contains($0.upperBound) }) < header.count - 1 { joined += 1 }
        if readings.contains(where: { values in header.columns.allSatisfy { isGood(values[$0.index]) } }) {
            rows += 1
        } else {
            others += 1
        }
    }

    /// Whether a quotation mark within a word is escaped, as in JSON: a program that does so puts others around values only.
    private func escapesMarks(in line: Range<Int>) -> Bool {
        let form = header.form
        guard form.quoting != .unquoted, line.count > 4 else { return false }
        let edges = [form.separator, SeparatedForm.mark]
        return (line.lowerBound + 1..<line.upperBound - 2).contains { index in
            let isBackslash = form.quoting == .backslash && bytes[index] == SeparatedForm.backslash
            return (isBackslash || bytes[index] == SeparatedForm.mark) && bytes[index + 1] == SeparatedForm.mark
                && !edges.contains(bytes[index - 1]) && !edges.contains(bytes[index + 2])
        }
    }

    /// Whether the values of a line have an encrypted one that is not the record's own; in any place, since a row that is lost
    /// may have another number of values.
    private func holdsOtherValue(_ values: [Range<Int>]) -> Bool {
        values.indices.contains { index in
            let value = values[index]
            guard !cells.contains(value), isEncrypted(value) else { return false }
            let isInItsColumn = values.count == header.count && header.columns.contains { $0.index == index }
            guard isInItsColumn || isWholeBlocks(value) else { return false }
            // The Base64 of one value may take several lines.
            return !cells.contains { own in
                own.lowerBound <= value.lowerBound && value.upperBound <= own.upperBound && isEncrypted(own)
            }
        }
    }

    /// Whether a value has the length of what RSA encrypts: a text may hold other Base64, such as a picture.
    private func isWholeBlocks(_ value: Range<Int>) -> Bool {
        let text = Self.bare(bytes[value], in: header.form)
        let ciphertext = try? EncryptedValue.bytes(of: text.span)
        return ciphertext.map { $0.count.isMultiple(of: 64) } ?? false
    }

    /// Whether a row may have such a value in a column that is decrypted.
    private func isGood(_ value: Range<Int>) -> Bool {
        let cell = bytes[value]
        let text = Array(Self.bare(cell, in: header.form))
        return text.isEmpty || nulls.contains(cell, text: text) || NullTexts.usual(text) != nil || isEncrypted(value)
    }

    private func isEncrypted(_ value: Range<Int>) -> Bool { Self.isEncrypted(bytes[value], in: header.form) }

    /// Whether a value may be encrypted: Base64 as the decrypter reads it, for a key of 1024 bits or more.
    ///
    /// It is given with its quotation marks, or with one of them that is text.
    static func isEncrypted(_ value: ArraySlice<UInt8>, in form: SeparatedForm) -> Bool {
        // 1024 bits have 171 characters and more.
        guard value.count > 170 else { return false }
        let text = bare(value, in: form)
        // A blank stands for a plus, one in 64 characters; prose has one after each word.
        guard text.count(where: { $0 == UInt8(ascii: " ") }) * 8 <= text.count else { return false }
        let ciphertext = try? EncryptedValue.bytes(of: text.span)
        return ciphertext.map { $0.count >= 128 } ?? false
    }

    /// A value without quotation marks, backslashes, and white space around it.
    private static func bare(_ value: ArraySlice<UInt8>, in form: SeparatedForm) -> ArraySlice<UInt8> {
        var text = value
        if form.quoting == .unquoted {
            text = form.text(value)[...]
        } else {
            if text.first == SeparatedForm.mark { text = text.dropFirst() }
            if text.last == SeparatedForm.mark { text = text.dropLast() }
        }
        text = text.drop { $0.isWhiteSpace }
        while let last = text.last, last.isWhiteSpace { text.removeLast() }
        return text
    }
}
