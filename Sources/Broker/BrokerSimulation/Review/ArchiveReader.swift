#if Client
import EntitlementValues
package import OpenSSLBridge
import TextCodecs

/// Why a file is no recording.
package struct NotAnArchive: Error, Sendable, Hashable {
    /// What the file is instead, in a few words.
    package let what: String
}

/// Reads recordings of HTTP (HAR, HTTP Archive 1.2) piece by piece, and reviews the calls of the API in them.
///
/// A recording is read as a stream, and one entry of it is in memory at a time. Several files are one story.
package struct ArchiveReview: Sendable {
    /// The longest entry that is looked at; one with a longer body counts as damaged.
    static let longestEntry = 16 << 20
    private let names: Pseudonyms
    /// The most calls, and the most visits: with 25 MB, all that a recording of 200 MB has, however short its entries are.
    private let (capacity, visitCapacity): (Int, Int)
    private let hosts: Set<String>
    private var scanner = EntryScanner()
    private var calls: [ReviewedCall] = []
    private var visits: [ReviewedVisit] = []
    private var extent = AcceptanceReport.Extent()
    /// How often each entry came in one of the files before, and in this one: what two files have counts once.
    private var (before, current): ([Pseudonym: Int], [Pseudonym: Int]) = ([:], [:])

    /// Begins a review.
    ///
    /// `hosts` are names of brokers besides the operator's and those of this machine, and `capacity` is how many calls are
    /// judged. Throws if libcrypto fails.
    package init(hosts: [String] = [], capacity: Int = 50_000) throws(OpenSSLFailure) {
        names = try Pseudonyms()
        (self.capacity, visitCapacity) = (capacity, 10 * capacity)
        self.hosts = Set(
            hosts.map { $0.contains("://") ? String(WebAddress($0).host) : String(WebAddress("https://\($0)").host) })
    }

    /// How many calls of the API were found.
    package var count: Int { calls.count }

    /// Takes the next bytes of a file; throws at its beginning if it is no recording.
    package mutating func read(_ bytes: [UInt8]) throws(NotAnArchive) {
        if scanner.isAtStart, !bytes.isEmpty, let what = Self.foreignKind(bytes) { throw NotAnArchive(what: what) }
        var entries: [[UInt8]?] = []
        scanner.read(bytes) { entries.append($0) }
        for entry in entries { take(entry) }
    }

    /// Ends a file; throws if it was no recording.
    package mutating func endFile() throws(NotAnArchive) {
        guard !scanner.isAtStart else { throw NotAnArchive(what: "it is empty") }
        guard scanner.hasEntries else {
            throw NotAnArchive(what: scanner.isComplete ? "it is JSON without log.entries" : "it has no log.entries")
        }
        if !scanner.isComplete { extent.isCut = true }
        before.merge(current) { max($0, $1) }
        (scanner, current) = (EntryScanner(), [:])
    }

    /// The report of all files.
    package var report: AcceptanceReport {
        var extent = extent
        extent.calls = calls.count
        return AcceptanceReport(ReviewStory(calls, visits), extent)
    }

    /// The calls, by time.
    package var lines: [RequestLine] { ReviewStory(calls, []).calls.map(RequestLine.init) }

    // MARK: Entries

    private mutating func take(_ entry: [UInt8]?) {
        guard let entry else {
            extent.damaged += 1
            return
        }
        do {
            let found = try entry.withSpan { text throws(JSONFault) in
                try RecordedExchange(entry: text) { isOurs($0) }
            }
            guard let found, found.status > 0, found.method != "OPTIONS" else { return }
            try keep(found)
        } catch is JSONFault {
            extent.damaged += 1
        } catch {
            extent.leftOut += 1
        }
    }

    private mutating func keep(_ exchange: RecordedExchange) throws(OpenSSLFailure) {
        if isOurs(WebAddress(exchange.address)), let call = try ReviewedCall(exchange, names) {
            guard calls.count < capacity else {
                extent.leftOut += 1
                return
            }
            let facts = "\(exchange.requested.milliseconds) \(exchange.method) \(exchange.address) \(exchange.status)\n"
            let name = try names.name(Array(facts.utf8) + exchange.body)
            let count = current[name, default: 0] + 1
            current[name] = count
            guard count > before[name, default: 0] else { return }
            calls.append(call)
            guard call.endpoint == .userAgent else { return }
        }
        guard visits.count < visitCapacity else {
            extent.leftOut += 1
            return
        }
        visits.append(try ReviewedVisit(exchange, names))
    }

    /// Whether an address is the operator's, this machine's, or one of those that were named.
    private func isOurs(_ address: WebAddress) -> Bool {
        SiteAccess.isLoopback(address.host) || hosts.contains(String(address.host))
            || [".auth.adobe.com", ".auth-staging.adobe.com"].contains { address.host.hasSuffix($0) }
    }

    /// What a file is that is no JSON, by its first bytes; `nil` if it may be.
    private static func foreignKind(_ bytes: [UInt8]) -> String? {
        let kinds: [([UInt8], String)] = [
            ([0x1F, 0x8B], "it is compressed with gzip; unpack it first"),
            ([0x28, 0xB5, 0x2F, 0xFD], "it is compressed with zstd; unpack it first"),
            (Array("PK".utf8), "it is a ZIP file; unpack it first"),
            ([0xD4, 0xC3, 0xB2, 0xA1], "it is a capture of packets"),
            ([0xA1, 0xB2, 0xC3, 0xD4], "it is a capture of packets"),
            ([0x0A, 0x0D, 0x0D, 0x0A], "it is a capture of packets"),
            ([0xFF, 0xFE], "it is text in UTF-16; save it in UTF-8"),
            ([0xFE, 0xFF], "it is text in UTF-16; save it in UTF-8"),
        ]
        if let kind = kinds.first(where: { bytes.starts(with: $0.0) }) { return kind.1 }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let head = text.drop { $0.isWhiteSpace }
        switch head.first {
        case UInt8(ascii: "{"), nil: return nil
        case UInt8(ascii: "["): return "it is a list in JSON, perhaps a session of Charles; export it as HAR"
        case UInt8(ascii: "<"): return "it is XML or HTML"
        case _ where head.first?.isASCIIDigit == true && head.prefix(12).contains(UInt8(ascii: ":")):
            return "it is mitmproxy's own form; export it with: mitmdump -nr FILE --set hardump=FILE.har"
        default: return head.prefix(64).allSatisfy { $0 < 0x80 } ? "it is text" : "it is binary"
        }
    }
}

/// Finds the entries of a recording in a stream: the objects in `log.entries`, whatever is around them.
///
/// It knows strings and brackets only; what is in an entry, the reader of JSON looks at.
private struct EntryScanner {
    private(set) var isAtStart = true
    private(set) var hasEntries = false
    /// Whether the whole text came.
    private(set) var isComplete = false
    private var depth = 0
    private var (isString, isEscaped) = (false, false)
    private var (isLog, isInEntries, isInEntry, isTooLong) = (false, false, false, false)
    /// Whether the entry has said when it started: one that says so again lacks a bracket, and is the next one.
    private var hasStarted = false
    /// The beginning of the last string: the name of what follows.
    private var name: [UInt8] = []
    private var entry: [UInt8] = []

    /// Reads on; hands over each entry, and `nil` for one that is too long or stands where none may.
    mutating func read(_ bytes: [UInt8], found: ([UInt8]?) -> Void) {
        if !bytes.isEmpty { isAtStart = false }
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
                found(nil)
                // Of the next entry, what came before is lost; some recorders write this member first.
                (entry, isTooLong, start, depth) = (Array("{\"startedDateTime\"".utf8), false, index, 4)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if open(byte) { start = index }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 3, isInEntries, byte == UInt8(ascii: "}") {
                    // What an entry with a bracket too many leaves.
                    found(nil)
                } else if close() {
                    append(text.extracting(start..<index + 1))
                    found(isTooLong ? nil : entry)
                    (entry, isTooLong) = ([], false)
                }
            default: continue
            }
        }
        if isInEntry { append(text.extracting(start..<text.count)) }
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
        let isObject = byte == UInt8(ascii: "{")
        var begins = false
        switch depth {
        case 1: isLog = isObject && name == Array("log".utf8)
        case 2 where isLog && !isObject && name == Array("entries".utf8): (isInEntries, hasEntries) = (true, true)
        case 3 where isInEntries && isObject: (isInEntry, begins, hasStarted) = (true, true, false)
        default: break
        }
        depth += 1
        return begins
    }

    /// Notes a closing bracket; whether an entry ends with it.
    private mutating func close() -> Bool {
        guard depth > 0 else { return false }
        depth -= 1
        let ends = isInEntry && depth == 3
        if ends { isInEntry = false }
        if depth < 3 { isInEntries = false }
        if depth < 2 { isLog = false }
        if depth == 0 { isComplete = true }
        return ends
    }

    private mutating func append(_ text: Span<UInt8>) {
        guard !isTooLong, entry.count + text.count <= ArchiveReview.longestEntry else {
            (isTooLong, entry) = (true, [])
            return
        }
        entry.append(copying: text)
    }
}

extension RecordedExchange {
    /// Reads an entry; `nil` if it is no exchange of HTTP.
    ///
    /// Bodies and fields are read of those addresses for which `isWanted` is true. Throws if the entry is damaged.
    fileprivate init?(entry text: Span<UInt8>, isWanted: (WebAddress) -> Bool) throws(JSONFault) {
        let entry = try JSONObject(text, in: 0..<text.count, nulls: .countAsAbsent)
        let started = try entry.requiredIdentifier("startedDateTime", in: text)
        guard let requested = Timestamp(started) else {
            throw JSONFault(.notAllowed, at: entry.location + "startedDateTime", "is not an instant")
        }
        let length = entry.node("time").flatMap { Double(String(copying: text.extracting($0.value.range))) } ?? 0
        let milliseconds = length.isFinite ? Int64(min(max(0, length), 86_400_000)) : 0
        guard
            let request = try entry.part("request", in: text, reading: { (object, text) throws(JSONFault) in object }),
            let response = try entry.part("response", in: text, reading: { (object, text) throws(JSONFault) in object })
        else { throw JSONFault(.missing, at: entry.location, "lacks its request or response") }
        address = try request.requiredIdentifier("url", in: text)
        method = try request.requiredIdentifier("method", in: text).uppercased()
        status = Int(clamping: try response.integer("status", in: text) ?? 0)
        (self.requested, answered) = (requested, requested + TimeToLive(milliseconds: milliseconds))
        guard address.lowercased().hasPrefix("http") else { return nil }
        answerFields = try Self.fields(of: response, in: text)
        let next = try response.string("redirectURL", in: text) ?? ""
        if !next.isEmpty, answerField("location") == nil { answerFields.append(("location", next)) }
        guard isWanted(WebAddress(address)) else { return }
        fields = try Self.fields(of: request, in: text)
        body = try request.part("postData", in: text, reading: Self.posted) ?? []
        answerBody = try response.part("content", in: text, reading: Self.content) ?? []
    }

    /// The header fields, but those of HTTP/2 that stand for the first line (`:authority`).
    private static func fields(
        of object: JSONObject,
        in text: Span<UInt8>
    ) throws(JSONFault) -> [(name: String, value: String)] {
        try pairs("headers", of: object, in: text).filter { !$0.name.hasPrefix(":") }
    }

    /// A list of names with their values.
    private static func pairs(
        _ name: String,
        of object: JSONObject,
        in text: Span<UInt8>
    ) throws(JSONFault) -> [(name: String, value: String)] {
        guard object.node(name)?.value.range.count ?? 0 <= longestList else {
            throw JSONFault(.notAllowed, at: object.location + name, "is too long")
        }
        return try object.parts(name, in: text) { (field, text) throws(JSONFault) in
            (name: try field.string("name", in: text) ?? "", value: try field.string("value", in: text) ?? "")
        }
    }

    /// The longest list that is read, in bytes: an empty element takes a hundred times its text.
    private static let longestList = 1 << 18

    private static func content(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) -> [UInt8] {
        guard let bytes = try object.string("text", in: text) else { return [] }
        guard try object.string("encoding", in: text)?.lowercased() == "base64" else { return Array(bytes.utf8) }
        guard let body = Base64.decode(Array(bytes.utf8), options: [.transported, .unpadded]) else {
            throw JSONFault(.notAllowed, at: object.location + "text", "is not Base64")
        }
        return body
    }

    /// The body of a request; some recorders have only the fields of a form.
    private static func posted(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) -> [UInt8] {
        let body = try content(object, text)
        guard body.isEmpty else { return body }
        var form = FormFields()
        for field in try pairs("params", of: object, in: text).prefix(FormFields.maximumFields) {
            form.append(field.name, field.value)
        }
        return form.encoded()
    }
}
#endif
