/// An input that is not lines of rows, recognised by how it begins.
///
/// Without this, each of its lines would be answered as a bad row, and the run would look like one over bad data.
package enum UnusableInput: Sendable, Hashable {
    case gzip, zstandard, bzip2, xz, zip
    case parquet, avro, orc
    /// UTF-16 with a byte order mark.
    case utf16
    case utf16LittleEndian, utf16BigEndian
    /// JSON that is spread over several lines.
    case prettyPrinted
    /// One JSON array of all rows.
    case array
    /// Separated values with a header.
    case separated(by: Unicode.Scalar)
    /// JSON after the five bytes that name its schema.
    case confluent

    private static let signatures: [(bytes: [UInt8], input: UnusableInput)] = [
        ([0x1F, 0x8B], .gzip), ([0x28, 0xB5, 0x2F, 0xFD], .zstandard), (Array("BZh".utf8), .bzip2),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .xz), (Array("PK\u{3}\u{4}".utf8), .zip),
        (Array("PAR1".utf8), .parquet), (Array("Obj\u{1}".utf8), .avro), (Array("ORC".utf8), .orc),
        ([0xFF, 0xFE], .utf16), ([0xFE, 0xFF], .utf16),
    ]

    /// Recognises an input by the signature in its first bytes.
    package init?(signatureOf head: [UInt8]) {
        let signature = Self.signatures.first { head.starts(with: $0.bytes) }
        guard let input = signature?.input ?? Self.utf16(withoutMark: head) else { return nil }
        self = input
    }

    /// Recognises UTF-16 by its first two characters, which are ASCII in JSON (RFC 4627 §3) and in most headers.
    private static func utf16(withoutMark head: [UInt8]) -> UnusableInput? {
        switch head.prefix(4).map({ $0 == 0 }) {
        case [false, true, false, true]: .utf16LittleEndian
        case [true, false, true, false]: .utf16BigEndian
        default: nil
        }
    }

    /// Recognises, by its first bytes, an input that is not one JSON object in each line.
    ///
    /// Rows have members of the given names: a first line of values with one of them is a header.
    package init?(insteadOfObjects head: [UInt8], names: [String]) {
        if let input = UnusableInput(signatureOf: head) {
            self = input
            return
        }
        // The five bytes may have a line end among them, and a key may come before them.
        let value = head.firstIndex(of: UInt8(ascii: "\t")).map { head[($0 + 1)...] } ?? []
        if Self.beginsWithConfluentBytes(head[...]) || Self.beginsWithConfluentBytes(value) {
            self = .confluent
            return
        }
        let line = head.prefix { $0 != UInt8(ascii: "\n") }
        let text = line.drop { Self.isSpace($0) }
        let isWhole = line.count < head.count
        if isWhole, text.first == UInt8(ascii: "{"), text.dropFirst().allSatisfy(Self.isSpace) {
            self = .prettyPrinted
        } else if text.first == UInt8(ascii: "["),
            text.dropFirst().allSatisfy(Self.isSpace) || text.dropFirst().first == UInt8(ascii: "{")
        {
            self = .array
        } else if let separator = Self.separator(ofHeader: text, names) {
            self = .separated(by: separator)
        } else {
            return nil
        }
    }

    /// Whether an object comes after a zero and the number of a schema in four bytes, as Confluent's serializers write it.
    static func beginsWithConfluentBytes(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == 0 && bytes.dropFirst(5).first == UInt8(ascii: "{")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func separator(ofHeader line: ArraySlice<UInt8>, _ names: [String]) -> Unicode.Scalar? {
        guard let first = line.first, first != UInt8(ascii: "{") else { return nil }
        // A byte order mark is not part of the first name.
        let line = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
        return ([",", ";", "\t", "|"] as [Unicode.Scalar]).first { separator in
            line.split(separator: UInt8(separator.value), omittingEmptySubsequences: false).contains { value in
                let name = value.filter { $0 != UInt8(ascii: "\"") && !isSpace($0) }
                return names.contains { name.elementsEqual($0.utf8) }
            }
        }
    }
}
