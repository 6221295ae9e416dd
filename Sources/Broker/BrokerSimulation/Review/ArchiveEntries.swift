#if Client
import EntitlementValues
import TextCodecs

/// Finds the entries of a recording in a stream: the objects in `log.entries`, whatever is around them.
///
/// It knows strings and brackets only; what is in an entry, the reader of JSON looks at.
struct EntryScanner: Sendable {
    /// The longest entry that is looked at, in bytes.
    private static let longestEntry = 16 << 20

    private(set) var isAtStart = true
    private(set) var hasEntries = false
    /// Whether each document that began has ended.
    private(set) var isComplete = false

    /// The brackets on the way to an entry, each with the name of the member that it is the value of.
    private static let way: [(bracket: UInt8, name: [UInt8]?)] = [
        (UInt8(ascii: "{"), nil), (UInt8(ascii: "{"), Array("log".utf8)), (UInt8(ascii: "["), Array("entries".utf8)),
        (UInt8(ascii: "{"), nil),
    ]
    /// How many brackets are open, and how many of these are the first ones of the way.
    private var (depth, reached) = (0, 0)
    private var (isString, isEscaped) = (false, false)
    /// The beginning of the last string: the name of what follows.
    private var name: [UInt8] = []
    /// What came of the entry; `nil` if it is too long.
    private var entry: [UInt8]? = []
    /// Whether the entry has said when it started: one that says so again lacks a bracket, and is the next one.
    private var hasStarted = false

    private var isInEntry: Bool { reached == Self.way.count }

    /// Reads on; returns the entries that end here, with an empty one for each that is too long or broken, and `nil` for
    /// the end of a document.
    mutating func read(_ bytes: [UInt8]) -> [[UInt8]?] {
        if !bytes.isEmpty { isAtStart = false }
        var found: [[UInt8]?] = []
        let text = bytes.span
        var start = 0
        for index in text.indices {
            let byte = text[index]
            if isString {
                readString(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isString = true
                name.removeAll(keepingCapacity: true)
            case UInt8(ascii: ":") where isInEntry && name == Self.firstName:
                guard hasStarted else {
                    hasStarted = true
                    continue
                }
                found.append([])
                // Of the next entry, what came before is lost; some recorders write this member first.
                (entry, start, depth) = (Array("{\"startedDateTime\"".utf8), index, reached)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if open(byte) { (start, hasStarted) = (index, false) }
            case UInt8(ascii: "}") where depth == 3 && reached == 3:
                // What an entry with a bracket too many leaves.
                found.append([])
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard close() else {
                    if depth == 0 { found.append(nil) }
                    continue
                }
                append(text.extracting(start..<index + 1))
                found.append(entry ?? [])
                entry = []
            default: continue
            }
        }
        if isInEntry { append(text.extracting(start..<text.count)) }
        return found
    }

    private static let firstName = Array("startedDateTime".utf8)

    private mutating func readString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") {
            // No string has a line end: one that lost its quote must not take the rest of the file along.
            isString = false
        } else if name.count < 16 {
            name.append(byte)
        }
    }

    /// Notes an opening bracket; whether an entry begins with it.
    private mutating func open(_ byte: UInt8) -> Bool {
        let isOnWay = depth == reached && !isInEntry && byte == Self.way[depth].bracket
        depth += 1
        isComplete = false
        guard isOnWay, Self.way[reached].name ?? name == name else { return false }
        reached += 1
        if reached == 3 { hasEntries = true }
        return isInEntry
    }

    /// Notes a closing bracket; whether an entry ends with it.
    private mutating func close() -> Bool {
        guard depth > 0 else { return false }
        let wasInEntry = isInEntry
        depth -= 1
        reached = min(reached, depth)
        if depth == 0 { isComplete = true }
        return wasInEntry && !isInEntry
    }

    private mutating func append(_ text: Span<UInt8>) {
        guard let count = entry?.count, count + text.count <= Self.longestEntry else {
            entry = nil
            return
        }
        entry?.append(copying: text)
    }
}

extension RecordedExchange {
    /// Reads an entry; `nil` if it is not an exchange of HTTP.
    ///
    /// Bodies and fields are read of those addresses for which `isWanted` is true. Throws if the entry is damaged.
    init?(entry text: Span<UInt8>, isWanted: (WebAddress) -> Bool) throws(JSONFault) {
        let entry = try JSONObject(text, in: 0..<text.count, nulls: .countAsAbsent)
        guard let requested = Timestamp(try entry.requiredIdentifier("startedDateTime", in: text)) else {
            throw JSONFault(.notAllowed, at: entry.location + "startedDateTime", "is not an instant")
        }
        let length = entry.node("time").flatMap { Double(String(copying: text.extracting($0.value.range))) } ?? 0
        let (request, response) = (try entry.object("request", in: text), try entry.object("response", in: text))
        let url = try request.requiredIdentifier("url", in: text)
        guard url.prefix(4).lowercased() == "http" else { return nil }
        guard url.utf8.count <= Self.longestAddress else {
            throw JSONFault(.notAllowed, at: request.location + "url", "is too long")
        }
        address = WebAddress(url)
        method = try request.requiredIdentifier("method", in: text).uppercased()
        status = Int(clamping: try response.integer("status", in: text) ?? 0)
        self.requested = requested
        answered = requested + .milliseconds(Int64(min(max(0, length), 86_400_000)))
        guard status > 0, method != "OPTIONS" else { return nil }
        answerFields = try response.pairs("headers", in: text)
        let next = try response.string("redirectURL", in: text) ?? ""
        if !next.isEmpty, answerField("location") == nil { answerFields.append(("location", next)) }
        guard isWanted(address) else { return }
        // What a browser has in its cache it does not ask for; of other addresses, it counts that they were opened.
        guard entry.node("_fromCache") == nil else { return nil }
        fields = try request.pairs("headers", in: text)
        let posted = try request.part("postData", in: text, reading: Self.posted)
        body = posted?.body ?? []
        if let type = posted?.type, field("content-type") == nil { fields.append(("content-type", type)) }
        answerBody = try response.part("content", in: text, reading: Self.content) ?? []
    }

    /// The longest address, in bytes: what is made of one takes many times its length.
    private static let longestAddress = 1 << 16

    private static func content(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) -> [UInt8] {
        guard let content = try object.string("text", in: text) else { return [] }
        let bytes = Array(content.utf8)
        guard try object.string("encoding", in: text)?.lowercased() == "base64" else { return bytes }
        guard let body = Base64.decode(bytes, options: [.transported, .unpadded]) else {
            throw JSONFault(.notAllowed, at: object.location + "text", "is not Base64")
        }
        return body
    }

    /// The body of a request, and its type; some recorders have only the fields of a form.
    private static func posted(
        _ object: JSONObject,
        _ text: Span<UInt8>
    ) throws(JSONFault) -> (body: [UInt8], type: String?) {
        let (body, type) = (try content(object, text), try object.string("mimeType", in: text))
        guard body.isEmpty else { return (body, type) }
        var form = FormFields()
        for field in try object.pairs("params", in: text).prefix(FormFields.maximumFields) {
            form.append(field.name, field.value)
        }
        return (form.encoded(), type)
    }
}

extension JSONObject {
    /// The object in a member that must be there.
    fileprivate func object(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> JSONObject {
        try required(name, try part(name, in: text) { (object, _) throws(JSONFault) in object })
    }

    /// A list of names with their values; nothing if the member is absent.
    fileprivate func pairs(
        _ name: String,
        in text: Span<UInt8>
    ) throws(JSONFault) -> [(name: String, value: String)] {
        guard node(name)?.value.range.count ?? 0 <= Self.longestList else {
            throw JSONFault(.notAllowed, at: location + name, "is too long")
        }
        return try parts(name, in: text) { (field, text) throws(JSONFault) in
            (name: try field.string("name", in: text) ?? "", value: try field.string("value", in: text) ?? "")
        }
    }

    /// The longest list that is read, in bytes: an empty element takes a hundred times its text.
    private static let longestList = 1 << 18
}
#endif
