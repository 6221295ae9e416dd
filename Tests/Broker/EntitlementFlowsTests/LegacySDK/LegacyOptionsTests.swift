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
            "visitorID": .string("20265673158980419722735089753036633573"), "applicationProfile": .string("buyflow"),
            "handleSVC": .bool(true), "device_info": .string(#"{"osName":"tvOS"}"#),
        ])
        #expect(options.visitorIdentifier == (try VisitorIdentifier("20265673158980419722735089753036633573")))
        #expect(options.profile == "buyflow" && options.namesSystemBrowser && options.remembersProvider)
        #expect(info?[.osName] == "tvOS")
    }

    @Test func `Device information may be Base64, as the header has it`() throws {
        var options = SessionOptions()
        #expect(try options.adopt(legacyOptions: ["device_info": "eyJvc05hbWUiOiJpT1MifQ=="])?[.osName] == "iOS")
        #expect(try options.adopt(legacyOptions: [:]) == nil)
    }

    @Test func `Device information may be a dictionary`() throws {
        var options = SessionOptions()
        let info = try options.adopt(legacyOptions: ["device_info": ["osName": "tvOS"]])
        #expect(info?[.osName] == "tvOS")
        // A dictionary has no order; what is sent has.
        let (one, other): (JSON, JSON) = (["osName": "tvOS", "model": "TV"], ["model": "TV", "osName": "tvOS"])
        #expect(
            try options.adopt(legacyOptions: ["device_info": one])
                == options.adopt(legacyOptions: ["device_info": other]))
    }

    @Test(arguments: [
        ("handleSVC", JSON.bool(false), UnsupportedCall.handlingBrowser),
        ("handleSVC", .string("true"), .unknownData), ("visitorID", .number(1), .unknownData),
        ("visitorID", .string("a\nb"), .unknownData), ("device_info", .string("not JSON"), .unknownData),
        ("device_info", .array([]), .unknownData),
        ("applicationProfile", .null, .unknownData), ("visitorId", .string("a"), .unknownData),
        ("timeout", .number(3), .unknownData),
    ])
    func `What has no place is refused, and changes nothing`(name: String, value: JSON, reason: UnsupportedCall) {
        var options = SessionOptions()
        var dictionary: [String: JSON] = ["applicationProfile": .string("new")]
        dictionary[name] = value
        #expect(throws: EntitlementFlowError.unsupported(reason)) { try options.adopt(legacyOptions: dictionary) }
        #expect(options.profile == nil)
    }
}
#endif
