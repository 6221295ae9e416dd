import TextCodecs
import EntitlementValues

/// The text of a snapshot: versioned JSON on one line, always in the same order, with a checksum at its end.
///
/// The checksum finds what accidents do to a text: a cut, a bad disk, an editor. It is no signature.
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
        text.appendList(state.lines.sorted { $0.key < $1.key }) { text, item in
            text.append(item.key, item.value, hasExpired: state.hasExpired(item.value))
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

    fileprivate mutating func append(_ entitlement: Entitlement, _ line: LedgerState.Line, hasExpired: Bool) {
        append("{\"requestor\":", entitlement.requestor)
        append(",\"mvpd\":", entitlement.mvpd)
        if let resource = entitlement.resource { append(",\"resource\":", resource) }
        if let notBefore = line.period.notBefore { append(",\"notBefore\":", notBefore) }
        if let notAfter = line.period.notAfter { append(",\"notAfter\":", notAfter) }
        append(",\"issuer\":", line.issuer)
        append(",\"recorded\":", line.recorded)
        if hasExpired { self += Array(",\"expired\":true".utf8) }
        self += Array("}".utf8)
    }
}

extension EntitlementLedger {
    /// Writes everything that the ledger knows as versioned JSON, one line, always in the same order.
    ///
    /// It holds no token, and no margin; but it says what a device watches, and names the device: store it as such.
    /// A checksum at the end finds accidents. It is no signature: who can write the text can write any.
    public var snapshot: String {
        read { state, _ in LedgerSnapshot.text(of: state) }
    }

    /// Makes a ledger of a snapshot, all of it or nothing.
    ///
    /// What had expired when the snapshot was written stays expired, and a clock that stands before that moment is
    /// reported as for one ledger.
    ///
    /// - Parameters:
    ///   - snapshot: What `snapshot` wrote, to the byte; white space around it is nothing.
    ///   - policy: Margins and size.
    ///   - clock: Tells the time.
    ///   - report: Is told what somebody should look at.
    /// - Throws: `LedgerError.snapshot`, or `.full` where the policy's capacity is smaller.
    public convenience init(
        snapshot: String,
        policy: LedgerPolicy = .standard,
        clock: any WallClock = SystemWallClock(),
        report: @escaping @Sendable (LedgerReport) -> Void = { _ in }
    ) throws(LedgerError) {
        let text = Array(snapshot.utf8)
        self.init(state: try LedgerState(snapshot: text.span, policy: policy), clock: clock, report: report)
    }
}
