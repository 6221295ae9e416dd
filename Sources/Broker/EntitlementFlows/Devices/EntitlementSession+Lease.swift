#if Client
import DeviceRecords
import EntitlementValues

/// Whose turn it is to ask the broker for a sign-in.
enum PollingTurn: Sendable, Hashable {
    /// This session asks.
    case mine
    /// Another session does, until it stops and its lease ends.
    case others(until: Timestamp)
    /// Nothing is to be asked: the code has gone, and the record tells why.
    case over
}

extension EntitlementSession {
    /// Takes the lease on polling, or keeps it, so that one session of all processes asks for a device.
    ///
    /// The lease is written every other time.
    ///
    /// - Parameters:
    ///   - watch: The wait.
    ///   - interval: After which time the lease is asked for again.
    /// - Returns: Whose turn it is.
    /// - Throws: `.store`, `.cancelled`.
    func takeLease(
        for watch: SignInWatch,
        askingEvery interval: Duration
    ) async throws(EntitlementFlowError) -> PollingTurn {
        let (poller, now) = (poller, application.time.now)
        let margin = TimeToLive(milliseconds: Int64(interval / .milliseconds(1)) + 1000)
        return try await change(requestor: watch.requestor) { record in
            guard record.epoch == watch.pending.epoch, record.pendingCode == watch.pending else { return .over }
            if let lease = record.lease, lease.poller == poller, lease.until.since(now) > margin { return .mine }
            if record.takeLease(as: poller, at: now) { return .mine }
            return .others(until: record.lease?.until ?? now)
        }
    }

    /// Gives up the wait for a sign-in, and with it the lease, so that another process can go on at once.
    ///
    /// - Parameter error: What the waiting calls throw.
    func giveUpWatch(with error: EntitlementFlowError) async {
        guard let watch else { return }
        endWatch(with: .failure(error))
        let poller = poller
        // If it fails, the lease ends by itself.
        try? await change(requestor: watch.requestor) { $0.releaseLease(of: poller) }
    }

    /// Waits for the end of another session's lease.
    ///
    /// - Parameters:
    ///   - end: When the lease ends unless it is renewed.
    ///   - number: The wait.
    func yield(until end: Timestamp, in number: UInt64) {
        guard watch?.number == number else { return }
        watch?.yields = true
        watch?.nextQuestion = application.time.uptime + end.since(application.time.now).duration
    }

    /// Goes by the lease that another session holds: while it holds, the record's version is looked at, and no more.
    ///
    /// - Parameters:
    ///   - lease: The lease in the record; `nil` if there is none.
    ///   - number: The wait.
    func heed(_ lease: PollingLease?, in number: UInt64) {
        guard let watch, watch.number == number, watch.yields else { return }
        let now = application.time.now
        if let lease, lease.poller != poller, lease.holds(at: now) {
            self.watch?.nextQuestion = application.time.uptime + lease.until.since(now).duration
        } else {
            self.watch?.nextQuestion = application.time.uptime
            self.watch?.yields = false
        }
    }
}
#endif
