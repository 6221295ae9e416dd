#if Client
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import Testing

/// The dictionary of the operator's `setOptions`.
@Suite struct LegacyOptionsTests {
    @Test func `Each option has its place`() throws {
        var options = SessionOptions()
        options.remembersProvider = true
        let info = try options.adopt(legacyOptions: [
            "visitorID": .text("20265673158980419722735089753036633573"), "applicationProfile": .text("buyflow"),
            "handleSVC": .boolean(true), "device_info": .text(#"{"osName":"tvOS"}"#),
        ])
        #expect(options.visitorIdentifier == (try VisitorIdentifier("20265673158980419722735089753036633573")))
        #expect(options.profile == "buyflow" && options.namesSystemBrowser && options.remembersProvider)
        #expect(info?[.osName] == "tvOS")
    }

    @Test func `Device information may be Base64, as the header has it`() throws {
        var options = SessionOptions()
        #expect(try options.adopt(legacyOptions: ["device_info": .text("eyJvc05hbWUiOiJpT1MifQ==")])?[.osName] == "iOS")
        #expect(try options.adopt(legacyOptions: [:]) == nil)
    }

    @Test func `Device information may be a dictionary`() throws {
        var options = SessionOptions()
        let info = try options.adopt(legacyOptions: ["device_info": .dictionary(["osName": .text("tvOS")])])
        #expect(info?[.osName] == "tvOS")
    }

    @Test(arguments: [
        ("handleSVC", LegacyValue.boolean(false), UnsupportedCall.handlingBrowser),
        ("handleSVC", .text("true"), .unknownData), ("visitorID", .integer(1), .unknownData),
        ("visitorID", .text("a\nb"), .unknownData), ("device_info", .text("not JSON"), .unknownData),
        ("device_info", .list([]), .unknownData),
        ("applicationProfile", .null, .unknownData), ("visitorId", .text("a"), .unknownData),
        ("timeout", .integer(3), .unknownData),
    ])
    func `What has no place is refused, and changes nothing`(name: String, value: LegacyValue, reason: UnsupportedCall)
    {
        var options = SessionOptions()
        var dictionary: [String: LegacyValue] = ["applicationProfile": .text("new")]
        dictionary[name] = value
        #expect(throws: EntitlementFlowError.unsupported(reason)) { try options.adopt(legacyOptions: dictionary) }
        #expect(options.profile == nil)
    }
}
#endif
