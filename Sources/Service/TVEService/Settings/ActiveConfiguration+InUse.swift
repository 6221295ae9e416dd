#if Service
import EntitlementKeys
import HostSystem
import Logging

/// What is in use after a reload, for those who watch.
extension ActiveConfiguration {
    /// How many keys are in use, by what they are for.
    var keyCounts: [(use: String, count: Int)] {
        var counts: [(use: String, count: Int)] = [(use: "tokens", count: keys.keys.count)]
        // The settings still have the sessions whose keys were all taken away.
        if settings.sessions != nil { counts.append((use: "sessions", count: sessions?.keys.count ?? 0)) }
        return counts
    }

    /// How many keys are in use, as members of a line in the log.
    var keyMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["keys": "\(keys.keys.count)"]
        if settings.sessions != nil { metadata["sessionKeys"] = "\(sessions?.keys.count ?? 0)" }
        return metadata
    }

    /// What should have a key or a secret, and has none any more.
    var usesWithoutKey: [String] {
        var uses = keyCounts.filter { $0.count == 0 }.map { $0.use }
        // The one that no request can show.
        if decryptionSecret?.count == 0 { uses.append("requests to decrypt") }
        return uses
    }

    /// What is in use after a reload that was refused, in words.
    var remainder: String {
        let uses = usesWithoutKey
        if !uses.isEmpty { return "no key or secret is left for \(uses.joined(separator: " and "))" }
        return withdrawn == 0
            ? "the old keys and rules stay in use" : "the old keys and rules stay in use, but for what was taken away"
    }
}
#endif
