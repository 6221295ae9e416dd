import EntitlementValues
import MetadataDecryption
import ServiceResponses
import TestVectors
import Testing

/// Responses are written as the service spells them, and read back as the same responses.
@Suite struct EncodingTests {
    private static let start = Timestamp(milliseconds: 1_750_000_000_000)
    private static let end = Timestamp(milliseconds: 1_781_536_000_000)

    private static let kinds: [String: any EncodableResponse.Type] = [
        "profiles": ProfilesResponse.self, "decisions": DecisionsResponse.self,
        "usermetadata": UserMetadataResponse.self, "authentication": AuthenticationResponse.self,
        "authorization": AuthorizationResponse.self, "error": EnhancedError.self,
    ]

    private func text(_ response: some EncodableResponse) -> String {
        String(decoding: response.encoded(), as: UTF8.self)
    }

    // MARK: Vectors

    static let readable = ResponseVectorTests.cases.filter { $0.test.result != "invalid" }

    @Test func `Every kind has readable vectors`() {
        #expect(Set(Self.readable.map(\.kind)) == Set(Self.kinds.keys))
        #expect(Self.readable.count >= 200)
    }

    @Test(arguments: readable)
    func `What is written is read back the same`(_ vector: ResponseCase) throws {
        let body = vector.test.bytes
        let kind = try #require(Self.kinds[vector.kind])
        guard let response = try? kind.init(parsing: body.span) else {
            #expect(vector.test.result == "acceptable")
            return
        }
        let written = response.encoded()
        let again = try kind.init(parsing: written).encoded()
        #expect(again == written)

        let reading = ResponseReader(keys: try ResponseVectorTests.keys.get(), at: vector.at)
        let (content, faults) = try reading.content(of: body.span, kind: vector.kind)
        let (contentRead, faultsRead) = try reading.content(of: written.span, kind: vector.kind)
        #expect(contentRead == content)
        // What could not be read is not written.
        if faults.allSatisfy(\.isWarning) { #expect(faultsRead == faults) }
    }

    // MARK: Profiles

    @Test func `Degraded and temporary profiles are written`() throws {
        let profiles = [
            Profile(mvpd: "TestMVPD", notBefore: Self.start, notAfter: Self.end, issuer: "TestBroker", type: .degraded),
            Profile(
                mvpd: "TempPass", notBefore: Self.start, notAfter: Self.end, issuer: "TestBroker", type: .temporary,
                attributes: UserMetadata([
                    UserMetadataEntry(.userID, plain: JSONText(string: "temppass_\"1\"")),
                    UserMetadataEntry("remaining_resources", plain: try #require(JSONText(parsing: "3"))),
                    UserMetadataEntry("used_assets", plain: JSONText(strings: ["a", "b"])),
                ])),
        ]
        let written = text(ProfilesResponse(profiles: profiles))
        #expect(
            written
                == #"{"profiles":{"TestMVPD":{"notBefore":1750000000000,"notAfter":1781536000000,"#
                + #""issuer":"TestBroker","type":"degraded","attributes":{}},"TempPass":{"notBefore":1750000000000,"#
                + #""notAfter":1781536000000,"issuer":"TestBroker","type":"temporary","attributes":{"userID":"#
                + #"{"value":"temppass_\"1\"","state":"plain"},"remaining_resources":{"value":3,"state":"plain"},"#
                + #""used_assets":{"value":["a","b"],"state":"plain"}}}}}"#)
        let read = try ProfilesResponse(parsing: written).profiles
        #expect(read.map(\.type) == [.degraded, .temporary])
        #expect(try read[1].attributes.userID == #"temppass_"1""#)
        #expect(try read[1].attributes.value("remaining_resources")?.content == .number("3"))
        #expect(try read[1].attributes.value("used_assets")?.content == .list(["a", "b"]))
    }

    @Test func `Encrypted attributes are written as they were sent`() throws {
        let entry = UserMetadataEntry(.zip, encrypted: Encrypted.zipList)
        let profile = Profile(mvpd: "M", notBefore: Self.start, notAfter: Self.end, attributes: UserMetadata([entry]))
        let made = ProfilesResponse(profiles: [profile])
        let written = text(made)
        #expect(written.contains(#""zip":{"value":"\#(Encrypted.zipList)","state":"enc"}"#))
        let decrypted = try ProfilesResponse(parsing: written).decrypted(with: try Fixtures.decrypter())
        #expect(try decrypted.profiles.first?.attributes.zip == ["77754", "12345"])
        #expect(text(decrypted) == written)
        // What was made is what was read.
        #expect(try made.decrypted(with: try Fixtures.decrypter()).profiles.first?.attributes.zip?.count == 2)
        #expect(throws: AttributeError.encrypted) { try made.profiles[0].attributes.zip }
    }

    @Test func `Unknown members and states are kept`() throws {
        let body =
            #"{"profiles":{"M":{"notBefore":1750000000000,"notAfter":1781536000000,"attributes":{"a":{"value":"#
            + #"[1.50, {"\u00e9":null}],"state":"new","more":[ ]},"b":{"error":"gone"},"c":{"value":1,"state":true}},"#
            + #""sessionId":"s"}},"extra":{"x" : 1}}"#
        let response = try ProfilesResponse(parsing: body)
        #expect(text(response) == body)
        #expect(response.profiles[0].attributes.entries.map(\.state) == [nil, nil, nil])
    }

    // MARK: Decisions

    @Test func `Decisions are written with tokens and errors`() throws {
        let denied = EnhancedError(
            action: .noAction, status: 403, code: .authorizationDeniedByDegradationRule, message: "no", helpURL: "h")
        let decisions = [
            Decision(
                resource: "one", serviceProvider: "REF30", mvpd: "TestMVPD", source: .degradation, isAuthorized: true,
                notBefore: Self.start, notAfter: Self.end,
                token: SerializedMediaToken(serializedToken: "AAAA", notBefore: Self.start, notAfter: Self.end)),
            Decision(
                resource: "two", serviceProvider: "REF30", mvpd: "TestMVPD", source: .temporaryAccess,
                isAuthorized: false, error: denied),
        ]
        let written = text(DecisionsResponse(decisions: decisions))
        #expect(
            written
                == #"{"decisions":[{"resource":"one","serviceProvider":"REF30","mvpd":"TestMVPD","#
                + #""source":"degradation","authorized":true,"token":{"notBefore":1750000000000,"#
                + #""notAfter":1781536000000,"serializedToken":"AAAA"},"notBefore":1750000000000,"#
                + #""notAfter":1781536000000},{"resource":"two","serviceProvider":"REF30","mvpd":"TestMVPD","#
                + #""source":"temppass","authorized":false,"error":{"action":"none","status":403,"#
                + #""code":"authorization_denied_by_degradation_rule","message":"no","helpUrl":"h"}}]}"#)
        let read = try DecisionsResponse(parsing: written)
        #expect(read.faults.isEmpty)
        #expect(read.decisions.map(\.error) == [nil, denied])
        #expect(read.decisions.first?.token?.serializedToken == "AAAA")
    }

    @Test func `Resources of any text are written`() throws {
        let resource: ResourceID = "<rss version=\"2.0\">\n\u{7}\u{2028}é🐘</rss>"
        let decision = Decision(resource: resource, serviceProvider: "s", mvpd: "m", isAuthorized: true)
        let read = try DecisionsResponse(parsing: text(DecisionsResponse(decisions: [decision])))
        #expect(read.decisions.first?.resource == resource)
    }

    @Test func `Parts that cannot be read are not written`() throws {
        let response = try DecisionsResponse(
            parsing: #"{"decisions":[7,{"resource":"b","serviceProvider":"s","mvpd":"m","authorized":false}]}"#)
        #expect(response.faults.count == 1)
        #expect(
            text(response)
                == #"{"decisions":[{"resource":"b","serviceProvider":"s","mvpd":"m","authorized":false}]}"#)
    }

    // MARK: Version 1

    @Test func `Version one is written in its own spelling`() {
        #expect(
            text(AuthenticationResponse(requestor: "REF30", mvpd: "M", expires: Self.end, userID: "u"))
                == #"{"requestor":"REF30","mvpd":"M","userId":"u","expires":"1781536000000"}"#)
        #expect(
            text(AuthorizationResponse(requestor: "REF30", resource: "r", mvpd: "M", proxyMVPD: "P", expires: Self.end))
                == #"{"mvpd":"M","resource":"r","requestor":"REF30","expires":"1781536000000","proxyMvpd":"P"}"#)
    }

    @Test func `Version one names its encrypted attributes`() throws {
        let attributes = UserMetadata([
            UserMetadataEntry(.userID, plain: JSONText(string: "u")),
            UserMetadataEntry(.zip, encrypted: Encrypted.bareZip),
        ])
        let response = UserMetadataResponse(updated: Timestamp(milliseconds: 1_334_243_471_000), attributes: attributes)
        let written = text(response)
        #expect(
            written
                == #"{"updated":1334243471,"encrypted":["zip"],"data":{"userID":"u","zip":"\#(Encrypted.bareZip)"}}"#)
        let read = try UserMetadataResponse(parsing: written).decrypted(with: try Fixtures.decrypter())
        #expect(try read.attributes.zip == ["77754"])
    }

    /// What version 1 cannot mark must not appear as a plain value.
    @Test func `Version one leaves out what it cannot mark`() throws {
        let attributes = try Fixtures.attributes(
            #""a":{"value":"1","state":"new"},"b":{"state":"plain"},"c":{"value":"2","state":"plain"}"#)
        #expect(text(UserMetadataResponse(attributes: attributes)) == #"{"data":{"c":"2"}}"#)
    }

    @Test(arguments: [
        (1_334_243_471_000, "1334243471"), (1_334_243_471_123, "1334243471123"), (-1000, "-1"), (-1, "-1"),
        (100_000_000_000_000, "100000000000000"), (Int64.min, "-9223372036854776"),
        (Int64.max, "9223372036854775807"),
    ])
    func `Updated is written in seconds if they are exact`(milliseconds: Int64, expected: String) throws {
        let updated = Timestamp(milliseconds: milliseconds)
        let written = text(UserMetadataResponse(updated: updated, attributes: UserMetadata([])))
        #expect(written == #"{"updated":\#(expected),"data":{}}"#)
    }

    // MARK: Errors

    @Test func `An error is written alone`() throws {
        let error = EnhancedError(
            action: .authentication, status: 403, code: .temporaryAccessDurationLimitExceeded, message: "over",
            details: "d", trace: "t", unknownFields: [JSONField(name: "x", value: JSONText(string: "y"))])
        #expect(
            text(error)
                == #"{"action":"authentication","status":403,"code":"temporary_access_duration_limit_exceeded","#
                + #""message":"over","details":"d","trace":"t","x":"y"}"#)
        #expect(try EnhancedError(parsing: text(error)) == error)
    }

    @Test(arguments: ["", "{", "[1,]", "x", "1 2", #"{"a":1,"a":2}"#])
    func `Only JSON becomes a JSON text`(text: String) {
        #expect(JSONText(parsing: text) == nil)
    }
}
