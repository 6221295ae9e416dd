package import TextCodecs

/// Rows that are JSON objects, one in each line.
package struct ObjectRows: RowFormat {
    private let reader: any RowReader

    /// Makes the format of some kind of objects.
    package init(reader: any RowReader) { self.reader = reader }

    package func answer(_ line: RowLine, to output: inout [UInt8]) -> RowOutcome {
        do throws(JSONFault) {
            let json = try line.readableJSON
            let text = line.bytes[json]
            let row = try reader.read(text.span)
            let mark =
                row.faults.isEmpty ? row.goodMark : FailedRow.mark(row.faults, listsFaults: reader.listsFaults)
            line.write(to: &output) { row.write(line.bytes[json], mark: mark, to: &$0) }
            guard !row.faults.isEmpty else { return RowOutcome(keys: row.keys, failed: nil) }
            return RowOutcome(keys: row.keys, failed: .notDecrypted(row.faults, listsFaults: reader.listsFaults))
        } catch {
            answer(line, error, to: &output)
            return RowOutcome(keys: [], failed: .bad(error), misread: Misreading(ofBytesIn: line))
        }
    }

    package func answer(_ line: RowLine, _ fault: JSONFault, to output: inout [UInt8]) {
        line.write(to: &output) { $0 += FailedRow.wrapped(line, fault) }
    }
}
