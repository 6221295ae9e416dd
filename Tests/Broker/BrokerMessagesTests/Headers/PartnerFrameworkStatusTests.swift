import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs
import Testing

@Suite struct PartnerFrameworkStatusTests {
    private static let end = Timestamp(milliseconds: 1_790_000_000_000)

    @Test func `A status is sent as Base64 of an object`() throws {
        let status = try PartnerFrameworkStatus(
            permission: .init(.granted), provider: .init(mappingID: "TestPartnerMVPD", expires: Self.end))
        let json =
            #"{"frameworkPermissionInfo":{"accessStatus":"granted"},"#
            + #""frameworkProviderInfo":{"id":"TestPartnerMVPD","expirationDate":"1790000000000"}}"#
        #expect(PartnerFrameworkStatus.name == "AP-Partner-Framework-Status")
        #expect(status.json == json)
        #expect(status.headerValue == Base64.encode(Array(json.utf8)))
        #expect(try PartnerFrameworkStatus(headerValue: status.headerValue) == status)
    }

    @Test func `Errors of the partner are sent`() throws {
        let status = try PartnerFrameworkStatus(
            permission: .init(.notDetermined, failure: .init(code: "1", message: "not asked \"yet\"")),
            provider: .init(failure: .init(code: "2", message: nil)))
        #expect(try PartnerFrameworkStatus(headerValue: status.headerValue) == status)
        #expect(status.json.hasSuffix(#""frameworkProviderInfo":{"error":{"code":"2"}}}"#))
    }

    @Test(arguments: ["\"1790000000000\"", "1790000000000"])
    func `The end is read as string and as number`(_ end: String) throws {
        let json = """
            {"frameworkPermissionInfo":{"accessStatus":"granted"},
             "frameworkProviderInfo":{"id":"x","expirationDate":\(end)}}
            """
        let status = try PartnerFrameworkStatus(json: json)
        #expect(status.provider.expires == Self.end)
        #expect(status.provider.hasPlausibleEnd)
    }

    @Test func `An end in seconds is taken and can be recognised`() throws {
        let json = """
            {"frameworkPermissionInfo":{"accessStatus":"granted"},
             "frameworkProviderInfo":{"id":"x","expirationDate":"1790000000"}}
            """
        #expect(try !PartnerFrameworkStatus(json: json).provider.hasPlausibleEnd)
    }

    @Test func `Missing providers and unknown members are read`() throws {
        let json = #"{"frameworkPermissionInfo":{"accessStatus":"someday","x":1},"frameworkProviderInfo":null,"y":[2]}"#
        let status = try PartnerFrameworkStatus(json: json)
        #expect(status.permission.accessStatus == "someday")
        #expect(status.provider == .init())
        #expect(status.provider.hasPlausibleEnd)
        #expect(status.unknownFields.map(\.name) == ["y"])
        #expect(status.permission.unknownFields.map(\.value.text) == ["1"])
        #expect(try PartnerFrameworkStatus(headerValue: status.headerValue) == status)
    }

    @Test(arguments: [
        ("{}", "/frameworkPermissionInfo"),
        (#"{"frameworkPermissionInfo":{}}"#, "/frameworkPermissionInfo/accessStatus"),
        (#"{"frameworkPermissionInfo":{"accessStatus":""}}"#, "/frameworkPermissionInfo/accessStatus"),
        (#"{"frameworkPermissionInfo":{"accessStatus":1}}"#, "/frameworkPermissionInfo/accessStatus"),
        (#"{"frameworkPermissionInfo":"granted"}"#, "/frameworkPermissionInfo"),
        (#"{"frameworkPermissionInfo":{"accessStatus":"granted","error":"x"}}"#, "/frameworkPermissionInfo/error"),
        (
            #"{"frameworkPermissionInfo":{"accessStatus":"granted"},"frameworkProviderInfo":{"id":7}}"#,
            "/frameworkProviderInfo/id"
        ),
        (
            #"{"frameworkPermissionInfo":{"accessStatus":"granted"},"frameworkProviderInfo":{"expirationDate":"soon"}}"#,
            "/frameworkProviderInfo/expirationDate"
        ),
        (
            #"{"frameworkPermissionInfo":{"accessStatus":"granted"},"frameworkProviderInfo":{"expirationDate":1.5}}"#,
            "/frameworkProviderInfo/expirationDate"
        ),
        (
            #"{"frameworkPermissionInfo":{"accessStatus":"granted"},"frameworkProviderInfo":{"expirationDate":true}}"#,
            "/frameworkProviderInfo/expirationDate"
        ),
        (
            #"{"frameworkPermissionInfo":{"accessStatus":"granted"},"frameworkProviderInfo":"#
                + #"{"expirationDate":99999999999999999999}}"#, "/frameworkProviderInfo/expirationDate"
        ),
    ])
    func `Bad members are refused with their place`(_ json: String, _ place: String) throws {
        let error = try refusal { () throws(BrokerHeaderError) in try PartnerFrameworkStatus(json: json) }
        guard case .badMember(let header, let location, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(header == "AP-Partner-Framework-Status")
        #expect(location.pointer == place)
        #expect(!"\(error)".contains("soon"))
    }

    @Test(arguments: [
        ("", "header_empty"), ("e30", "header_bad_member"), ("bm8=", "header_not_json"), ("?", "header_not_base64"),
        (String(repeating: "A", count: 6000), "header_too_long"),
    ])
    func `Bad headers are refused`(_ value: String, _ code: String) throws {
        let error = try refusal { () throws(BrokerHeaderError) in try PartnerFrameworkStatus(headerValue: value) }
        #expect(error.code == code)
    }

    @Test func `Empty and long statuses are not sent`() throws {
        #expect(
            try refusal { () throws(BrokerHeaderError) in
                try PartnerFrameworkStatus(permission: .init(""))
            }.code == "header_empty")
        let long = String(repeating: "x", count: 4096)
        #expect(
            try refusal { () throws(BrokerHeaderError) in
                try PartnerFrameworkStatus(permission: .init(.granted), provider: .init(mappingID: long))
            }.code == "header_too_long")
    }

    @Test func `The status is not shown`() throws {
        let status = try PartnerFrameworkStatus(
            permission: .init(.granted), provider: .init(mappingID: "TestPartnerMVPD", expires: Self.end))
        expectRedacted(status, hiding: "TestPartnerMVPD", "granted")
    }
}
