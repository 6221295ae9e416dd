#if Service
import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

/// What a device's sign-on partner said last, which rides on calls of the broker until it ends.
struct DevicePartner: Sendable, Hashable {
    let status: PartnerFrameworkStatus
    /// The first instant at which it does not count anymore.
    let until: Timestamp
    /// Whether the device was asked to put a question to the partner without showing anything.
    var isAskedSilently = false

    /// How long a status counts that has no end of its own: one without a provider.
    private static let lifetime = TimeToLive.hours(1)

    /// Takes what the partner says.
    ///
    /// - Parameters:
    ///   - status: What it says.
    ///   - now: The time of day.
    init(_ status: PartnerFrameworkStatus, at now: Timestamp) {
        (self.status, until) = (status, status.provider.expires ?? now + Self.lifetime)
    }

    /// The status as long as it counts; `nil` after that.
    func status(at now: Timestamp) -> PartnerFrameworkStatus? { now < until ? status : nil }

    /// Whether the partner's picker may be shown when the status is too old to count: not to a user who denied permission.
    var mayBeAsked: Bool { [.granted, .notDetermined].contains(status.permission.accessStatus) }

    // MARK: Content

    /// The JSON object.
    var object: JSONWriter {
        var object = JSONWriter(escaping: .minimal)
        object.member("status", status.json)
        object.member("until", until.milliseconds)
        if isAskedSilently { object.member("asked", true) }
        return object
    }

    /// Reads what ``object`` wrote.
    init(_ object: JSONObject, in text: Span<UInt8>) throws(JSONFault) {
        let json = try object.requiredIdentifier("status", in: text)
        guard let status = try? PartnerFrameworkStatus(json: json) else {
            throw JSONFault(.wrongType(.identifier), at: object.location + "status", "is not a status")
        }
        self.status = status
        until = try object.instant("until", in: text)
        isAskedSilently = try object.boolean("asked", in: text) ?? false
    }
}
#endif
