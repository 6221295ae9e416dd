import EntitlementValues
import MetadataDecryption
import ServiceResponses
import Testing

/// Attributes are read by their types, and malformed ones keep their text.
@Suite struct UserMetadataTests {
    @Test func `Plain attributes are typed by their definition`() throws {
        let user = try Fixtures.attributes(
            #"""
            "userID":{"value":"subject-0001","state":"plain"},
            "householdID":{"value":"house-1","state":"plain"},
            "upstreamUserID":{"value":"up-1","state":"plain"},
            "zip":{"value":["77754","12345"],"state":"plain"},
            "channelID":{"value":["one","two"],"state":"plain"},
            "hba_status":{"value":"true","state":"plain"},
            "allowMirroring":{"value":false,"state":"plain"},
            "is_hoh":{"value":"1","state":"plain"},
            "language":{"value":"en","state":"plain"},
            "maxRating":{"value":{"MPAA":"PG-13","VCHIP":"TV-Y","URL":"https://r.example/"},"state":"plain"}
            """#)
        #expect(try user.userID == "subject-0001")
        #expect(try user.householdID == "house-1")
        #expect(try user.upstreamUserID == "up-1")
        #expect(try user.zip == ["77754", "12345"])
        #expect(try user.channelIDs == ["one", "two"])
        #expect(try user.hbaStatus == true)
        #expect(try user.allowMirroring == false)
        #expect(try user.isHeadOfHousehold == true)
        #expect(try user.language == "en")
        let rating = try #require(try user.maxRating)
        #expect(rating.mpaa == "PG-13" && rating.vchip == "TV-Y" && rating.url == "https://r.example/")
        #expect(user.entries.count == 10)
    }

    @Test func `What is not there is nil`() throws {
        let user = try Fixtures.attributes("")
        #expect(try user.zip == nil)
        #expect(try user.maxRating == nil)
        #expect(try user.value("absent") == nil)
        #expect(user.entries.isEmpty)
    }

    @Test(arguments: [
        (#""77754""#, ["77754"]), (#"["77754"]"#, ["77754"]), (#""[\"77754\", \"1\"]""#, ["77754", "1"]),
        (#""77754, 12345""#, ["77754", "12345"]), (#"[77754, 1.50]"#, ["77754", "1.50"]), ("[]", []),
        (#""\"77754\"""#, ["77754"]), (#"" 77754 ""#, ["77754"]), (#""7775\u0034""#, ["77754"]),
    ])
    func `ZIP is a list however it comes`(value: String, expected: [String]) throws {
        let user = try Fixtures.attributes(#""zip":{"value":\#(value),"state":"plain"}"#)
        #expect(try user.zip == expected)
    }

    @Test(arguments: [
        "true", "7", #"{"a":"77754"}"#, #"["77754",null]"#, #""[\"77754\"""#, #""""#, #""77754,""#, #""{}""#, "[[]]",
    ])
    func `What is not a list keeps its text`(value: String) throws {
        let user = try Fixtures.attributes(#""zip":{"value":\#(value),"state":"plain"}"#)
        #expect(throws: AttributeError.otherShape(.list)) { try user.zip }
        #expect(user["zip"]?.json?.text == value)
        let attribute = try #require(try user.value("zip"))
        #expect(value.first == "\"" || attribute.text == value)
    }

    @Test(arguments: [
        ("true", true), (#""true""#, true), (#""1""#, true), ("1", true), (#""TRUE""#, true), ("false", false),
        (#""false""#, false), (#""0""#, false), ("0", false), (#"" true ""#, true),
    ])
    func `Bools come in several spellings`(value: String, expected: Bool) throws {
        for name in ["hba_status", "allowMirroring", "is_hoh"] {
            let user = try Fixtures.attributes(#""\#(name)":{"value":\#(value),"state":"plain"}"#)
            #expect(try user.boolean(MetadataAttribute(name)) == expected)
        }
    }

    @Test(arguments: [#""yes""#, #""""#, "2", "1.0", "[true]", #""on""#])
    func `Other spellings are not bools`(value: String) throws {
        let user = try Fixtures.attributes(#""hba_status":{"value":\#(value),"state":"plain"}"#)
        #expect(throws: AttributeError.otherShape(.boolean)) { try user.hbaStatus }
    }

    @Test func `A rating may come as text of an object`() throws {
        let user = try Fixtures.attributes(
            #""maxRating":{"value":"{\"MPAA\":\"R\",\"VCHIP\":7,\"more\":null}","state":"plain"}"#)
        let rating = try #require(try user.maxRating)
        #expect(rating.mpaa == "R" && rating.vchip == nil && rating.url == nil)
        #expect(rating.unknownFields.map(\.name) == ["VCHIP", "more"])
        #expect(rating.unknownFields.map(\.value.text) == ["7", "null"])
    }

    @Test func `Unknown attributes keep their JSON`() throws {
        let user = try Fixtures.attributes(
            #""new":{"value":{"a": [1.50, "\u00e9"]},"state":"plain"},"n":{"value":1e400,"state":"plain"}"#)
        #expect(user.entries.map(\.name) == ["new", "n"])
        #expect(user["new"]?.json?.text == #"{"a": [1.50, "\u00e9"]}"#)
        #expect(try user.value("n")?.text == "1e400")
        #expect(try user.value("n")?.content == .number("1e400"))
        let content = try #require(try user.value("new")).content
        guard case .object(let fields) = content else { throw Failure("not an object") }
        #expect(fields.map(\.name) == ["a"])
    }

    @Test(arguments: ["enc", "encrypted", "ENC", "Encrypted"])
    func `Every spelling of encrypted is read`(state: String) throws {
        let user = try Fixtures.attributes(#""zip":{"value":"AAAA","state":"\#(state)"}"#)
        #expect(user["zip"]?.state == .encrypted)
        #expect(throws: AttributeError.encrypted) { try user.zip }
    }

    @Test(arguments: ["plain", "PLAIN", "Plain"])
    func `Every spelling of plain is read`(state: String) throws {
        let user = try Fixtures.attributes(#""zip":{"value":"AAAA","state":"\#(state)"}"#)
        #expect(try user.zip == ["AAAA"])
    }

    @Test(arguments: [
        #""""#, #"" plain""#, #""plain ""#, #""clear""#, #""decrypted""#, "null", "true", #"["plain"]"#, "0",
        #""pla\u0131n""#, #""p\u200blain""#,
    ])
    func `Unknown state is never plain`(state: String) throws {
        let user = try Fixtures.attributes(#""zip":{"value":["77754"],"state":\#(state)}"#)
        #expect(throws: AttributeError.unknownState) { try user.zip }
        #expect(user["zip"]?.state == nil)
        #expect(user["zip"]?.json?.text == #"["77754"]"#)
    }

    @Test func `Missing state is never plain`() throws {
        let user = try Fixtures.attributes(#""zip":{"value":["77754"]}"#)
        #expect(throws: AttributeError.unknownState) { try user.zip }
    }

    @Test(arguments: [#""77754""#, #"["77754"]"#, "null", "{}", "7", #"{"state":"plain"}"#, #"{"state":"new"}"#])
    func `What is no object with a value is malformed`(attribute: String) throws {
        let user = try Fixtures.attributes(#""zip":\#(attribute)"#)
        #expect(throws: AttributeError.malformed) { try user.zip }
    }

    @Test func `Null is nothing`() throws {
        let user = try Fixtures.attributes(#""zip":{"value":null,"state":"plain"}"#)
        #expect(try user.zip == nil)
        #expect(try user["zip"]?.value.get().content == .null)
        #expect(user["zip"]?.json?.text == "null")
    }

    @Test func `One broken attribute leaves the others`() throws {
        let user = try Fixtures.attributes(
            #"""
            "a":{"value":"1","state":"?"},"b":{"state":"plain"},"c":{"value":7,"state":"enc"},"d":null,
            "e":{"value":null,"state":"enc"},"f":{"value":null,"state":"plain"},
            "userID":{"value":"subject-0001","state":"plain"}
            """#)
        #expect(try user.userID == "subject-0001")
        let codes = user.entries.map { entry -> String in
            if case .failure(let error) = entry.value { error.code } else { "" }
        }
        #expect(
            codes == [
                "unknown_state", "bad_attribute", "encrypted_not_text", "bad_attribute", "encrypted_not_text", "", "",
            ])
    }

    @Test func `Only values marked plain can look encrypted`() throws {
        let user = try Fixtures.attributes(
            #"""
            "userID":{"value":"\#(Encrypted.bareZip)","state":"plain"},
            "zip":{"value":"\#(Encrypted.bareZip)","state":"enc"},
            "householdID":{"value":"QUJD","state":"plain"}
            """#)
        #expect(try user.userID == Encrypted.bareZip)
        #expect(user.entries.map(\.looksEncrypted) == [true, false, false])
    }

    @Test func `Look-alike names are other attributes`() throws {
        let user = try Fixtures.attributes(
            #""Zip":{"value":"1","state":"plain"},"e\u0301":{"value":"1","state":"plain"}"#)
        #expect(user["zip"] == nil)
        #expect(user["\u{E9}"] == nil)
        #expect(user["e\u{301}"] != nil)
    }
}

struct Failure: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
