#if Service
import EntitlementValues
import Logging
import MediaTokens
import PlaybackSessions
import Synchronization

extension ServiceState {
    /// Counts and logs an outcome, which was reached as of an instant.
    ///
    /// Of what was presented, and of the subscriber, only the digest is logged.
    func note(_ outcome: AccessOutcome, at now: Timestamp) {
        metrics.count(outcome)
        history.count(outcome.status)
        if let grant = outcome.grant {
            let level: Logger.Level = configuration.settings.log.shows(outcome.credential) ? .info : .debug
            // Most passes are not logged, and cost nothing then.
            guard logger.logLevel <= level else { return }
            logger.log(level: level, "passed", metadata: outcome.metadata.merging(grant.metadata) { $1 })
            return
        }
        let digest = outcome.digest
        history.add(StatusHistory.Refusal(at: now, status: outcome.status, code: outcome.code, digest: digest))
        // A client is not at fault, and it lasts until an operator does something.
        let level: Logger.Level = outcome.code == MediaTokenError.undecided(.noKeys).code ? .error : .info
        log("refused", at: level, sampledBy: outcome.code, outcome.metadata)
    }

    /// Logs what clients may bring about as often as they like: of many with a code some, with how many were left out.
    func log(
        _ message: Logger.Message,
        at level: Logger.Level,
        sampledBy code: String,
        _ metadata: @autoclosure () -> Logger.Metadata
    ) {
        guard logger.logLevel <= level, let omitted = refusalSampling.place(for: code, at: time.uptime) else { return }
        var metadata = metadata()
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        logger.log(level: level, message, metadata: metadata)
    }
}

extension AccessOutcome {
    fileprivate var metadata: Logger.Metadata {
        [
            "status": "\(status.rawValue)", "code": "\(code)", "credential": "\(credential.rawValue)",
            "token": "\(digest ?? "none")",
        ]
    }
}

extension AccessGrant {
    /// Who may access what, by which provider and which key.
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "requestor": "\(Self.shown(requestor.rawValue))", "resource": "\(Self.shown(resource.rawValue))",
            "mvpd": "\(Self.shown(mvpd.rawValue))",
            "subscriber": "\(shortDigest(of: sessionGUID.rawValue) ?? "none")", "key": "\(key)",
            "expires": "\(expires)",
        ]
        if let session { metadata["session"] = "\(session)" }
        return metadata
    }

    /// An identifier, cut short: a resource may be a whole document.
    private static func shown(_ identifier: String) -> String {
        let beginning = identifier.prefix(200)
        return beginning.endIndex == identifier.endIndex ? identifier : "\(beginning)…"
    }
}

/// Says which refusals are logged: so many of each code in a second.
///
/// Each code has a share of its own, so that a flood of one hides none of the others. Metrics count all refusals.
package final class RefusalSampling: Sendable {
    private struct Share {
        var second: Int64
        var logged = 0
        var omitted = 0
    }

    /// `nil` if all are logged.
    private let perSecond: Int?
    /// By code; codes are fixed, so the shares are few.
    private let shares = Mutex<[String: Share]>([:])

    package init(perSecond: Int?) { self.perSecond = perSecond }

    /// Takes the place of a line for a refusal with a code.
    ///
    /// Returns how many refusals with the code were left out since the last line; `nil` if this one is left out.
    package func place(for code: String, at uptime: Duration) -> Int? {
        guard let perSecond else { return 0 }
        let second = uptime.components.seconds
        return shares.withLock { shares in
            var share = shares[code] ?? Share(second: second)
            defer { shares[code] = share }
            if share.second != second { (share.second, share.logged) = (second, 0) }
            guard share.logged < perSecond else {
                share.omitted += 1
                return nil
            }
            share.logged += 1
            defer { share.omitted = 0 }
            return share.omitted
        }
    }
}
#endif
