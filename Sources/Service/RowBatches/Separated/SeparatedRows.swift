import EntitlementKeys
import MetadataDecryption
import OpenSSLBridge
package import TextCodecs

/// Rows of separated values, with encrypted values in some columns.
///
/// Either all values of a row are decrypted, or the row stays as it is. The last column, `_tve`, says how it went: `ok`, or
/// the code of the failure.
package struct SeparatedRows: RowFormat {
    private let header: SeparatedHeader
    private let values: ValueDecrypter
    private let nulls: NullTexts
    private let trustsMarks: Bool
    private let resumes: Bool
    private var form: SeparatedForm { header.form }

    /// Makes the format of rows under a header.
    ///
    /// `nulls` are texts that stand for a value that is not there; they are written as they came. If `trustsMarks` is
    /// true, quotation marks are what the form says, so that a record may take any number of lines without being
    /// suspected for it. If `resumes` is true, rows that an earlier run has decrypted stay as they are.
    package init(
        under header: SeparatedHeader,
        values: ValueDecrypter,
        nulls: [String] = [],
        trustsMarks: Bool = false,
        resumes: Bool = false
    ) {
        self.header = header
        self.values = values
        self.nulls = NullTexts(nulls, in: header.form)
        self.trustsMarks = trustsMarks
        self.resumes = resumes
    }

    /// What stands in the column `_tve` of a row that was decrypted.
    private static let goodMark = "ok"

    package func answer(_ line: RowLine, to output: inout [UInt8]) -> RowOutcome {
        do throws(JSONFault) {
            let cells = try cells(of: line, try line.readableJSON)
            let joined = joined(line, cells)
            guard joined != .bad else { throw JSONFault(reason: "rows within a value") }
            if resumes, let mark = header.mark, form.text(line.bytes[cells[mark]]).elementsEqual(Self.goodMark.utf8) {
                line.write(to: &output) { $0 += line.bytes[line.json] }
                return RowOutcome(keys: [], failed: nil, joined: joined, isResumed: true)
            }
            var texts: [Int: [UInt8]] = [:]
            var keys: [String] = []
            var fault: FieldFault?
            do throws(FieldFault) {
                for column in header.columns {
                    let cell = line.bytes[cells[column.index]]
                    let value = form.text(cell)
                    let isNull = nulls.contains(cell, text: value)
                    if column.isOptional, isNull || value.isEmpty { continue }
                    guard !isNull else { throw FieldFault.null(column.name) }
                    let plain = try text(value, of: cell, in: column)
                    texts[column.index] = plain.text
                    if !keys.contains(plain.key) { keys.append(plain.key) }
                }
            } catch {
                (texts, keys, fault) = ([:], [], error)
            }
            write(line, cells: cells, texts: texts, mark: fault?.code ?? Self.goodMark, to: &output)
            let failed = fault.map { FailedRow.notDecrypted([$0], listsFaults: false) }
            return RowOutcome(keys: keys, failed: failed, joined: joined)
        } catch {
            let fault = located(error, in: line)
            answer(line, fault, to: &output)
            // One that is not text may be a record of the header nevertheless, and one row.
            let cells = try? cells(of: line, line.json)
            return RowOutcome(
                keys: [], failed: .bad(fault), isOneRow: cells.map { joined(line, $0) == nil } ?? false,
                misread: misread(line, isRecord: cells != nil))
        }
    }

    /// What a bad row looks like; what may have become of several is told by their lines.
    private func misread(_ line: RowLine, isRecord: Bool) -> Misreading? {
        if let encoding = Misreading(ofBytesIn: line) { return encoding }
        return isRecord || line.inputLines.count > 1 ? nil : Misreading(line, under: header)
    }

    /// The fault with the lines of the input that the record takes, if it takes several.
    private func located(_ fault: JSONFault, in line: RowLine) -> JSONFault {
        let lines = line.inputLines
        guard lines.count > 1 else { return fault }
        let place = "the record takes the lines \(lines.lowerBound) to \(lines.upperBound) of the input"
        return JSONFault(reason: "\(fault.reason); \(place)")
    }

    /// Why rows may be lost in a record of several lines; `nil` if it is one row.
    private func joined(_ line: RowLine, _ cells: [Range<Int>]) -> JoinedRecords.Kind? {
        // Some programs end lines with CR alone.
        guard line.inputLines.count > 1 || line.bytes[line.json].contains(UInt8(ascii: "\r")) else { return nil }
        let lines = RecordLines(line.json, of: line.bytes, cells: cells, under: header, nulls: nulls)
        return lines.kind == .long && trustsMarks ? nil : lines.kind
    }

    /// A line that is not a record of the header becomes the first value of one.
    package func answer(_ line: RowLine, _ fault: JSONFault, to output: inout [UInt8]) {
        let width = header.mark == nil ? header.count + 1 : header.count
        let mark = header.mark ?? header.count
        line.write(to: &output) { output in
            for index in 0..<width {
                if index > 0 { output.append(form.separator) }
                if index == mark {
                    output += Array(FailedRow.bad(fault).code.utf8)
                } else if index == (mark == 0 ? 1 : 0) {
                    // Quoted, so that a reader can take it apart, and with the bytes as they came.
                    form.write(line.bytes[line.json], to: &output)
                }
            }
        }
    }

    private func cells(of line: RowLine, _ range: Range<Int>) throws(JSONFault) -> [Range<Int>] {
        let cells: [Range<Int>]
        do throws(RecordFault) {
            cells = try form.values(in: line.bytes, range)
        } catch {
            throw JSONFault(reason: error.reason)
        }
        guard cells.count == header.count else {
            throw JSONFault(reason: "\(cells.count) values under a header of \(header.count)")
        }
        return cells
    }

    private func text(
        _ value: [UInt8],
        of cell: ArraySlice<UInt8>,
        in column: SeparatedHeader.Column
    ) throws(FieldFault) -> (text: [UInt8], key: String) {
        do throws(FieldFault) {
            let plain = try value.withSpan { bytes throws(FieldFault) in
                try values.text(bytes, of: column.attribute, at: column.name)
            }
            let text = try values.written(at: column.name) { form throws(OpenSSLFailure) in
                Array(try form.text(plain.text).utf8)
            }
            return (text, plain.key.label)
        } catch {
            var fault = error
            fault.field = column.name
            fault.nullText = nulls.unnamed(cell, text: value)
            throw fault
        }
    }

    private func write(
        _ line: RowLine,
        cells: [Range<Int>],
        texts: [Int: [UInt8]],
        mark: String,
        to output: inout [UInt8]
    ) {
        line.write(to: &output) { output in
            for (index, cell) in cells.enumerated() {
                if index > 0 { output.append(form.separator) }
                if index == header.mark {
                    output += Array(mark.utf8)
                } else if let text = texts[index] {
                    form.write(text, isMarked: nulls.contains(text: text), to: &output)
                } else {
                    output += line.bytes[cell]
                }
            }
            if header.mark == nil { output += [form.separator] + Array(mark.utf8) }
        }
    }
}
