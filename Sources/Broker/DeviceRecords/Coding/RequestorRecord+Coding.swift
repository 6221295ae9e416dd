import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

extension RequestorRecord {
    /// The members of the record, as they are stored.
    var object: JSONWriter {
        var object = JSONWriter()
        if epoch != 0 { object.member("epoch", epoch) }
        object.member("asked", ifPresent: asked)
        if let provider { object.member("provider", provider.object) }
        if lastSignIn != profile?.mvpd {
            object.member("lastSignIn", lastSignIn?.rawValue ?? "")
            object.member("lastSignInEpoch", epoch)
        }
        if let profile { object.member("profile", profile.object) }
        if let pendingCode { object.member("code", pendingCode.object) }
        if let lease { object.member("lease", lease.object) }
        if !otherProfiles.isEmpty { object.member("otherProfiles", Self.object(of: otherProfiles)) }
        if !logouts.isEmpty { object.member("logouts", Self.object(of: logouts)) }
        if !decisions.isEmpty { object.member("decisions", decisions.map(\.object)) }
        if let partner { object.member("partner", partner.object) }
        object.member("identity", ifPresent: identity?.json)
        object.members(unknownFields)
        return object
    }

    /// Reads what ``object`` wrote.
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

    private static func object(of instants: [MVPDID: Timestamp]) -> JSONWriter {
        var object = JSONWriter()
        for (mvpd, instant) in instants.sorted(by: { $0.key.rawValue.precedes($1.key.rawValue) }) {
            object.member(mvpd.rawValue, instant.milliseconds)
        }
        return object
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
