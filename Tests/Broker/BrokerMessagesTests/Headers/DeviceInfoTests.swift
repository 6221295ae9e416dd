import BrokerMessages
import EntitlementValues
import ServiceResponses
import TextCodecs
import Testing

@Suite struct DeviceInfoTests {
    private static func encoded(_ json: String) -> String { Base64.encode(Array(json.utf8)) }

    private static let complete: KeyValuePairs<DeviceInfo.Key, DeviceInfo.Value> = [
        .model: "TV-1000", .version: "2", .osName: "Linux", .osVersion: "4.4", .connectionType: "LAN",
        .primaryHardwareType: "TV", .manufacturer: "Example", .vendor: "Example", .osFamily: "Linux",
        .osVendor: "Google", .browserName: "Chrome", .browserVendor: "Google", .browserVersion: "120.0",
        .userAgent: "Example/1", .displayWidth: 1920, .displayHeight: 1080, .displayPpi: 40,
        .diagonalScreenSize: 54.6, .connectionIP: "203.0.113.7", .connectionPort: 53124,
        .connectionSecure: "true", .applicationID: "REF30",
    ]

    // MARK: Writing

    @Test func `Information is sent as Base64 of an object`() throws {
        let info = try DeviceInfo([.model: "TV-1000", .displayWidth: 1920, .diagonalScreenSize: 5.5])
        #expect(DeviceInfo.name == "X-Device-Info")
        #expect(info.json == #"{"model":"TV-1000","displayWidth":1920,"diagonalScreenSize":5.5}"#)
        #expect(info.headerValue == Self.encoded(info.json))
        #expect(info.headerValue.utf8.allSatisfy { 0x21...0x7E ~= $0 })
    }

    @Test func `Every documented key is sent and read`() throws {
        let info = try DeviceInfo(Self.complete)
        let names = [
            "model", "version", "osName", "osVersion", "connectionType", "primaryHardwareType", "manufacturer",
            "vendor", "osFamily", "osVendor", "browserName", "browserVendor", "browserVersion", "userAgent",
            "displayWidth", "displayHeight", "displayPpi", "diagonalScreenSize", "connectionIp", "connectionPort",
            "connectionSecure", "applicationId",
        ]
        #expect(info.fields.map(\.name) == names)
        #expect(try DeviceInfo(headerValue: info.headerValue) == info)
        #expect(info.warnings == [])
        #expect(info[.displayWidth] == "1920")
        #expect(info[.diagonalScreenSize] == "54.6")
        #expect(info.hardwareType == .tv)
    }

    @Test func `Members are changed, added and removed`() throws {
        let info = try DeviceInfo([.model: "A", .version: "1"])
        #expect(try info.setting(.model, to: "B").json == #"{"model":"B","version":"1"}"#)
        #expect(try info.setting(.osName, to: "Linux").json == #"{"model":"A","version":"1","osName":"Linux"}"#)
        #expect(try info.setting(.model, to: nil).json == #"{"version":"1"}"#)
        #expect(try info.setting(.osName, to: nil) == info)
    }

    @Test func `What the device says of its connection is replaced`() throws {
        let said = try DeviceInfo(
            headerValue: Self.encoded(
                #"{"connectionIp":"198.51.100.9","connectionPort":"1","connectionSecure":true,"model":"A"}"#))
        let address = try ClientAddress("203.0.113.7")
        let replaced = try said.connected(from: address, port: 53124, isSecure: false)
        #expect(replaced[.connectionIP] == "203.0.113.7")
        #expect(replaced[.connectionPort] == "53124")
        #expect(replaced[.connectionSecure] == "false")
        #expect(replaced[.model] == "A")
        #expect(try said.connected(from: nil).json == #"{"model":"A"}"#)
    }

    @Test func `Bad members are not sent`() throws {
        let model = DeviceInfo.Key.model
        func code(_ values: KeyValuePairs<DeviceInfo.Key, DeviceInfo.Value>) throws -> String {
            try refusal { () throws(BrokerHeaderError) in try DeviceInfo(values) }.code
        }
        #expect(try code([.model: "A", .model: "B"]) == "header_bad_member")
        #expect(try code([.model: "A\r\nB"]) == "header_bad_member")
        #expect(try code(["": "A"]) == "header_bad_member")
        #expect(try code(["a\nb": "A"]) == "header_bad_member")
        #expect(try code([.displayPpi: .decimal(.nan)]) == "header_bad_member")
        #expect(try code([.displayPpi: .decimal(-.infinity)]) == "header_bad_member")
        #expect(try code([.userAgent: .text(String(repeating: "x", count: 4096))]) == "header_too_long")
        #expect(
            try refusal { () throws(BrokerHeaderError) in
                try DeviceInfo([.model: "A"]).setting(model, to: .text(String(repeating: "x", count: 4096)))
            }.code == "header_too_long")
    }

    @Test func `Only so many members are taken`() throws {
        let members = (0..<65).map { "\"k\($0)\":1" }
        #expect(try DeviceInfo(json: "{\(members.dropLast().joined(separator: ","))}").fields.count == 64)
        let error = try refusal { () throws(BrokerHeaderError) in
            try DeviceInfo(json: "{\(members.joined(separator: ","))}")
        }
        #expect(error.code == "header_bad_member")
    }

    // MARK: Reading

    @Test func `Unknown members are kept as they were sent`() throws {
        let json = #"{"model":"A","x":{"y":[1,null]},"z":1.50,"w":true,"n":null}"#
        let info = try DeviceInfo(headerValue: Self.encoded(json))
        #expect(info.json == json)
        #expect(info[.init("z")] == "1.50")
        #expect(info[.init("w")] == nil)
        #expect(
            info.warnings.filter { if case .wrongType = $0 { true } else { false } }
                == [.wrongType("x"), .wrongType("w"), .wrongType("n")])
    }

    @Test func `A pretty-printed object is read`() throws {
        let info = try DeviceInfo(headerValue: Self.encoded("{\n \"model\" : \"A\",\n \"displayWidth\" : 320\n}\n"))
        #expect(info.json == #"{"model":"A","displayWidth":320}"#)
    }

    @Test func `A type is read as the hardware type`() throws {
        let info = try DeviceInfo(json: #"{"type":"MobilePhone","model":"iPhone"}"#)
        #expect(info.hardwareType == .mobilePhone)
        #expect(info.warnings.contains(.typeInsteadOfHardwareType))
        #expect(info.json == #"{"primaryHardwareType":"MobilePhone","model":"iPhone"}"#)
        #expect(try DeviceInfo(headerValue: info.headerValue) == info)
        #expect(try DeviceInfo(json: info.json).warnings.contains(.typeInsteadOfHardwareType) == false)
    }

    @Test func `A type beside the hardware type is an unknown member`() throws {
        let json = #"{"type":"Phone","primaryHardwareType":"Tablet"}"#
        let info = try DeviceInfo(json: json)
        #expect(info.hardwareType == .tablet)
        #expect(info.json == json)
        #expect(!info.warnings.contains(.typeInsteadOfHardwareType))
    }

    @Test func `Missing and undocumented values are warnings`() throws {
        let info = try DeviceInfo(json: #"{"model":"","osName":"ios","connectionSecure":"yes","osVersion":17}"#)
        #expect(info.missing == [.model, .version, .connectionType])
        #expect(
            info.warnings == [
                .missing(.model), .missing(.version), .missing(.connectionType), .undocumentedValue(.osName),
                .undocumentedValue(.connectionSecure),
            ])
        #expect(
            info.warnings.map(\.code) == [
                "device_info_missing", "device_info_missing", "device_info_missing", "device_info_undocumented_value",
                "device_info_undocumented_value",
            ])
        #expect(info.warnings.allSatisfy { !"\($0)".contains("yes") && !"\($0)".isEmpty })
    }

    @Test(arguments: HardwareType.documented)
    func `Documented hardware types are no warning`(_ type: HardwareType) throws {
        let info = try DeviceInfo([.primaryHardwareType: .text(type.rawValue)])
        #expect(!info.warnings.contains(.undocumentedValue(.primaryHardwareType)))
        let other = try DeviceInfo([.primaryHardwareType: .text(type.rawValue + " ")])
        #expect(other.warnings.contains(.undocumentedValue(.primaryHardwareType)))
    }

    /// The header that the reference repeats on every page has no comma after `osName`.
    @Test func `An object without a comma is refused`() throws {
        let json = "{\n\t\"model\": \"TV\",\n\t\"osName\": \"tvOS\"\n\t\"osVersion\": \"11.0\"\n}"
        let error = try refusal { () throws(BrokerHeaderError) in
            try DeviceInfo(headerValue: Self.encoded(json))
        }
        #expect(error.code == "header_not_json")
    }

    @Test(arguments: [
        ("", "header_empty"), ("e30", nil), ("e30=\n", "header_not_base64"), ("{}", "header_not_base64"),
        ("W10=", "header_not_json"), ("eyJhIjoxLCJhIjoyfQ==", "header_not_json"), ("/w==", "header_unexpected_form"),
        (String(repeating: "A", count: 6000), "header_too_long"),
    ])
    func `Bad headers are refused`(_ value: String, _ code: String?) throws {
        guard let code else {
            #expect(try DeviceInfo(headerValue: value).fields.isEmpty)
            return
        }
        #expect(try refusal { () throws(BrokerHeaderError) in try DeviceInfo(headerValue: value) }.code == code)
    }

    @Test(arguments: [
        #"{"model":"a\u0000"}"#, #"{"model":"a\nb"}"#, #"{"a\r":"b"}"#, #"{"":"b"}"#, #"{"model":"\ud800"}"#,
    ])
    func `Control characters are refused`(_ json: String) throws {
        let error = try refusal { () throws(BrokerHeaderError) in try DeviceInfo(json: json) }
        #expect(["header_bad_member", "header_not_json"].contains(error.code))
    }

    @Test func `A byte order mark before the JSON is dropped, and not sent`() throws {
        let info = try DeviceInfo(json: "\u{FEFF}" + #"{"model":"TV-1"}"#)
        #expect(info[.model] == "TV-1" && info.json == #"{"model":"TV-1"}"#)
    }

    @Test func `Deep nesting is refused`() throws {
        let json = "{\"a\":" + String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000) + "}"
        #expect(try refusal { () throws(BrokerHeaderError) in try DeviceInfo(json: json) }.code == "header_not_json")
    }

    @Test func `Values are not shown`() throws {
        let info = try DeviceInfo([.model: "SECRET-1", .connectionIP: "203.0.113.7"])
        expectRedacted(info, hiding: "SECRET-1", "203.0.113.7")
        let error = try refusal { () throws(BrokerHeaderError) in try DeviceInfo(json: #"{"model":"SECRET-1\n"}"#) }
        #expect(!"\(error)".contains("SECRET"))
        #expect("\(error)".contains("model"))
    }
}
