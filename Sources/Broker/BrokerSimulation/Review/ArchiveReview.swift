#if Client
import EntitlementValues
package import OpenSSLBridge
import TextCodecs

/// Reads recordings of HTTP (HAR, HTTP Archive 1.2) piece by piece, and reviews the calls of the API in them.
///
/// A recording is read as a stream, and one entry of it is in memory at a time. Several files are one story.
package struct ArchiveReview: Sendable {
    private let names: Pseudonyms
    /// The most calls; ten times as many elements may be in their lists, and there may be ten times as many visits.
    private let capacity: Int
    private let hosts: Set<String>
    private var scanner = EntryScanner()
    private var calls: [ReviewedCall] = []
    private var visits: [ReviewedVisit] = []
    /// How many elements are in the lists of the calls.
    private var size = 0
    /// Where calls have sent browsers; half of the room for visits is for these places alone.
    private var awaited: Set<Pseudonym> = []
    private var extent = AcceptanceReport.Extent()
    /// How often each entry came in one of the files before, and in this one: what two files have counts once.
    private var (before, current): ([Pseudonym: Int], [Pseudonym: Int]) = ([:], [:])

    /// Begins a review.
    ///
    /// `hosts` are names of brokers besides the operator's and those of this machine, and `capacity` is how many calls are
    /// judged. Throws if libcrypto fails.
    package init(hosts: [String] = [], capacity: Int = 50_000) throws(OpenSSLFailure) {
        names = try Pseudonyms()
        self.capacity = capacity
        self.hosts = Set(hosts.map { String(WebAddress($0.contains("://") ? $0 : "https://\($0)").host) })
    }

    /// How many calls of the API were found.
    package var count: Int { calls.count }

    /// Takes the next bytes of a file; throws at its beginning if it is not a recording.
    package mutating func read(_ bytes: [UInt8]) throws(NotAnArchive) {
        if scanner.isAtStart, !bytes.isEmpty, let reason = NotAnArchive(startingWith: bytes) { throw reason }
        for entry in scanner.read(bytes) {
            if let entry { take(entry) } else { endDocument() }
        }
    }

    /// Ends a file; throws if it was not a recording.
    package mutating func endFile() throws(NotAnArchive) {
        guard !scanner.isAtStart else { throw NotAnArchive(what: "it is empty") }
        guard scanner.hasEntries else {
            throw NotAnArchive(what: scanner.isComplete ? "it is JSON without log.entries" : "it has no log.entries")
        }
        if !scanner.isComplete { extent.isCut = true }
        endDocument()
        scanner = EntryScanner()
    }

    /// Ends a document: another one in the same file is like the next file.
    private mutating func endDocument() {
        before.merge(current) { max($0, $1) }
        current = [:]
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

    private mutating func take(_ entry: [UInt8]) {
        do {
            let exchange = try entry.withSpan { text throws(JSONFault) in
                try RecordedExchange(entry: text) { isOurs($0) }
            }
            if let exchange, try !keep(exchange) { extent.leftOut += 1 }
        } catch is JSONFault {
            extent.damaged += 1
        } catch {
            extent.leftOut += 1
        }
    }

    /// Keeps what an exchange says; `false` if there is no room for it.
    private mutating func keep(_ exchange: RecordedExchange) throws(OpenSSLFailure) -> Bool {
        if isOurs(exchange.address), let call = try ReviewedCall(exchange, names) {
            let facts = "\(exchange.requested.milliseconds) \(exchange.status) "
            let name = try names.name(Array(facts.utf8) + exchange.request)
            let count = current[name, default: 0] + 1
            let isRepeated = count <= before[name, default: 0]
            guard isRepeated || calls.count < capacity && size + call.size <= 10 * capacity else { return false }
            current[name] = count
            guard !isRepeated else { return true }
            calls.append(call)
            size += call.size
            awaited.formUnion(call.places)
            guard call.endpoint == .userAgent else { return true }
        }
        let visit = try ReviewedVisit(exchange, names)
        let isAwaited = [visit.place, visit.next].contains { $0.map(awaited.contains) == true }
        guard visits.count < (isAwaited ? 10 : 5) * capacity else { return !isAwaited }
        visits.append(visit)
        return true
    }

    /// Whether an address is the operator's, this machine's, or one of those that were named.
    private func isOurs(_ address: WebAddress) -> Bool {
        SiteAccess.isLoopback(address.host) || hosts.contains(String(address.host))
            || [".auth.adobe.com", ".auth-staging.adobe.com"].contains { address.host.hasSuffix($0) }
    }
}

/// Why a file is not a recording.
package struct NotAnArchive: Error, Sendable, Hashable {
    /// What the file is instead, in a few words.
    package let what: String
}

extension NotAnArchive {
    /// What a file is that is not JSON, by its first bytes; `nil` if it may be JSON.
    init?(startingWith bytes: [UInt8]) {
        let known = Self.kinds.first { kind in kind.beginnings.contains { bytes.starts(with: $0) } }
        guard let what = known?.what ?? Self.kind(ofText: bytes) else { return nil }
        self.init(what: what)
    }

    private static let kinds: [(what: String, beginnings: [[UInt8]])] = [
        ("it is compressed with gzip; unpack it first", [[0x1F, 0x8B]]),
        ("it is compressed with zstd; unpack it first", [[0x28, 0xB5, 0x2F, 0xFD]]),
        ("it is a ZIP file; unpack it first", [Array("PK".utf8)]),
        (
            "it is a capture of packets",
            [[0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x0A, 0x0D, 0x0D, 0x0A]]
        ),
        ("it is text in UTF-16; save it in UTF-8", [[0xFF, 0xFE], [0xFE, 0xFF]]),
    ]

    private static func kind(ofText bytes: [UInt8]) -> String? {
        let head = bytes[bytes.span.afterByteOrderMark].drop { $0.isWhiteSpace }
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
#endif
