/// How values of a record are separated and quoted.
package struct SeparatedForm: Sendable, Hashable {
    /// How a value may hold separators and line ends.
    package enum Quoting: String, Sendable, CaseIterable {
        /// Quotation marks around the value, and doubled in it (RFC 4180 §2).
        case csv
        /// The same, with a backslash before each quotation mark and each backslash in it, as Spark and Hive write it.
        ///
        /// Doubled marks are read, too, as MySQL and Hive do. In values without quotation marks, a backslash is text.
        case backslash
        /// No quotation marks: a backslash makes the next byte part of the value, or stands for another byte with it.
        ///
        /// So are the text form of PostgreSQL's COPY, what MySQL writes (`mysql --batch`, `INTO OUTFILE`), and Hive's
        /// delimited rows with `ESCAPED BY`.
        case unquoted = "none"
    }

    /// What stands between two values.
    package let separator: UInt8
    package let quoting: Quoting

    package init(separator: UInt8, quoting: Quoting = .csv) {
        self.separator = separator
        self.quoting = quoting
    }

    package static let csv = SeparatedForm(separator: UInt8(ascii: ","))
    package static let tsv = SeparatedForm(separator: UInt8(ascii: "\t"))

    static let mark = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
}

extension SeparatedForm {
    /// Finds the ranges of the values of a record, with their quotation marks and backslashes.
    ///
    /// The record is given without its line end. Throws if a value goes on after its closing quotation mark, or the
    /// mark is missing, or the record ends with a backslash that takes a character along.
    func values(in bytes: [UInt8], _ range: Range<Int>) throws(RecordFault) -> [Range<Int>] {
        var values: [Range<Int>] = []
        var start = range.lowerBound
        while true {
            let end = try valueEnd(bytes, start..<range.upperBound)
            values.append(start..<end)
            guard end < range.upperBound else { return values }
            start = end + 1
        }
    }

    /// Finds the values of a line that is taken out of a record, in each way in which it may have been meant.
    ///
    /// The line is given without its line end. The values are as the form reads them, but with a quotation mark or
    /// backslash as text that reaches beyond the line. Without quotation marks, there are also those between all
    /// separators: backslashes may be text.
    func readings(ofLine line: Range<Int>, in bytes: [UInt8]) -> [[Range<Int>]] {
        var values: [Range<Int>] = []
        var start = line.lowerBound
        while true {
            let rest = start..<line.upperBound
            let end = (try? valueEnd(bytes, rest)) ?? bytes[rest].firstIndex(of: separator) ?? line.upperBound
            values.append(start..<end)
            guard end < line.upperBound else { break }
            start = end + 1
        }
        guard quoting == .unquoted else { return [values] }
        let plain = bytes[line].split(separator: separator, omittingEmptySubsequences: false).map(\.indices)
        return [values, plain]
    }

    private func valueEnd(_ bytes: [UInt8], _ rest: Range<Int>) throws(RecordFault) -> Int {
        if quoting == .unquoted { return try escapedEnd(bytes, rest) }
        guard let first = bytes[rest].first, first == Self.mark else {
            return bytes[rest].firstIndex(of: separator) ?? rest.upperBound
        }
        return try quotedEnd(bytes, rest)
    }

    /// The end of a value that begins with a quotation mark.
    private func quotedEnd(_ bytes: [UInt8], _ rest: Range<Int>) throws(RecordFault) -> Int {
        let hasBackslashes = quoting == .backslash
        var index = rest.lowerBound + 1
        while index < rest.upperBound {
            let byte = bytes[index]
            index += 1
            if byte == Self.mark {
                guard index < rest.upperBound, bytes[index] != separator else { return index }
                guard bytes[index] == Self.mark else { throw .textAfterMark }
                index += 1
            } else if hasBackslashes, byte == Self.backslash {
                index += 1
            }
        }
        throw .unclosedMark
    }

    /// The end of a value without quotation marks, in which a backslash takes the next byte along.
    private func escapedEnd(_ bytes: [UInt8], _ rest: Range<Int>) throws(RecordFault) -> Int {
        var index = rest.lowerBound
        while index < rest.upperBound, bytes[index] != separator {
            index += bytes[index] == Self.backslash ? 2 : 1
        }
        guard index <= rest.upperBound else { throw .openBackslash }
        return index
    }

    /// Takes off the quotation marks and backslashes of a value.
    func text(_ value: ArraySlice<UInt8>) -> [UInt8] {
        if quoting == .unquoted { return Self.unescaped(value) }
        guard value.first == Self.mark else { return Array(value) }
        let inner = value.dropFirst().dropLast()
        // Values are long, and most hold neither.
        guard inner.contains(Self.mark) || inner.contains(Self.backslash) else { return Array(inner) }
        var text: [UInt8] = []
        text.reserveCapacity(inner.count)
        var index = inner.startIndex
        while index < inner.endIndex {
            if index + 1 < inner.endIndex, isEscape(inner[index], before: inner[index + 1]) { index += 1 }
            text.append(inner[index])
            index += 1
        }
        return text
    }

    /// Whether a byte in quotation marks is there only for the next one.
    private func isEscape(_ byte: UInt8, before next: UInt8) -> Bool {
        switch byte {
        case Self.mark: next == Self.mark
        case Self.backslash: quoting == .backslash && (next == Self.mark || next == Self.backslash)
        default: false
        }
    }

    /// Takes off the backslashes of a value without quotation marks.
    ///
    /// A backslash before any byte that is not a letter of these stands for that byte, as PostgreSQL and MySQL read it.
    private static func unescaped(_ value: ArraySlice<UInt8>) -> [UInt8] {
        guard value.contains(backslash) else { return Array(value) }
        var text: [UInt8] = []
        text.reserveCapacity(value.count)
        var bytes = value.makeIterator()
        while let byte = bytes.next() {
            guard byte == backslash, let escaped = bytes.next() else {
                text.append(byte)
                continue
            }
            switch escaped {
            case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): text.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "0"): text.append(0)
            default: text.append(escaped)
            }
        }
        return text
    }
}

extension SeparatedForm {
    /// Writes a value, with quotation marks or backslashes if a reader would need them.
    ///
    /// If it is marked, it has quotation marks in any case, if the form has them.
    func write(_ text: some Collection<UInt8>, isMarked: Bool = false, to output: inout [UInt8]) {
        guard quoting != .unquoted else {
            for byte in text { writeEscaped(byte, to: &output) }
            return
        }
        guard isMarked || text.contains(where: needsMarks) else {
            output += text
            return
        }
        let escape = quoting == .backslash ? Self.backslash : Self.mark
        output.append(Self.mark)
        for byte in text {
            if byte == Self.mark || byte == escape { output.append(escape) }
            output.append(byte)
        }
        output.append(Self.mark)
    }

    private func needsMarks(_ byte: UInt8) -> Bool {
        switch byte {
        case separator, Self.mark, UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        // Outside quotation marks, Hive drops a backslash, and Spark keeps it.
        case Self.backslash: quoting == .backslash
        default: false
        }
    }

    private func writeEscaped(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\t"): output += [Self.backslash, UInt8(ascii: "t")]
        case UInt8(ascii: "\n"): output += [Self.backslash, UInt8(ascii: "n")]
        case UInt8(ascii: "\r"): output += [Self.backslash, UInt8(ascii: "r")]
        case separator, Self.backslash: output += [Self.backslash, byte]
        default: output.append(byte)
        }
    }
}

/// Why a record cannot be taken apart.
package enum RecordFault: Error, Sendable, Hashable {
    case textAfterMark, unclosedMark, openBackslash

    /// What is wrong, without anything of the record.
    var reason: String {
        switch self {
        case .textAfterMark: "text after the closing quotation mark of a value"
        case .unclosedMark: "a quotation mark is not closed"
        case .openBackslash: "a backslash at the end, and no character after it"
        }
    }
}
