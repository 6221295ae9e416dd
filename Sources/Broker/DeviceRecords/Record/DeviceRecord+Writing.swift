import EntitlementValues

// What happens to a record on its way to the store.

extension DeviceRecord {
    /// The record with decision times that were noted.
    ///
    /// - Parameter noted: The times.
    /// - Returns: The record with them.
    func adding(_ noted: [DecisionBuffer.Noted]) -> DeviceRecord {
        var copy = self
        for entry in noted { copy[entry.requestor].adopt(entry.decision) }
        return copy
    }

    /// Forgets what has ended.
    ///
    /// - Parameter now: The time of day.
    mutating func dropExpired(at now: Timestamp) {
        for requestor in requestors.keys { self[requestor].dropExpired(at: now) }
    }

    /// Whether a change may not be lost when the machine loses power.
    ///
    /// Credentials, since a device that registers again loses its profiles; what belongs to them; and profiles and logouts,
    /// so that a logout does not undo itself. The broker says the rest again.
    ///
    /// - Parameter before: The record before the change.
    /// - Returns: Whether the change has to reach the disk.
    func mustSurvivePowerLoss(over before: DeviceRecord) -> Bool {
        if identifier != before.identifier || subject != before.subject { return true }
        let haveSameCredentials =
            registrations.count == before.registrations.count
            && registrations.allSatisfy { $0.value.credentials == before.registrations[$0.key]?.credentials }
        guard haveSameCredentials else { return true }
        return requestors.contains { $0.value.isOtherSignIn(than: before[$0.key]) }
            || before.requestors.contains { requestor, record in
                requestors[requestor] == nil && record.isOtherSignIn(than: RequestorRecord())
            }
    }
}

extension RequestorRecord {
    /// Whether another profile or identity is kept, or another logout.
    fileprivate func isOtherSignIn(than other: RequestorRecord) -> Bool {
        profile != other.profile || logouts != other.logouts || identity != other.identity
    }
}
