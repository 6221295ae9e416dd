import BrokerMessages
import Testing

@Suite struct DeviceIdentifierTests {
    private static let uuid = "6b1d7f0e-3f8c-4f0a-9b52-7a1c2d3e4f50"
    private static let header = "fingerprint NmIxZDdmMGUtM2Y4Yy00ZjBhLTliNTItN2ExYzJkM2U0ZjUw"

    @Test func `An identifier is sent as a fingerprint`() throws {
        let identifier = try DeviceIdentifier(Self.uuid)
        #expect(DeviceIdentifier.name == "AP-Device-Identifier")
        #expect(identifier.headerValue == Self.header)
        #expect(try DeviceIdentifier(headerValue: Self.header) == identifier)
    }

    @Test(arguments: [
        "fingerprint  NmIx", "Fingerprint NmIx", "FINGERPRINT NmIx", "fingerprint NmIx",
    ])
    func `The type is read in any case and with several spaces`(_ value: String) throws {
        #expect(try DeviceIdentifier(headerValue: value).text == "6b1")
    }

    @Test(arguments: [
        ("w7_Dvw==", "\u{FF}\u{FF}"), ("w7_Dvw", "\u{FF}\u{FF}"), ("w7/Dvw==", "\u{FF}\u{FF}"),
    ])
    func `Both alphabets are read with and without padding`(_ encoded: String, _ text: String) throws {
        #expect(try DeviceIdentifier(headerValue: "fingerprint \(encoded)").text == text)
    }

    @Test func `A hash is the SHA-256 of the text`() throws {
        // The digest of "abc" is the first example of FIPS 180-4.
        let identifier = try DeviceIdentifier(hashing: "abc")
        #expect(identifier.text == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            try refusal { () throws(BrokerHeaderError) in try DeviceIdentifier(hashing: "") }.code == "header_empty")
    }

    @Test(arguments: [
        ("", "header_empty"), ("a\nb", "header_unexpected_character"), ("a\0b", "header_unexpected_character"),
        ("a\u{7F}", "header_unexpected_character"), (String(repeating: "x", count: 513), "header_too_long"),
    ])
    func `Bad text is refused`(_ text: String, _ code: String) throws {
        #expect(try refusal { () throws(BrokerHeaderError) in try DeviceIdentifier(text) }.code == code)
    }

    @Test(arguments: [
        ("", "header_empty"), ("fingerprint", "header_unexpected_form"), ("fingerprint ", "header_empty"),
        ("uuid NmIx", "header_unexpected_form"), ("fingerprintNmIx", "header_unexpected_form"),
        ("fingerprint\tNmIx", "header_unexpected_form"), ("fingerprint NmIxZ", "header_not_base64"),
        ("fingerprint Nm Ix", "header_not_base64"), ("fingerprint NmIx\n", "header_not_base64"),
        ("fingerprint NmJ=", "header_not_base64"), ("fingerprint /w==", "header_unexpected_form"),
        ("fingerprint AA==", "header_unexpected_form"), ("fingerprint Cg==", "header_unexpected_character"),
        ("fingerprint " + String(repeating: "QUFB", count: 300), "header_too_long"),
        ("fingerprint " + String(repeating: "QUFB", count: 170) + "QUFBQQ==", "header_too_long"),
    ])
    func `Bad headers are refused`(_ value: String, _ code: String) throws {
        let error = try refusal { () throws(BrokerHeaderError) in try DeviceIdentifier(headerValue: value) }
        #expect(error.code == code)
        #expect(error.header == "AP-Device-Identifier")
    }

    @Test func `The longest identifier is sent and read`() throws {
        let identifier = try DeviceIdentifier(String(repeating: "x", count: DeviceIdentifier.maximumLength))
        #expect(try DeviceIdentifier(headerValue: identifier.headerValue) == identifier)
    }

    @Test func `Neither description nor error shows the identifier`() throws {
        expectRedacted(try DeviceIdentifier(Self.uuid), hiding: Self.uuid, "6b1d")
        let error = try refusal { () throws(BrokerHeaderError) in try DeviceIdentifier("secret-\n") }
        #expect(error == .unexpectedCharacter(header: "AP-Device-Identifier", offset: 7))
        #expect(!"\(error)".contains("secret"))
        #expect("\(error)".contains("AP-Device-Identifier"))
    }
}
