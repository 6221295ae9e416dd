import EntitlementValues
import ServiceResponses
import TestVectors
import TextCodecs
import Testing

/// What is written is read back the same, whatever the answer holds.
@Suite struct AnswerRoundTripTests {
    private static let rounds = 500

    private func expectRoundTrips<Answer: VectorMessage>(_ type: Answer.Type) throws {
        var generator = Noise(seed: 1)
        var lengths: Set<Int> = []
        for round in 0..<Self.rounds {
            let answer = try Answer.made(by: &generator)
            let written = answer.encoded()
            let read = try Answer(parsing: written)
            let isSame = (read as? any Equatable).map { $0.equals(answer) } ?? (read.content == answer.content)
            guard isSame, read.encoded() == written, read.listedFaults.isEmpty else {
                Issue.record("round \(round): \(String(decoding: written, as: UTF8.self))")
                continue
            }
            lengths.insert(written.count)
        }
        // The generator makes many different answers.
        #expect(lengths.count > 20)
    }

    @Test(arguments: MessageVectorTests.kinds.keys.sorted())
    func `Every kind is read back the same`(_ kind: String) throws {
        let type = try #require(MessageVectorTests.kinds[kind])
        try expectRoundTrips(type)
    }

    @Test func `Wrapped errors are the bare ones`() throws {
        var generator = Noise(seed: 6)
        for _ in 0..<Self.rounds {
            let error = generator.error()
            var wrapper = JSONWriter()
            wrapper.member("error", error.object)
            #expect(try EnhancedError(parsing: wrapper.finished) == error)
        }
    }

    // MARK: The spelling on the wire

    private func text(_ answer: some EncodableResponse) -> String { String(decoding: answer.encoded(), as: UTF8.self) }

    @Test func `Sessions have their times as strings of digits`() {
        let session = SessionResponse(
            actionName: .resume, actionType: .direct, sessionID: SessionID("s-1"), serviceProvider: "WAVE",
            url: "/api/v2/WAVE/sessions/ABC123", code: AuthenticationCode("ABC123"),
            missingParameters: [.mvpd, .domain], notBefore: Timestamp(milliseconds: 1_780_000_000_000),
            notAfter: Timestamp(milliseconds: 1_780_001_800_000))
        #expect(
            text(session)
                == #"{"actionName":"resume","actionType":"direct","reasonType":"none","#
                + #""url":"/api/v2/WAVE/sessions/ABC123","missingParameters":["mvpd","domain"],"code":"ABC123","#
                + #""sessionId":"s-1","serviceProvider":"WAVE","notBefore":"1780000000000","notAfter":"1780001800000"}"#
        )
    }

    @Test func `The providers are written inside the requestor`() {
        let mvpd = MVPD(id: "M", displayName: "Em", logoURL: "https://img.example.com/m", isTemporaryAccess: false)
        let domain = ConfiguredDomain(name: "example.com", isMVPDInitiated: true)
        let answer = ConfigurationResponse(requestor: .init(id: "WAVE", domains: [domain], mvpds: [mvpd]))
        #expect(
            text(answer)
                == #"{"requestor":{"id":"WAVE","domains":[{"name":"example.com","mvpdInitiated":true}],"#
                + #""mvpds":[{"id":"M","displayName":"Em","logoUrl":"https://img.example.com/m","isTempPass":false}]}}"#
        )
    }

    @Test func `Statuses and logouts are written as the broker spells them`() {
        let status = SessionStatusResponse(
            existingParameters: .init(serviceProvider: "WAVE", domain: "example.com"), missingParameters: [.mvpd],
            device: .init(type: "Desktop", connection: .init(port: 55161)))
        #expect(
            text(status)
                == #"{"existingParameters":{"domain":"example.com","serviceProvider":"WAVE"},"#
                + #""missingParameters":["mvpd"],"device":{"type":"Desktop","connection":{"port":"55161"}}}"#)
        let step = LogoutStep(key: "M", actionName: .partnerLogout, actionType: .partnerInteractive)
        #expect(
            text(LogoutResponse(logouts: [step]))
                == #"{"logouts":{"M":{"actionName":"partner_logout","actionType":"partner_interactive","mvpd":"M"}}}"#)
    }

    @Test func `Attributes with an error are written`() throws {
        let entry = UserMetadataEntry("zip", error: .invalidConfigurationUserMetadataCertificate)
        let instant = Timestamp(milliseconds: 1_780_000_000_000)
        let profile = Profile(mvpd: "M", notBefore: instant, notAfter: instant, attributes: UserMetadata([entry]))
        let written = text(ProfilesResponse(profiles: [profile]))
        #expect(written.contains(#""zip":{"error":"invalid_configuration_user_metadata_certificate"}"#))
        let read = try #require(try ProfilesResponse(parsing: written).profiles.first).attributes
        #expect(read.entries.first?.errorCode == .invalidConfigurationUserMetadataCertificate)
        #expect(throws: AttributeError.reported(.invalidConfigurationUserMetadataCertificate)) { try read.zip }
    }
}

extension Equatable {
    fileprivate func equals(_ other: Any) -> Bool { other as? Self == self }
}
