public import EntitlementValues
public import ServiceResponses

/// An activation code that a sign-in is waiting for.
public struct PendingCode: Sendable, Hashable {
    /// The code.
    public let code: AuthenticationCode
    /// The first instant at which the code is of no use.
    public let until: Timestamp
    /// The epoch of the sign-in, from ``RequestorRecord/raiseEpoch()``.
    public let epoch: Int64
    /// Members that this library does not know, from a newer release.
    var unknownFields: [JSONField] = []

    /// Describes a code.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - until: The first instant at which the code is of no use.
    ///   - epoch: The epoch of the sign-in.
    public init(_ code: AuthenticationCode, until: Timestamp, epoch: Int64) {
        (self.code, self.until, self.epoch) = (code, until, epoch)
    }

    /// Whether this is the code of a later sign-in: the later epoch wins, and in one epoch the later end.
    package func isLater(than other: PendingCode) -> Bool { (epoch, until) > (other.epoch, other.until) }
}

/// The right of one session to ask the broker whether a sign-in is done, while others read the record.
public struct PollingLease: Sendable, Hashable {
    /// How long a lease lasts: 15 seconds, after which another may take over from one that has stopped.
    public static let duration = TimeToLive.seconds(15)

    /// The one that polls, by a random name of its own.
    public let poller: String
    /// The first instant at which another may take the lease.
    public let until: Timestamp

    /// Members that this library does not know, from a newer release.
    var unknownFields: [JSONField] = []

    init(poller: String, until: Timestamp) { (self.poller, self.until) = (poller, until) }

    /// Whether the lease holds: it has not ended, and was not written by a clock that has been set back since.
    ///
    /// - Parameter now: The time of day.
    /// - Returns: Whether no other session may take it.
    package func holds(at now: Timestamp) -> Bool {
        until > now && until <= now + Self.duration + RequestorRecord.maximumSkew
    }
}
