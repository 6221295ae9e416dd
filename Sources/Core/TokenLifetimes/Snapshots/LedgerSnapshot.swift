public import EntitlementValues
import TextCodecs

/// The text of a snapshot: versioned JSON on one line, always in the same order, with a checksum at its end.
///
/// The checksum finds accidents: a text that was cut, a bad disk, an editor. It is not a signature.
enum LedgerSnapshot {
    static let version: Int64 = 1

    static func text(of state: LedgerState) -> String {
        var writer = JSONWriter(escaping: .minimal)
        writer.member("version", version)
        if let latest = state.latest { writer.member("latest", latest.milliseconds) }
        if let device = state.device { writer.member("device", device.rawValue) }
        writer.member("selections", objects: state.selected.sorted { $0.key.precedes($1.key) }) { selection, writer in
            writer.member("requestor", selection.key.rawValue)
            writer.member("mvpd", selection.value.rawValue)
        }
        writer.member("issuers", objects: state.allowedIssuers.sorted { $0.key.precedes($1.key) }) { list, writer in
            writer.member("requestor", list.key.rawValue)
            writer.member("allowed", list.value.sorted { $0.precedes($1) }.map(\.rawValue))
        }
        writer.member("entries", objects: state.entries.sorted { $0.key < $1.key }) { entry, writer in
            writer.members(of: entry.key, entry.value, isExpired: state.isExpired(entry.value))
        }
        let text = writer.bytes[...]
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
    fileprivate mutating func members(of entitlement: Entitlement, _ entry: LedgerState.Entry, isExpired: Bool) {
        member("requestor", entitlement.requestor.rawValue)
        member("mvpd", entitlement.mvpd.rawValue)
        if let resource = entitlement.resource { member("resource", resource.rawValue) }
        if let notBefore = entry.period.notBefore { member("notBefore", notBefore.milliseconds) }
        if let notAfter = entry.period.notAfter { member("notAfter", notAfter.milliseconds) }
        member("issuer", entry.issuer.rawValue)
        member("recorded", entry.recorded.milliseconds)
        if isExpired { member("expired", true) }
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
        let state = try snapshot.withBytes { text throws(LedgerError) in
            try LedgerState(snapshot: text, policy: policy)
        }
        self.init(state: state, time: time, report: report)
    }
}

extension LedgerState {
    /// Reads a snapshot: nothing is skipped, and nothing is repaired.
    init(snapshot text: Span<UInt8>, policy: LedgerPolicy) throws(LedgerError) {
        self.init(policy: policy)
        let range = text.trimmingWhiteSpace(0..<text.count)
        let object = try reading { () throws(JSONFault) in try JSONObject(text, in: range) }
        // Before the checksum: another version may have none, or have it in another place.
        let version = try reading { () throws(JSONFault) in
            try object.requiredInteger("version", in: text)
        }
        guard version == LedgerSnapshot.version else { throw .snapshot(.version(version)) }
        try Self.checkSum(text, range)
        let entries = try reading { () throws(JSONFault) in
            try restoreSettings(object, text)
            return try object.objects("entries", in: text)
        }
        guard entries.count <= policy.capacity else { throw .full(capacity: policy.capacity) }
        try reading { () throws(JSONFault) in
            for entry in entries { try restore(entry, text) }
        }
    }

    private static func checkSum(_ text: Span<UInt8>, _ range: Range<Int>) throws(LedgerError) {
        let end = range.upperBound - LedgerSnapshot.checksumLength
        guard end > range.lowerBound else { throw .snapshot(.edited) }
        let summed = text.extracting(range.lowerBound..<end)
        let expected = LedgerSnapshot.checksumMember(of: summed, count: summed.count)
        guard expected.indices.allSatisfy({ text[end + $0] == expected[$0] }) else { throw .snapshot(.edited) }
    }

    /// Reads everything but the entries.
    private mutating func restoreSettings(_ object: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try object.allowOnly(["version", "latest", "device", "selections", "issuers", "entries", "checksum"])
        latest = try object.instant("latest", in: text)
        device = try object.identifier("device", in: text).map(DeviceID.init)
        for selection in try object.objects("selections", in: text) {
            try selection.allowOnly(["requestor", "mvpd"])
            let requestor = RequestorID(try selection.requiredIdentifier("requestor", in: text))
            let mvpd = MVPDID(try selection.requiredIdentifier("mvpd", in: text))
            guard selected.updateValue(mvpd, forKey: requestor) == nil else { throw .repeated(in: selection) }
        }
        for list in try object.objects("issuers", in: text) {
            try list.allowOnly(["requestor", "allowed"])
            let requestor = RequestorID(try list.requiredIdentifier("requestor", in: text))
            let names = try list.identifiers("allowed", in: text)
            let allowed = Set(names.map(MVPDID.init))
            guard allowed.count == names.count else {
                throw JSONFault(.notAllowed, at: list.location + "allowed", "has a name twice")
            }
            guard allowedIssuers.updateValue(allowed, forKey: requestor) == nil else { throw .repeated(in: list) }
        }
    }

    private mutating func restore(_ entry: JSONObject, _ text: Span<UInt8>) throws(JSONFault) {
        try entry.allowOnly(["requestor", "mvpd", "resource", "notBefore", "notAfter", "issuer", "recorded", "expired"])
        let requestor = RequestorID(try entry.requiredIdentifier("requestor", in: text))
        let mvpd = MVPDID(try entry.requiredIdentifier("mvpd", in: text))
        let resource = try entry.identifier("resource", in: text).map(ResourceID.init)
        let entitlement =
            resource.map { .authorization(requestor: requestor, mvpd: mvpd, resource: $0) }
            ?? Entitlement.authentication(requestor: requestor, mvpd: mvpd)
        let period = EntitlementPeriod(
            notBefore: try entry.instant("notBefore", in: text),
            notAfter: try entry.instant("notAfter", in: text)
        )
        let recorded = try entry.requiredInstant("recorded", in: text)
        guard entries[entitlement] == nil else { throw .repeated(in: entry) }
        let issuer = MVPDID(try entry.requiredIdentifier("issuer", in: text))
        let isExpired = try entry.boolean("expired", in: text)
        guard isExpired != false else {
            throw JSONFault(.notAllowed, at: entry.location + "expired", "is not true")
        }
        let restored = Entry(period: period, issuer: issuer, recorded: recorded, serial: 0)
        insert(entitlement, restored, isExpired: isExpired ?? false)
    }
}

extension JSONFault {
    /// Two objects of a list are about the same thing.
    fileprivate static func repeated(in object: JSONObject) -> JSONFault {
        JSONFault(.notAllowed, at: object.location, "repeats what an earlier one says")
    }
}

/// Runs `read`; a fault of the JSON becomes an error of the ledger.
private func reading<Value>(_ read: () throws(JSONFault) -> Value) throws(LedgerError) -> Value {
    do throws(JSONFault) {
        return try read()
    } catch {
        switch error.kind {
        case .syntax, .repeatedMember, .tooDeep, .tooManyMembers, .tooManyValues:
            throw .snapshot(.unreadable(error.reason))
        case .missing, .wrongType, .notAllowed: throw .snapshot(.field(error.location.lastMember ?? "snapshot"))
        }
    }
}
