public import EntitlementValues
import TextCodecs

/// The text of a snapshot: versioned JSON on one line, always in the same order, with a checksum at its end.
///
/// The checksum finds accidents: a text that was cut, a bad disk, an editor. It is not a signature.
enum LedgerSnapshot {
    static let version: Int64 = 1

    static func text(of state: LedgerState) -> String {
        var text = Array("{\"version\":\(version)".utf8)
        if let latest = state.latest { text.append(",\"latest\":", latest) }
        if let device = state.device { text.append(",\"device\":", device) }
        text += Array(",\"selections\":[".utf8)
        text.appendList(state.selected.sorted { $0.key.precedes($1.key) }) { text, selection in
            text.append("{\"requestor\":", selection.key)
            text.append(",\"mvpd\":", selection.value)
            text += Array("}".utf8)
        }
        text += Array("],\"issuers\":[".utf8)
        text.appendList(state.allowedIssuers.sorted { $0.key.precedes($1.key) }) { text, list in
            text.append("{\"requestor\":", list.key)
            text += Array(",\"allowed\":[".utf8)
            text.appendList(list.value.sorted { $0.precedes($1) }) { $0.append("", $1) }
            text += Array("]}".utf8)
        }
        text += Array("],\"entries\":[".utf8)
        text.appendList(state.entries.sorted { $0.key < $1.key }) { text, item in
            text.append(item.key, item.value, isExpired: state.isExpired(item.value))
        }
        text += Array("]".utf8)
        text += checksumMember(of: text.span, count: text.count)
        return String(decoding: text, as: UTF8.self)
    }

    /// The last member and the end of the object, for everything before them.
    static func checksumMember(of text: Span<UInt8>, count: Int) -> [UInt8] {
        // FNV-1a: a change of any one byte changes it.
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<count { sum = (sum ^ UInt64(text[index])) &* 0x100_0000_01B3 }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: sum >> (56 - 8 * $0)) }
        return Array(",\"checksum\":\"\(hexadecimal(bytes))\"}".utf8)
    }

    /// Length of what `checksumMember` writes.
    static let checksumLength = ",\"checksum\":\"0123456789abcdef\"}".utf8.count
}

extension [UInt8] {
    fileprivate mutating func append(_ name: String, _ identifier: some EntitlementIdentifier) {
        self += Array(name.utf8)
        appendJSON(identifier.rawValue)
    }

    fileprivate mutating func append(_ name: String, _ instant: Timestamp) {
        self += Array("\(name)\(instant.milliseconds)".utf8)
    }

    fileprivate mutating func appendList<Item>(_ items: [Item], _ append: (inout [UInt8], Item) -> Void) {
        for (index, item) in items.enumerated() {
            if index > 0 { self.append(UInt8(ascii: ",")) }
            append(&self, item)
        }
    }

    fileprivate mutating func append(_ entitlement: Entitlement, _ entry: LedgerState.Entry, isExpired: Bool) {
        append("{\"requestor\":", entitlement.requestor)
        append(",\"mvpd\":", entitlement.mvpd)
        if let resource = entitlement.resource { append(",\"resource\":", resource) }
        if let notBefore = entry.period.notBefore { append(",\"notBefore\":", notBefore) }
        if let notAfter = entry.period.notAfter { append(",\"notAfter\":", notAfter) }
        append(",\"issuer\":", entry.issuer)
        append(",\"recorded\":", entry.recorded)
        if isExpired { self += Array(",\"expired\":true".utf8) }
        self += Array("}".utf8)
    }
}

extension EntitlementLedger {
    /// Writes everything that the ledger knows as versioned JSON, one line, always in the same order.
    ///
    /// It contains neither tokens nor margins. But it names the device and says what the device watches, so protect it.
    /// A checksum at the end finds accidents. It is not a signature: a person who can change the text can also forge
    /// it.
    public var snapshot: String {
        read { state, _ in LedgerSnapshot.text(of: state) }
    }

    /// Makes a ledger from a snapshot.
    ///
    /// The snapshot is read completely, or not at all. What had expired when it was written stays expired. If the clock
    /// is now before that moment, a jump back is reported.
    ///
    /// - Parameters:
    ///   - snapshot: The text that `snapshot` wrote, unchanged; white space around it is allowed.
    ///   - policy: Margins and size.
    ///   - time: The time by which the ledger goes.
    ///   - report: Receives what an operator should look at.
    /// - Throws: `LedgerError.snapshot`, or `.full` if the policy's capacity is smaller.
    public convenience init(
        snapshot: String,
        policy: LedgerPolicy = .standard,
        time: TimeSource = .system,
        report: @escaping @Sendable (LedgerReport) -> Void = { _ in }
    ) throws(LedgerError) {
        let text = Array(snapshot.utf8)
        self.init(state: try LedgerState(snapshot: text.span, policy: policy), time: time, report: report)
    }
}
