#if Service
import EntitlementValues
import Logging
import MediaTokens
import PlaybackSessions

extension ServiceState {
    /// Counts and logs an outcome, which was reached as of an instant.
    ///
    /// Of what was presented, and of the subscriber, only the digest is logged.
    func note(_ outcome: Outcome, at now: Timestamp) {
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
        guard logger.logLevel <= level, let omitted = refusalSampling.place(for: outcome.code, at: time.uptime) else {
            return
        }
        var metadata = outcome.metadata
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        logger.log(level: level, "refused", metadata: metadata)
    }
}

extension Outcome {
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
#endif
