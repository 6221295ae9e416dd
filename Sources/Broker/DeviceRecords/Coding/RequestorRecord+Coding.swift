import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

extension RequestorRecord {
    /// Writes the members of the record, as they are stored.
    func write(to object: inout JSONWriter) {
        if epoch != 0 { object.member("epoch", epoch) }
        object.member("asked", ifPresent: asked)
        if let provider { object.member("provider", object: provider.write) }
        if lastSignIn != profile?.mvpd {
            object.member("lastSignIn", lastSignIn?.rawValue ?? "")
            object.member("lastSignInEpoch", epoch)
        }
        if let profile { object.member("profile", object: profile.write) }
        if let pendingCode { object.member("code", object: pendingCode.write) }
        if let lease { object.member("lease", object: lease.write) }
        if !otherProfiles.isEmpty { object.member("otherProfiles") { Self.write(otherProfiles, to: &$0) } }
        if !logouts.isEmpty { object.member("logouts") { Self.write(logouts, to: &$0) } }
        if !decisions.isEmpty { object.member("decisions", objects: decisions) { $0.write(to: &$1) } }
        if let partner { object.member("partner", object: partner.write) }
        object.member("identity", ifPresent: identity?.json)
        object.members(unknownFields)
    }

    /// Reads what ``write(to:)`` wrote.
    ///
    /// - Parameters:
    ///   - node: The object.
    ///   - path: Where it is.
    ///   - text: The whole record.
    /// - Throws: `ServiceResponseError`.
    init(_ node: JSONNode, at path: JSONLocation, in text: Span<UInt8>) throws(ServiceResponseError) {
        self.init()
        var object = try BodyObject(node, at: path)
        epoch = try object.takeWholeNumber("epoch", text) ?? 0
        asked = try object.takeMilliseconds("asked", text)
        provider = try object.takeObject("provider", in: text, reading: ChosenProvider.init)
        profile = try object.takeObject("profile", in: text, reading: ProfileHint.init)
        let last = try object.takeText("lastSignIn", text)
        let isOfThisEpoch = try object.takeWholeNumber("lastSignInEpoch", text) == epoch
        // A process of an earlier release leaves both as they are, also when the user signs out or in with it.
        if let last, isOfThisEpoch {
            lastSignIn = last.isEmpty ? nil : MVPDID(last)
        } else {
            lastSignIn = profile?.mvpd
        }
        pendingCode = try object.takeObject("code", in: text, reading: PendingCode.init)
        lease = try object.takeObject("lease", in: text, reading: PollingLease.init)
        otherProfiles = try Self.instants(named: "otherProfiles", of: &object, in: text)
        logouts = try Self.instants(named: "logouts", of: &object, in: text)
        if let list = object.take("decisions") {
            for (index, node) in list.elements.enumerated() {
                var element = try BodyObject(node, at: path + "decisions" + .element(index))
                decisions.append(try DecisionTime(&element, text))
            }
        }
        partner = try object.takeObject("partner", in: text, reading: PartnerStatusHint.init)
        identity = try object.takeIdentifier("identity", text).map { json throws(ServiceResponseError) in
            try DeviceRecordCoding.mapping(path + "identity") { () throws(BrokerHeaderError) in
                try TemporaryIdentity(json: json)
            }
        }
        unknownFields = object.unknownFields(text)
    }

    private static func write(_ instants: [MVPDID: Timestamp], to object: inout JSONWriter) {
        for (mvpd, instant) in instants.sorted(by: { $0.key.rawValue.precedes($1.key.rawValue) }) {
            object.member(mvpd.rawValue, instant.milliseconds)
        }
    }

    private static func instants(
        named name: String,
        of record: inout BodyObject,
        in text: Span<UInt8>
    ) throws(ServiceResponseError) -> [MVPDID: Timestamp] {
        guard let node = record.take(name) else { return [:] }
        var object = try BodyObject(node, at: record.path + name)
        var instants: [MVPDID: Timestamp] = [:]
        for member in node.members {
            let mvpd = member.name
            instants[MVPDID(mvpd)] = try object.requireMilliseconds(mvpd, text)
        }
        return instants
    }
}

extension BodyObject {
    /// A member that is an object; `nil` if the member is absent.
    fileprivate mutating func takeObject<Part>(
        _ name: String,
        in text: Span<UInt8>,
        reading read: (inout BodyObject, Span<UInt8>) throws(ServiceResponseError) -> Part
    ) throws(ServiceResponseError) -> Part? {
        guard let node = take(name) else { return nil }
        var object = try BodyObject(node, at: path + name)
        return try read(&object, text)
    }
}
