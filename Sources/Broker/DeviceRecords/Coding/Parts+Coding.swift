import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs

// How the parts of a requestor's record are stored.

extension ChosenProvider {
    func write(to object: inout JSONWriter) {
        object.member("id", id.rawValue)
        object.member("displayName", ifPresent: displayName)
        object.member("logoUrl", ifPresent: logoURL)
        object.member("enablePlatformServices", ifPresent: enablesPlatformServices)
        object.member("boardingStatus", ifPresent: boardingStatus?.rawValue)
        object.member("isTempPass", ifPresent: isTemporary)
        object.member("origin", ifPresent: origin)
        object.members(unknownFields)
    }

    init(_ object: inout BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
        self.init(
            id: MVPDID(try object.requireText("id", text)),
            displayName: try object.takeText("displayName", text),
            logoURL: try object.takeText("logoUrl", text),
            enablesPlatformServices: try object.takeBoolean("enablePlatformServices", text),
            boardingStatus: try object.takeText("boardingStatus", text).map { BoardingStatus($0) },
            isTemporary: try object.takeBoolean("isTempPass", text),
            origin: try object.takeText("origin", text))
        unknownFields = object.unknownFields(text)
    }
}

extension ProfileHint {
    func write(to object: inout JSONWriter) {
        object.member("mvpd", mvpd.rawValue)
        if profile != nil { object.member("answer", raw: encodedProfile) }
        object.members(unknownFields)
    }

    init(_ object: inout BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
        let mvpd = MVPDID(try object.requireText("mvpd", text))
        let path = object.path + "answer"
        guard let answer = object.take("answer") else {
            self.init(mvpd, nil, encoded: [], unknownFields: object.unknownFields(text))
            return
        }
        let encoded = text.extracting(answer.value.range)
        let body = try BodyObject(answer, at: .root)
        guard let profile = try ProfilesResponse(body, text).profiles.first, profile.mvpd == mvpd else {
            throw .missing(path + "profiles")
        }
        self.init(
            mvpd, profile, encoded: [UInt8](copying: encoded), unknownFields: object.unknownFields(text))
    }
}

extension PendingCode {
    func write(to object: inout JSONWriter) {
        object.member("code", code.text)
        object.member("until", until.milliseconds)
        object.member("epoch", epoch)
        object.members(unknownFields)
    }

    init(_ object: inout BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
        self.init(
            AuthenticationCode(try object.requireText("code", text)),
            until: try object.requireMilliseconds("until", text),
            epoch: try object.requireWholeNumber("epoch", text))
        unknownFields = object.unknownFields(text)
    }
}

extension PollingLease {
    func write(to object: inout JSONWriter) {
        object.member("poller", poller)
        object.member("until", until.milliseconds)
        object.members(unknownFields)
    }

    init(_ object: inout BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
        self.init(
            poller: try object.requireText("poller", text), until: try object.requireMilliseconds("until", text))
        unknownFields = object.unknownFields(text)
    }
}

extension DecisionTime {
    func write(to object: inout JSONWriter) {
        object.member("mvpd", mvpd.rawValue)
        object.member("resource", resource.rawValue)
        object.member("decided", decided.milliseconds)
        object.member("notAfter", ifPresent: notAfter)
        object.members(unknownFields)
    }

    init(_ object: inout BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
        self.init(
            on: ResourceID(try object.requireText("resource", text)),
            mvpd: MVPDID(try object.requireText("mvpd", text)),
            decided: try object.requireMilliseconds("decided", text),
            notAfter: try object.takeMilliseconds("notAfter", text))
        unknownFields = object.unknownFields(text)
    }
}

extension PartnerStatusHint {
    func write(to object: inout JSONWriter) {
        object.member("status", status.json)
        object.member("said", said.milliseconds)
        object.member("until", until.milliseconds)
        object.members(unknownFields)
    }

    init(_ object: inout BodyObject, _ text: Span<UInt8>) throws(ServiceResponseError) {
        let json = try object.requireText("status", text)
        let status = try DeviceRecordCoding.mapping(object.path + "status") { () throws(BrokerHeaderError) in
            try PartnerFrameworkStatus(json: json)
        }
        self.init(
            status, said: try object.requireMilliseconds("said", text),
            until: try object.requireMilliseconds("until", text))
        unknownFields = object.unknownFields(text)
    }
}
