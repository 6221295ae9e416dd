import EntitlementValues
import TextCodecs

extension LedgerState {
    /// Reads a snapshot: nothing is skipped, and nothing is repaired.
    init(snapshot text: Span<UInt8>, policy: LedgerPolicy) throws(LedgerError) {
        self.init(policy: policy)
        let range = text.trimmingWhiteSpace(0..<text.count)
        let members = SnapshotMembers(try SnapshotMembers.of(text, range), "snapshot")
        // Before the checksum: another version may have none, or have it in another place.
        let version = try members.integer(text, "version")
        guard version == LedgerSnapshot.version else { throw .snapshot(.version(version)) }
        try Self.checkSum(text, range)
        try members.allow(["version", "latest", "device", "selections", "issuers", "entries", "checksum"])
        latest = try members.instant(text, "latest")
        device = try members.identifier(text, "device")
        for selection in try members.objects(text, "selections") {
            try selection.allow(["requestor", "mvpd"])
            let requestor: RequestorID = try selection.required(text, "requestor")
            let former = selected.updateValue(try selection.required(text, "mvpd"), forKey: requestor)
            guard former == nil else { throw .snapshot(.field("selections")) }
        }
        for list in try members.objects(text, "issuers") {
            try list.allow(["requestor", "allowed"])
            let requestor: RequestorID = try list.required(text, "requestor")
            let former = allowedIssuers.updateValue(try list.issuers(text, "allowed"), forKey: requestor)
            guard former == nil else { throw .snapshot(.field("issuers")) }
        }
        let entries = try members.objects(text, "entries")
        guard entries.count <= policy.capacity else { throw .full(capacity: policy.capacity) }
        for entry in entries { try restore(entry, text) }
    }

    private static func checkSum(_ text: Span<UInt8>, _ range: Range<Int>) throws(LedgerError) {
        let end = range.upperBound - LedgerSnapshot.checksumLength
        guard end > range.lowerBound else { throw .snapshot(.edited) }
        let summed = text.extracting(range.lowerBound..<end)
        let expected = LedgerSnapshot.checksumMember(of: summed, count: summed.count)
        guard expected.indices.allSatisfy({ text[end + $0] == expected[$0] }) else { throw .snapshot(.edited) }
    }

    private mutating func restore(_ entry: SnapshotMembers, _ text: Span<UInt8>) throws(LedgerError) {
        try entry.allow(["requestor", "mvpd", "resource", "notBefore", "notAfter", "issuer", "recorded", "expired"])
        let requestor: RequestorID = try entry.required(text, "requestor")
        let mvpd: MVPDID = try entry.required(text, "mvpd")
        let resource: ResourceID? = try entry.identifier(text, "resource")
        let entitlement =
            resource.map { .authorization(requestor: requestor, mvpd: mvpd, resource: $0) }
            ?? Entitlement.authentication(requestor: requestor, mvpd: mvpd)
        let period = EntitlementPeriod(
            notBefore: try entry.instant(text, "notBefore"),
            notAfter: try entry.instant(text, "notAfter")
        )
        guard let recorded = try entry.instant(text, "recorded") else { throw .snapshot(.field("recorded")) }
        guard entries[entitlement] == nil else { throw .snapshot(.field("entries")) }
        let restored = Entry(period: period, issuer: try entry.required(text, "issuer"), recorded: recorded, serial: 0)
        insert(entitlement, restored, isExpired: try entry.flag(text, "expired"))
    }
}

/// The members of one object of a snapshot, each read as what it must be.
private struct SnapshotMembers {
    private let members: JSONMembers
    private let name: String

    init(_ members: JSONMembers, _ name: String) {
        self.members = members
        self.name = name
    }

    static func of(_ text: Span<UInt8>, _ range: Range<Int>) throws(LedgerError) -> JSONMembers {
        do throws(JSONFault) {
            return try JSONReader.members(of: text, in: range)
        } catch {
            throw .snapshot(.unreadable(error.reason))
        }
    }

    /// Refuses unknown members: they may matter to the release that wrote them.
    func allow(_ names: Set<String>) throws(LedgerError) {
        guard members.list.allSatisfy({ names.contains(String(decoding: $0.name, as: UTF8.self)) }) else {
            throw .snapshot(.field(name))
        }
    }

    func integer(_ text: Span<UInt8>, _ name: String) throws(LedgerError) -> Int64 {
        guard let value = members[Array(name.utf8)], let integer = JSONReader.integer(text, value) else {
            throw .snapshot(.field(name))
        }
        return integer
    }

    func instant(_ text: Span<UInt8>, _ name: String) throws(LedgerError) -> Timestamp? {
        guard members[Array(name.utf8)] != nil else { return nil }
        return Timestamp(milliseconds: try integer(text, name))
    }

    func identifier<Identifier: EntitlementIdentifier>(
        _ text: Span<UInt8>,
        _ name: String
    ) throws(LedgerError) -> Identifier? {
        guard let value = members[Array(name.utf8)] else { return nil }
        return try Self.identifier(text, value, name)
    }

    func required<Identifier: EntitlementIdentifier>(
        _ text: Span<UInt8>,
        _ name: String
    ) throws(LedgerError) -> Identifier {
        guard let identifier: Identifier = try identifier(text, name) else { throw .snapshot(.field(name)) }
        return identifier
    }

    private static func identifier<Identifier: EntitlementIdentifier>(
        _ text: Span<UInt8>,
        _ value: JSONValue,
        _ name: String
    ) throws(LedgerError) -> Identifier {
        guard value.kind == .string, let bytes = JSONReader.string(text, value), !bytes.isEmpty else {
            throw .snapshot(.field(name))
        }
        return Identifier(String(decoding: bytes, as: UTF8.self))
    }

    func flag(_ text: Span<UInt8>, _ name: String) throws(LedgerError) -> Bool {
        guard let value = members[Array(name.utf8)] else { return false }
        guard value.kind == .boolean, text[value.range.lowerBound] == UInt8(ascii: "t") else {
            throw .snapshot(.field(name))
        }
        return true
    }

    func objects(_ text: Span<UInt8>, _ name: String) throws(LedgerError) -> [SnapshotMembers] {
        var objects: [SnapshotMembers] = []
        for value in try elements(text, name) {
            objects.append(SnapshotMembers(try Self.of(text, value.range), name))
        }
        return objects
    }

    func issuers(_ text: Span<UInt8>, _ name: String) throws(LedgerError) -> Set<MVPDID> {
        var issuers: Set<MVPDID> = []
        for value in try elements(text, name) {
            guard issuers.insert(try Self.identifier(text, value, name)).inserted else {
                throw .snapshot(.field(name))
            }
        }
        return issuers
    }

    private func elements(_ text: Span<UInt8>, _ name: String) throws(LedgerError) -> [JSONValue] {
        guard let value = members[Array(name.utf8)], value.kind == .array,
            let elements = try? JSONReader.elements(of: text, in: value.range)
        else { throw .snapshot(.field(name)) }
        return elements
    }
}
