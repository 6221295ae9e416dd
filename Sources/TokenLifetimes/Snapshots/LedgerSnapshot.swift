import TextCodecs
import EntitlementValues

/// The text of a snapshot: versioned JSON on one line, always in the same order, with a checksum at its end.
///
/// The checksum finds what accidents do to a text: a cut, a bad disk, an editor. It is no signature.
enum LedgerSnapshot {
    static let version: Int64 = 1

    static func text(of state: LedgerState) -> String {
        var writer = JSONWriter(escaping: .minimal)
        writer.member("version", version)
        if let latest = state.latest { writer.member("latest", latest.milliseconds) }
        if let device = state.device { writer.member("device", device.rawValue) }
        writer.objects("selections", for: state.selected.sorted { $0.key.precedes($1.key) }) { writer, selection in
            writer.member("requestor", selection.key.rawValue)
            writer.member("mvpd", selection.value.rawValue)
        }
        writer.objects("issuers", for: state.allowedIssuers.sorted { $0.key.precedes($1.key) }) { writer, list in
            writer.member("requestor", list.key.rawValue)
            writer.name("allowed")
            writer.array { writer in
                for issuer in list.value.sorted(by: { $0.precedes($1) }) { writer.value(issuer.rawValue) }
            }
        }
        writer.objects("entries", for: state.lines.sorted { $0.key < $1.key }) { writer, entry in
            writer.members(of: entry.key, entry.value, hasExpired: state.hasExpired(entry.value))
        }
        let text = writer.bytes
        return String(decoding: text + checksumMember(of: text.span, count: text.count), as: UTF8.self)
    }

    /// The last member and the end of the object, for everything before them.
    static func checksumMember(of text: Span<UInt8>, count: Int) -> [UInt8] {
        // FNV-1a: a change of any one byte changes it.
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<count { sum = (sum ^ UInt64(text[index])) &* 0x100_0000_01B3 }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: sum >> (56 - 8 * $0)) }
        return Array(",\"checksum\":\"\(Hex.encode(bytes))\"}".utf8)
    }

    /// Length of what `checksumMember` writes.
    static let checksumLength = ",\"checksum\":\"0123456789abcdef\"}".utf8.count
}

extension JSONWriter {
    /// Adds a member that is an array of objects.
    fileprivate mutating func objects<Item>(
        _ name: String,
        for items: [Item],
        _ write: (inout JSONWriter, Item) -> Void
    ) {
        self.name(name)
        array { writer in
            for item in items { writer.object { writer in write(&writer, item) } }
        }
    }

    fileprivate mutating func members(of entitlement: Entitlement, _ line: LedgerState.Line, hasExpired: Bool) {
        member("requestor", entitlement.requestor.rawValue)
        member("mvpd", entitlement.mvpd.rawValue)
        if let resource = entitlement.resource { member("resource", resource.rawValue) }
        if let notBefore = line.period.notBefore { member("notBefore", notBefore.milliseconds) }
        if let notAfter = line.period.notAfter { member("notAfter", notAfter.milliseconds) }
        member("issuer", line.issuer.rawValue)
        member("recorded", line.recorded.milliseconds)
        if hasExpired { member("expired", true) }
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
