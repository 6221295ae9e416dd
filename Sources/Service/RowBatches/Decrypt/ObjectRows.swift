package import TextCodecs

/// Rows that are JSON objects, one in each line.
package struct ObjectRows: RowFormat {
    private let reader: any RowReader
    private let resumes: Bool

    /// Makes the format of some kind of objects.
    ///
    /// If `resumes` is true, rows that an earlier run has decrypted stay as they are.
    package init(reader: any RowReader, resumes: Bool = false) {
        self.reader = reader
        self.resumes = resumes
    }

    package func answer(_ line: RowLine, to output: inout [UInt8]) -> RowOutcome {
        do throws(JSONFault) {
            let json = try line.readableJSON
            let text = line.bytes[json]
            if resumes, try Self.isDecrypted(text.span) {
                line.write(to: &output) { $0 += text }
                return RowOutcome(keys: [], failed: nil, isResumed: true)
            }
            let row = try reader.read(text.span)
            let mark =
                row.faults.isEmpty ? row.goodMark : FailedRow.mark(row.faults, listsFaults: reader.listsFaults)
            line.write(to: &output) { row.write(line.bytes[json], mark: mark, to: &$0) }
            guard !row.faults.isEmpty else { return RowOutcome(keys: row.keys, failed: nil) }
            return RowOutcome(
                keys: row.keys, failed: .notDecrypted(row.faults, listsFaults: reader.listsFaults),
                misread: row.faults.contains(where: \.isInText) ? .jsonInText : nil)
        } catch {
            answer(line, error, to: &output)
            return RowOutcome(keys: [], failed: .bad(error), misread: Misreading(ofJSONIn: line))
        }
    }

    /// Whether an earlier run has decrypted the row; throws if it is not a JSON object.
    private static func isDecrypted(_ text: Span<UInt8>) throws(JSONFault) -> Bool {
        guard let mark = try JSONReader.members(of: text, in: 0..<text.count)[markName], mark.kind == .object else {
            return false
        }
        return try JSONReader.members(of: text, in: mark.range)["ok"]?.isTrue(in: text) == true
    }

    package func answer(_ line: RowLine, _ fault: JSONFault, to output: inout [UInt8]) {
        line.write(to: &output) { $0 += FailedRow.wrapped(line, fault) }
    }
}

/// Finds the encrypted values in rows of one kind, and decrypts them.
package protocol RowReader: Sendable {
    /// Whether the answer to a failed row lists all faults with their paths, and not only the first one.
    var listsFaults: Bool { get }

    /// Decrypts the values of a row; returns the changes to the row, and what could not be decrypted.
    ///
    /// Throws if the row is not a JSON object.
    func read(_ text: Span<UInt8>) throws(JSONFault) -> RowEdits
}

/// Changes to a row: the parts that are replaced, and the member `_tve` that says how it went.
package struct RowEdits: Sendable {
    /// The members of the row; their ranges count from its start.
    let members: JSONMembers
    /// The changes by where they begin: two paths may lead to one value.
    private var changes: [Int: Change] = [:]
    /// Labels of the keys that decrypted something, in the order of their first use.
    package private(set) var keys: [String] = []
    package internal(set) var faults: [FieldFault] = []

    private struct Change: Sendable {
        let range: Range<Int>
        let bytes: [UInt8]
    }

    /// Reads the members of a row; throws if it is not a JSON object.
    init(_ text: Span<UInt8>) throws(JSONFault) {
        members = try JSONReader.members(of: text, in: 0..<text.count)
    }

    /// Replaces a value with other JSON.
    mutating func replace(_ range: Range<Int>, by bytes: [UInt8]) {
        changes[range.lowerBound] = Change(range: range, bytes: bytes)
    }

    /// Remembers which key decrypted a value.
    mutating func note(key: String) {
        if !keys.contains(key) { keys.append(key) }
    }

    /// Drops all changes, and reports one fault instead.
    mutating func giveUp(_ fault: FieldFault) {
        changes = [:]
        keys = []
        faults = [fault]
    }

    /// The value of `_tve` in a row that was decrypted.
    var goodMark: JSONWriter {
        var mark = JSONWriter()
        mark.member("ok", true)
        if !keys.isEmpty { mark.member("key", keys.joined(separator: ",")) }
        return mark
    }

    /// Writes the changed row with a `_tve` member, which replaces an earlier one or becomes the last member.
    ///
    /// `row` is the row as it was read. `mark` is the value of `_tve`.
    func write(_ row: ArraySlice<UInt8>, mark: JSONWriter, to bytes: inout [UInt8]) {
        var changes = Array(changes.values)
        if let earlier = members[markName] {
            // A field inside the earlier member goes with it.
            changes.removeAll { $0.range.overlaps(earlier.range) }
            changes.append(Change(range: earlier.range, bytes: mark.finished))
        } else {
            let end = Self.endOfMembers(row) - row.startIndex
            let name = members.list.isEmpty ? "\"_tve\":" : ",\"_tve\":"
            changes.append(Change(range: end..<end, bytes: Array(name.utf8) + mark.finished))
        }
        changes.sort { $0.range.lowerBound < $1.range.lowerBound }
        var position = row.startIndex
        for change in changes {
            bytes += row[position..<row.startIndex + change.range.lowerBound]
            bytes += change.bytes
            position = row.startIndex + change.range.upperBound
        }
        bytes += row[position...]
    }

    /// The index after the last member of an object, or after its opening brace.
    private static func endOfMembers(_ row: ArraySlice<UInt8>) -> Int {
        var end = row.lastIndex(of: UInt8(ascii: "}")) ?? row.endIndex
        while end > row.startIndex, row[end - 1].isWhiteSpace { end -= 1 }
        return end
    }
}

private let markName = "_tve"
