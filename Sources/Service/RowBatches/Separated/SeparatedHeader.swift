package import MetadataDecryption

/// The header of separated values: which columns hold encrypted values.
package struct SeparatedHeader: Sendable {
    /// A column that is decrypted.
    struct Column: Sendable {
        let index: Int
        let name: String
        /// Whether a record may lack the value.
        let isOptional: Bool
        let attribute: MetadataAttribute
    }

    let form: SeparatedForm
    /// How many values each record has.
    let count: Int
    let columns: [Column]
    /// The column `_tve` of an earlier run, which is written anew.
    let mark: Int?
    /// The header for the output, with its line end.
    package let line: [UInt8]

    /// Reads the header, the first line of the input with its line end.
    ///
    /// Every record must have a value in the columns `fields`. The header may lack `optionalFields`, and a record may
    /// lack a value in them. The attribute is that of all values; `nil` if each column is named after its attribute.
    ///
    /// Throws also if the header has none of the columns.
    package init(
        _ bytes: [UInt8],
        _ form: SeparatedForm,
        fields: [String],
        optionalFields: [String],
        attribute: MetadataAttribute?
    ) throws(SeparatedHeaderError) {
        let line = RowLine(
            number: 1, bytes: bytes, range: 0..<(bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count),
            hasKeyPrefix: false)
        guard !Self.endsInCR(line, form) else { throw .lineEndsAreCR }
        let cells = try Self.cells(line, form)
        let names = cells.map { String(decoding: form.text(bytes[$0]), as: UTF8.self) }
        // The header is missing, or a quotation mark too many makes rows part of a name.
        let parts = bytes.split { $0 == form.separator || $0 == UInt8(ascii: "\n") }
        guard !parts.contains(where: { RecordLines.isEncrypted($0, in: form) }) else {
            throw .unreadable("an encrypted value among the names of columns")
        }
        for name in Set(fields + optionalFields + ["_tve"]) where names.count(where: { $0 == name }) > 1 {
            throw .repeatedColumn(name)
        }
        let hasSome = (fields + optionalFields).contains { names.contains($0) }
        // Without any of them every row would pass as it came, also with a wrong separator, or without a header.
        let missing = fields.first { !names.contains($0) } ?? (hasSome ? nil : optionalFields.first)
        if let missing { throw .missingColumn(missing, among: names, hasOthers: hasSome) }
        self.form = form
        count = names.count
        mark = names.firstIndex(of: "_tve")
        columns = (fields.map { ($0, false) } + optionalFields.map { ($0, true) })
            .compactMap { name, isOptional in
                names.firstIndex(of: name).map {
                    Column(
                        index: $0, name: name, isOptional: isOptional, attribute: attribute ?? MetadataAttribute(name))
                }
            }
        var output: [UInt8] = []
        let hasMark = mark != nil
        line.write(to: &output) { output in
            output += bytes[line.json]
            if !hasMark { output += [form.separator] + Array("_tve".utf8) }
        }
        self.line = output + [UInt8(ascii: "\n")]
        // Names of columns are neither encrypted nor absent, so a later line that reads as a row is not part of a name.
        guard let end = bytes[line.json].firstIndex(of: UInt8(ascii: "\n")) else { return }
        let lines = RecordLines(
            end + 1..<line.json.upperBound, of: bytes, cells: cells, under: self, nulls: NullTexts([], in: form))
        guard lines.rows == 0 else { throw .unreadable("a row within the name of a column") }
    }

    private static func cells(_ line: RowLine, _ form: SeparatedForm) throws(SeparatedHeaderError) -> [Range<Int>] {
        do throws(RecordFault) {
            return try form.values(in: line.bytes, line.json)
        } catch {
            throw .unreadable(error.reason)
        }
    }

    /// Whether names come before a CR that ends a line, and not within a name in quotation marks.
    private static func endsInCR(_ line: RowLine, _ form: SeparatedForm) -> Bool {
        guard let end = line.bytes[line.json].firstIndex(of: UInt8(ascii: "\r")), end + 1 < line.json.upperBound else {
            return false
        }
        return line.bytes[end + 1] != UInt8(ascii: "\n")
            && (try? form.values(in: line.bytes, line.json.lowerBound..<end)) != nil
    }
}

/// Why separated values cannot be decrypted by their header.
package enum SeparatedHeaderError: Error, Sendable, Hashable {
    /// The header is not a record.
    case unreadable(_ reason: String)
    /// A column is missing; the header may have others of the columns that are decrypted.
    case missingColumn(_ name: String, among: [String], hasOthers: Bool)
    /// The lines of the input end in CR alone.
    case lineEndsAreCR
    /// Two columns have the name.
    case repeatedColumn(_ name: String)
}
