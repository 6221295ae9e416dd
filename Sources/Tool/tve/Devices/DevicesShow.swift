#if CLI
import ArgumentParser
import BrokerMessages
import DeviceRecords
import EntitlementValues
import SealedRecords
import ServiceResponses
import TextCodecs

struct DevicesShow: ParsableCommand, OutputChoosing, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what a support engineer may see of a device.",
        discussion: """
            Examples:
              tve devices show --store sqlite:devices.sqlite living-room-tv
              tve devices show --store sqlite:devices.sqlite --subscriber - \\
                  --output json < subscriber.txt

            It says what is there and until when. Secrets, tokens, codes, identifiers, what was watched and what the \
            provider tells of the user are never shown. Looking is not a use, so the record does not live longer.

            Exit codes: 0 done; 17 no such device; 64 usage; 66 no such file; 69 the store does not answer; 74 input or \
            output failed; 78 the store or its keys cannot be used, or a record does not open.
            """
    )

    @OptionGroup var options: DeviceStoreOptions
    var output: OutputForm { options.output }

    @OptionGroup var choice: DeviceChoice

    func run() throws {
        let chosen = try choice.chosen()
        let records = try awaiting { [options] in
            let directory = try await options.directory()
            return try await Self.find(chosen, in: directory)
        }
        let found = records.compactMap(\.self)
        try Console.show(found.map(\.shownText).joined(separator: "\n"), in: output) {
            $0.member("devices", found.map(\.shownObject))
        }
        guard !found.isEmpty, found.count == records.count else {
            let missing = max(1, records.count - found.count)
            throw CommandFailure(
                "no_such_device", "\(missing == 1 ? "a device" : "\(missing) devices") not found in the store",
                exitCode: .unknownDevice)
        }
    }

    private static func find(
        _ chosen: DeviceChoice.Chosen,
        in directory: DeviceDirectory
    ) async throws -> [KeptRecord?] {
        var found: [KeptRecord?] = []
        switch chosen {
        case .devices(let devices):
            for device in devices { found.append(try await directory.keptRecord(of: device)) }
        case .records(let keys):
            for key in keys { found.append(try await directory.keptRecord(at: key)) }
        case .subscriber(let subscriber):
            for device in try await directory.devices(of: subscriber) {
                // It may be gone since.
                if let record = try await directory.keptRecord(of: device) { found.append(record) }
            }
        }
        return found
    }
}

// What a support engineer may see. Each member is chosen: what a later release adds to a record is not shown by itself.

extension KeptRecord {
    /// The record as text, a fact a line.
    var shownText: String {
        var lines: [(name: String, value: String)] = [
            ("record", key.description),
            (
                "stored",
                "version \(version), \(byteCount) bytes, \(sealingKey.map { "sealed with key \($0)" } ?? "not sealed")"
            ),
            ("expires", expires.description),
            ("subscriber", record.subject == nil ? "not known" : "known"),
            ("identifier", record.identifier == nil ? "none" : "kept"),
        ]
        for (scope, registration) in sortedRegistrations {
            let token = registration.token.map { "access token until \($0.expires)" } ?? "no access token"
            lines.append(("registration", "\(scope.origin), application \(scope.application): credentials, \(token)"))
        }
        let parts = sortedRequestors.map { id, part in
            " requestor \(id.rawValue.printable)\n" + aligned(part.shownFacts.map { ("  " + $0.name, $0.value) })
        }
        return "device \(record.device.rawValue.printable)\n" + aligned(lines) + parts.joined()
    }

    /// The record as JSON; instants are epoch milliseconds.
    var shownObject: JSONWriter {
        var object = JSONWriter()
        object.member("device", record.device.rawValue)
        object.member("record", key.description)
        object.member("version", version)
        object.member("bytes", byteCount)
        if let sealingKey { object.member("sealingKey", sealingKey) }
        object.member("expires", expires.milliseconds)
        object.member("hasSubscriber", record.subject != nil)
        object.member("hasIdentifier", record.identifier != nil)
        object.member("registrations", objects: sortedRegistrations) { registration, object in
            object.member("origin", registration.key.origin)
            object.member("application", registration.key.application)
            object.member("hasCredentials", true)
            if let token = registration.value.token { object.member("tokenExpires", token.expires.milliseconds) }
        }
        object.member("requestors", objects: sortedRequestors) { requestor, object in
            object.member("requestor", requestor.key.rawValue)
            requestor.value.writeShown(to: &object)
        }
        return object
    }

    private var sortedRegistrations: [(key: RegistrationScope, value: DeviceRegistration)] {
        record.registrations.sorted { ($0.key.origin, $0.key.application) < ($1.key.origin, $1.key.application) }
    }

    private var sortedRequestors: [(key: RequestorID, value: RequestorRecord)] {
        record.requestors.sorted { $0.key.rawValue < $1.key.rawValue }
    }
}

extension RequestorRecord {
    fileprivate var shownFacts: [(name: String, value: String)] {
        var facts = [("sign-ins begun", "\(epoch)")]
        if let provider {
            let name = provider.displayName.map { " (\($0))" } ?? ""
            let origin = provider.origin.map { ", at \($0)" } ?? ""
            facts.append(("provider", provider.id.rawValue + name + origin))
        }
        if let profile {
            let type = profile.profile?.type.map { ", \($0.rawValue)" } ?? ""
            let end = profile.notAfter.map { ", until \($0)" } ?? ", of unknown end"
            let count = profile.profile?.attributes.entries.count ?? 0
            facts.append(("profile", "\(profile.mvpd.rawValue)\(type)\(end), \(count) attributes, not shown"))
        }
        if let lastSignIn { facts.append(("last sign-in", lastSignIn.rawValue)) }
        for (mvpd, known) in sortedOtherProfiles {
            facts.append(("other profile", "\(mvpd.rawValue), at the broker as of \(known)"))
        }
        facts.append(("broker asked", asked?.description ?? "never"))
        if let pendingCode { facts.append(("sign-in", "a code waits until \(pendingCode.until)")) }
        if let lease { facts.append(("polling", "by one session, until \(lease.until) unless renewed")) }
        for (mvpd, mark) in sortedLogouts {
            facts.append(("logout", "\(mvpd.rawValue), \(mark), not confirmed by the broker"))
        }
        if let last = decisions.map(\.decided).max() {
            facts.append(("decisions", "\(decisions.count), the last at \(last)"))
        }
        if let partner { facts.append(("partner", "status until \(partner.until)")) }
        if identity != nil { facts.append(("identity", "kept, for temporary access")) }
        return facts
    }

    fileprivate func writeShown(to object: inout JSONWriter) {
        object.member("epoch", epoch)
        if let provider {
            var part = JSONWriter()
            part.member("id", provider.id.rawValue)
            if let name = provider.displayName { part.member("displayName", name) }
            if let origin = provider.origin { part.member("origin", origin) }
            object.member("provider", part)
        }
        if let profile {
            var part = JSONWriter()
            part.member("mvpd", profile.mvpd.rawValue)
            if let type = profile.profile?.type { part.member("type", type.rawValue) }
            if let end = profile.notAfter { part.member("notAfter", end.milliseconds) }
            part.member("attributes", profile.profile?.attributes.entries.count ?? 0)
            object.member("profile", part)
        }
        if let lastSignIn { object.member("lastSignIn", lastSignIn.rawValue) }
        object.member("otherProfiles", objects: sortedOtherProfiles) { profile, object in
            object.member("mvpd", profile.key.rawValue)
            object.member("known", profile.value.milliseconds)
        }
        if let asked { object.member("asked", asked.milliseconds) }
        if let pendingCode { object.member("codeUntil", pendingCode.until.milliseconds) }
        if let lease { object.member("pollingUntil", lease.until.milliseconds) }
        object.member("logouts", objects: sortedLogouts) { logout, object in
            object.member("mvpd", logout.key.rawValue)
            object.member("marked", logout.value.milliseconds)
        }
        object.member("decisions", decisions.count)
        if let last = decisions.map(\.decided).max() { object.member("lastDecision", last.milliseconds) }
        if let partner { object.member("partnerUntil", partner.until.milliseconds) }
        object.member("hasIdentity", identity != nil)
    }

    private var sortedOtherProfiles: [(key: MVPDID, value: Timestamp)] {
        otherProfiles.sorted { $0.key.rawValue < $1.key.rawValue }
    }

    private var sortedLogouts: [(key: MVPDID, value: Timestamp)] {
        logouts.sorted { $0.key.rawValue < $1.key.rawValue }
    }
}
#endif
