import TextCodecs

/// A row that was not decrypted, and why.
enum FailedRow: Sendable {
    /// The line is not a row.
    case bad(JSONFault)
    /// The row could be read, but some or all of its values could not be decrypted.
    case notDecrypted([FieldFault], listsFaults: Bool)

    /// The code of the first fault, under which the row is counted.
    var code: String {
        switch self {
        case .bad: "bad_row"
        case .notDecrypted(let faults, _): faults.first?.code ?? "internal"
        }
    }

    /// What happened, without anything of the row: more people read logs than rows.
    var detail: String {
        switch self {
        case .bad(let fault): fault.reason
        case .notDecrypted(let faults, _):
            faults.first.map { [$0.field, $0.detail].compactMap(\.self).joined(separator: ": ") } ?? ""
        }
    }

    /// The value of `_tve` in a row that was not decrypted, without details: they may grow long.
    static func mark(_ faults: [FieldFault], listsFaults: Bool) -> JSONWriter {
        var mark = JSONWriter()
        mark.member("ok", false)
        mark.members(faults, listsFaults: listsFaults, withDetail: false)
        return mark
    }

    /// A line that is not an object, wrapped in one.
    static func wrapped(_ line: RowLine, _ fault: JSONFault) -> [UInt8] {
        var mark = JSONWriter()
        mark.member("ok", false)
        mark.member("code", FailedRow.bad(fault).code)
        mark.member("detail", "line \(line.number): \(fault.reason)")
        mark.member("line", line.number)
        mark.member(raw: line.bytes[line.json])
        var row = JSONWriter()
        row.member("_tve", mark)
        return row.finished
    }

    /// Returns a line for the file of failed rows: the reason, and the line as it was read.
    func record(of line: RowLine) -> [UInt8] {
        var record = JSONWriter()
        record.member("line", line.number)
        switch self {
        case .bad(let fault):
            record.member("code", code)
            record.member("detail", fault.reason)
        case .notDecrypted(let faults, let listsFaults):
            record.members(faults, listsFaults: listsFaults, withDetail: true)
        }
        record.member(raw: line.bytes[line.content])
        return record.finished + [UInt8(ascii: "\n")]
    }
}

/// Why a value could not be found or decrypted; holds nothing of the value.
package struct FieldFault: Error, Sendable {
    /// The path of the value; it may contain names from the row.
    package let path: String
    package let code: String
    /// What happened, without anything of the row.
    package let detail: String
    /// The field that the user asked for, if the fault is about one.
    package internal(set) var field: String?
    /// The value, if it is one that programs write for null.
    package internal(set) var nullText: String?
    /// Whether a string stands where the value is looked for in an object or array, and looks like one.
    var isInText = false
}

extension JSONWriter {
    fileprivate mutating func members(_ faults: [FieldFault], listsFaults: Bool, withDetail: Bool) {
        if listsFaults {
            member("failures", objects: faults) { fault, object in
                object.member("path", fault.path)
                object.member("code", fault.code)
                if withDetail { object.member("detail", fault.detail) }
            }
        } else if let fault = faults.first {
            member("code", fault.code)
            member("field", fault.path)
            if withDetail { member("detail", fault.detail) }
        }
    }

    /// Adds bytes as text, or in Base64 if they are not text; adds nothing if there are none.
    fileprivate mutating func member(raw bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        if bytes.span.isTextWithoutNUL {
            member("raw", String(decoding: bytes, as: UTF8.self))
        } else {
            member("raw_base64", Base64.encode(Array(bytes)))
        }
    }
}
