#if CLI
import TextCodecs

/// Finds encrypted values in rows of one kind, and decrypts them.
protocol RowReader: Sendable {
    /// Whether a row with faults tells all of them, each with its path.
    var listsFaults: Bool { get }

    /// Decrypts what is to be decrypted in a row.
    ///
    /// - Throws: `JSONFault` where the row is no JSON object.
    func read(_ text: Span<UInt8>) throws(JSONFault) -> RowEdits
}

/// Why a value could not be had or decrypted; nothing of the value.
struct FieldFault: Error, Sendable {
    /// Where it stands; there may be names of the row's own in it.
    let path: String
    let code: String
    /// What happened, without anything of the row.
    let detail: String
    /// The path on the command line that led there, if one did.
    var field: String?
}

/// What becomes of a row: parts of it that are replaced, and what is told about it in its member `_tve`.
struct RowEdits {
    /// The members of the row.
    ///
    /// All places count from its start.
    let members: JSONMembers
    /// By where they begin: two paths may lead to one value.
    private var changes: [Int: Change] = [:]
    /// Labels of the keys that decrypted something, in the order of their first use.
    private(set) var keys: [String] = []
    var faults: [FieldFault] = []

    private struct Change {
        let range: Range<Int>
        let bytes: [UInt8]
    }

    /// Reads the members of a row.
    init(_ text: Span<UInt8>) throws(JSONFault) {
        members = try JSONReader.members(of: text, in: 0..<text.count)
    }

    /// Puts JSON where a value stood.
    mutating func replace(_ range: Range<Int>, by bytes: [UInt8]) {
        changes[range.lowerBound] = Change(range: range, bytes: bytes)
    }

    mutating func note(key: String) {
        if !keys.contains(key) { keys.append(key) }
    }

    /// Leaves the row as it came, for one reason.
    mutating func giveUp(_ fault: FieldFault) {
        changes = [:]
        keys = []
        faults = [fault]
    }

    /// What `_tve` says of a row that went well.
    var goodMark: JSONWriter {
        var mark = JSONWriter()
        mark.member("ok", true)
        if !keys.isEmpty { mark.member("key", keys.joined(separator: ",")) }
        return mark
    }

    /// Writes the row with something in `_tve`: in place of an earlier one, or as the last member.
    func write(_ row: ArraySlice<UInt8>, mark: JSONWriter, to bytes: inout [UInt8]) {
        var changes = Array(changes.values)
        if let earlier = members[markName] {
            // What a field names inside it goes with it.
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

    /// Behind the last member of an object, or its opening brace.
    private static func endOfMembers(_ row: ArraySlice<UInt8>) -> Int {
        var end = row.lastIndex(of: UInt8(ascii: "}")) ?? row.endIndex
        while end > row.startIndex, row[end - 1].isWhiteSpace { end -= 1 }
        return end
    }
}

private let markName = Array("_tve".utf8)

/// Why a row was not decrypted.
enum RowFailure {
    /// The line is no JSON object.
    case bad(JSONFault)
    /// The row was read, and not, or not all of it, decrypted.
    case unread(RowEdits, listsFaults: Bool)

    /// The code of the first fault, by which the row is counted.
    var code: String {
        switch self {
        case .bad: "bad_row"
        case .unread(let row, _): row.faults.first?.code ?? "internal"
        }
    }

    /// What happened, in words that hold nothing of the row: logs are read by more people than rows.
    var detail: String {
        switch self {
        case .bad(let fault): fault.reason
        case .unread(let row, _):
            row.faults.first.map { [$0.field, $0.detail].compactMap(\.self).joined(separator: ": ") } ?? ""
        }
    }

    /// Writes what goes out: the row and why it failed, or, where that is no object, one around it.
    func write(_ line: RowLine, to bytes: inout [UInt8]) {
        var mark = JSONWriter()
        mark.member("ok", false)
        switch self {
        case .bad(let fault):
            mark.member("code", code)
            mark.member("detail", "line \(line.number): \(fault.reason)")
            mark.member(raw: line.bytes[line.json])
            var row = JSONWriter()
            row.member("_tve", mark)
            bytes += row.finished
        case .unread(let row, let listsFaults):
            mark.members(row.faults, listsFaults: listsFaults, withDetail: false)
            row.write(line.bytes[line.json], mark: mark, to: &bytes)
        }
    }

    /// A line for the file of failed rows: what happened, and the line as it came.
    func record(of line: RowLine) -> [UInt8] {
        var record = JSONWriter()
        record.member("line", line.number)
        switch self {
        case .bad(let fault):
            record.member("code", code)
            record.member("detail", fault.reason)
        case .unread(let row, let listsFaults):
            record.members(row.faults, listsFaults: listsFaults, withDetail: true)
        }
        record.member(raw: line.bytes[line.content])
        return record.finished + [UInt8(ascii: "\n")]
    }
}

extension JSONWriter {
    fileprivate mutating func members(_ faults: [FieldFault], listsFaults: Bool, withDetail: Bool) {
        if listsFaults {
            member(
                "failures",
                faults.map { fault in
                    var object = JSONWriter()
                    object.member("path", fault.path)
                    object.member("code", fault.code)
                    if withDetail { object.member("detail", fault.detail) }
                    return object
                })
        } else if let fault = faults.first {
            member("code", fault.code)
            member("field", fault.path)
            if withDetail { member("detail", fault.detail) }
        }
    }

    /// Some bytes as text, or in Base64 where they are none; nothing where there are none.
    fileprivate mutating func member(raw bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        if bytes.span.isTextWithoutNUL {
            member("raw", String(decoding: bytes, as: UTF8.self))
        } else {
            member("raw_base64", Base64.encode(Array(bytes)))
        }
    }
}
#endif
