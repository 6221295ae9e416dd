#if Client

/// What was seen of one step.
struct WalkObservation: Sendable, Equatable {
    /// What the call returned or threw.
    var outcome = ""
    /// The resources that the session answered by itself, in a question before playback.
    var remembered: [String] = []
    var requests: [String] = []
    var events: [String] = []
    /// How the task ended that waited for the sign-in, if it did.
    var waitOutcome: String?

    /// The same without the codes of statuses.
    var withoutStatuses: WalkObservation {
        var copy = self
        copy.events = events.filter { !$0.hasPrefix("status ") }
        return copy
    }
}
#endif
