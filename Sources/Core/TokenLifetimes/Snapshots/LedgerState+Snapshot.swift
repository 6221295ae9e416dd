import EntitlementValues
import TextCodecs

extension LedgerState {
    /// Reads a snapshot: nothing is skipped, and nothing is repaired.
    init(snapshot text: Span<UInt8>, policy: LedgerPolicy) throws(LedgerError) {
        self.init(policy: policy)
        let range = text.trimmingWhiteSpace(0..<text.count)
        let object = try reading { () throws(JSONFault) in try JSONObject(text, in: range) }
        // Before the checksum: another version may have none, or have it in another place.
        let version = try reading { () throws(JSONFault) in
            try object.required("version", try object.integer("version", in: text))
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
        let recorded = try entry.required("recorded", try entry.instant("recorded", in: text))
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

extension JSONObject {
    fileprivate func instant(_ name: String, in text: Span<UInt8>) throws(JSONFault) -> Timestamp? {
        try integer(name, in: text).map(Timestamp.init(milliseconds:))
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
