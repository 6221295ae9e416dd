#if Redis
import EntitlementValues
import SealedRecords
import TextCodecs

/// How records and aliases are written as values of the server.
///
/// A record is its version and its end in milliseconds since 1970, 16 decimal digits each, its subject (64 hexadecimal
/// digits, or as many `-`), and its content. An alias is its end and the key that it leads to. What comes before the
/// content is ASCII, so that an operator can read it.
enum RecordForm {
    /// The bytes before the content.
    static let headLength = 96
    private static let digits = 16

    /// Writes a number with 16 digits; what is below 0 is written as 0.
    static func number(_ number: Int64) -> [UInt8] {
        let text = Array(String(max(0, number)).utf8)
        return Array(repeating: UInt8(ascii: "0"), count: max(0, digits - text.count)) + text
    }

    /// Writes a record.
    static func encode(_ record: StoredRecord) -> [UInt8] {
        let subject = record.subject.map(\.description) ?? String(repeating: "-", count: 2 * RecordKey.length)
        return number(record.version) + number(record.expires.milliseconds) + subject.utf8 + record.bytes
    }

    /// Reads a record; `nil` if it is not one.
    static func record(_ bytes: [UInt8]) -> StoredRecord? {
        guard let head = head(bytes) else { return nil }
        return StoredRecord(
            bytes: Array(bytes[headLength...]), version: head.version, expires: head.expires, subject: head.subject)
    }

    /// What comes before the content of a record.
    struct Head: Sendable {
        let version: Int64
        let expires: Timestamp
        let subject: RecordKey?
    }

    /// Reads what comes before the content; `nil` if it is not that of a record.
    static func head(_ bytes: [UInt8]) -> Head? {
        guard bytes.count >= headLength, let version = readNumber(bytes[..<digits]),
            let end = readNumber(bytes[digits..<2 * digits])
        else { return nil }
        let text = bytes[(2 * digits)..<headLength]
        let subject = key(text)
        guard subject != nil || text.allSatisfy({ $0 == UInt8(ascii: "-") }) else { return nil }
        return Head(version: version, expires: Timestamp(milliseconds: end), subject: subject)
    }

    /// Writes an alias.
    static func encode(alias key: RecordKey, until expiry: Timestamp) -> [UInt8] {
        number(expiry.milliseconds) + key.description.utf8
    }

    /// Reads an alias; `nil` if it is not one.
    static func alias(_ bytes: [UInt8]) -> (key: RecordKey, expires: Timestamp)? {
        guard bytes.count == digits + 2 * RecordKey.length, let end = readNumber(bytes[..<digits]),
            let key = key(bytes[digits...])
        else { return nil }
        return (key, Timestamp(milliseconds: end))
    }

    /// Reads 64 hexadecimal digits.
    static func key(_ text: ArraySlice<UInt8>) -> RecordKey? {
        guard text.count == 2 * RecordKey.length else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text {
            guard let value = digit.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return RecordKey(bytes)
    }

    private static func readNumber(_ text: ArraySlice<UInt8>) -> Int64? {
        guard text.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}
#endif
