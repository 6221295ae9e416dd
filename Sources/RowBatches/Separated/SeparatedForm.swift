/// How values of a record are separated: with commas or tabs, and quoted as RFC 4180 says.
package enum SeparatedForm: String, Sendable, CaseIterable {
    case csv, tsv

    /// What stands between two values.
    package var separator: UInt8 { self == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t") }
}

extension SeparatedForm {
    /// Finds the values of a record, with their quotation marks.
    ///
    /// - Parameters:
    ///   - bytes: Bytes that contain the record.
    ///   - range: The record, without its line end.
    /// - Returns: The range of each value.
    /// - Throws: `RecordFault` if a value goes on after its closing quotation mark, or the mark is missing.
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

    private func valueEnd(_ bytes: [UInt8], _ rest: Range<Int>) throws(RecordFault) -> Int {
        guard let first = bytes[rest].first, first == Self.mark else {
            return bytes[rest].firstIndex(of: separator) ?? rest.upperBound
        }
        var index = rest.lowerBound + 1
        while let mark = bytes[index..<rest.upperBound].firstIndex(of: Self.mark) {
            index = mark + 1
            guard index < rest.upperBound, bytes[index] != separator else { return index }
            guard bytes[index] == Self.mark else { throw .textAfterMark }
            index += 1
        }
        throw .unclosedMark
    }

    /// Takes off the quotation marks of a value.
    func text(_ value: ArraySlice<UInt8>) -> [UInt8] {
        guard value.first == Self.mark else { return Array(value) }
        var text: [UInt8] = []
        text.reserveCapacity(value.count)
        var isHalf = false
        for byte in value.dropFirst().dropLast() {
            isHalf = byte == Self.mark && !isHalf
            if !isHalf { text.append(byte) }
        }
        return text
    }

    /// Writes a value, with quotation marks if a reader would need them.
    func write(_ text: some Collection<UInt8>, to output: inout [UInt8]) {
        let special = [separator, Self.mark, UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        guard text.contains(where: special.contains) else {
            output += text
            return
        }
        output.append(Self.mark)
        for byte in text {
            if byte == Self.mark { output.append(byte) }
            output.append(byte)
        }
        output.append(Self.mark)
    }

    private static let mark = UInt8(ascii: "\"")
}

/// Why a record cannot be taken apart.
package enum RecordFault: Error, Sendable, Hashable {
    case textAfterMark, unclosedMark

    /// What is wrong, without anything of the record.
    var reason: String {
        switch self {
        case .textAfterMark: "text after the closing quotation mark of a value"
        case .unclosedMark: "a quotation mark is not closed"
        }
    }
}
