import EntitlementValues

// What happens to a record on its way to the store.

extension DeviceRecord {
    /// Adds decision times that were noted, and forgets what has ended.
    ///
    /// - Parameters:
    ///   - noted: The times.
    ///   - now: The time of day.
    mutating func tidy(adding noted: [DecisionBuffer.Noted], at now: Timestamp) {
        for entry in noted { self[entry.requestor].adopt(entry.decision) }
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
        if registrations.mapValues(\.credentials) != before.registrations.mapValues(\.credentials) { return true }
        return Set(requestors.keys).union(before.requestors.keys).contains { requestor in
            let (one, other) = (self[requestor], before[requestor])
            return one.profile != other.profile || one.logouts != other.logouts || one.identity != other.identity
        }
    }
}
