#if Service
/// Where the events of all devices go.
package protocol EventSink: Sendable {
    /// Hands events over.
    ///
    /// - Parameter lines: Events as lines of JSON.
    /// - Throws: `EventSinkFailure` if they did not arrive, or if that is not known.
    func deliver(_ lines: [UInt8]) async throws(EventSinkFailure)
}

/// The reason why events did not arrive.
package struct EventSinkFailure: Error, Sendable, Hashable {
    /// What helps.
    package enum Remedy: Sendable, Hashable {
        /// The same events may arrive at another time.
        case later
        /// One of the events is not wanted, or they are too many at once: smaller groups of them may arrive.
        case smallerGroups
        /// Nothing: the events are given up, as they would hold up all others.
        case none
    }

    package let remedy: Remedy
    /// What happened, without events and addresses.
    let reason: String

    package init(_ remedy: Remedy, reason: String) { (self.remedy, self.reason) = (remedy, reason) }
}
#endif
