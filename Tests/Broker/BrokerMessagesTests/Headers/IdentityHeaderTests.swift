import BrokerMessages
import Testing

/// The headers that may lead to a person: the visitor, the user of temporary access, and the program.
@Suite struct IdentityHeaderTests {
    // MARK: Visitor

    @Test func `A visitor is sent without quotes and read with them`() throws {
        let visitor = try VisitorIdentifier("20265673158980419722735089753036633573")
        #expect(VisitorIdentifier.name == "AP-Visitor-Identifier")
        #expect(visitor.headerValue == "20265673158980419722735089753036633573")
        #expect(try VisitorIdentifier(headerValue: visitor.headerValue) == visitor)
        #expect(try VisitorIdentifier(headerValue: "\"20265673158980419722735089753036633573\"") == visitor)
    }

    @Test(arguments: [
        ("", "header_empty"), ("\"\"", "header_empty"), ("\"", "header_unexpected_character"),
        ("a\"b", "header_unexpected_character"), ("a b", "header_unexpected_character"),
        ("a\r\nb", "header_unexpected_character"), ("a\u{0}", "header_unexpected_character"),
        ("ä", "header_unexpected_character"), (String(repeating: "1", count: 257), "header_too_long"),
    ])
    func `Bad visitors are refused`(_ value: String, _ code: String) throws {
        #expect(try refusal { () throws(BrokerHeaderError) in try VisitorIdentifier(headerValue: value) }.code == code)
    }

    // MARK: The program

    @Test func `A user agent is sent as it came`() throws {
        let text = "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128"
        #expect(UserAgent.name == "User-Agent")
        #expect(try UserAgent(headerValue: text).headerValue == text)
        #expect(try UserAgent(headerValue: "x").headerValue == "x")
        let longest = String(repeating: "x", count: UserAgent.maximumLength)
        #expect(try UserAgent(headerValue: longest).headerValue == longest)
    }

    @Test(arguments: [
        ("", "header_empty"), (" ", "header_unexpected_character"), (" a", "header_unexpected_character"),
        ("a ", "header_unexpected_character"), ("a\r\nX-Injected: 1", "header_unexpected_character"),
        ("a\tb", "header_unexpected_character"), ("a\u{0}b", "header_unexpected_character"),
        ("a\u{7F}b", "header_unexpected_character"), ("a\u{85}b", "header_unexpected_character"),
        ("ä", "header_unexpected_character"), (String(repeating: "x", count: 1025), "header_too_long"),
    ])
    func `Bad user agents are refused`(_ value: String, _ code: String) throws {
        #expect(try refusal { () throws(BrokerHeaderError) in try UserAgent(headerValue: value) }.code == code)
    }

    /// Source: what the programs send, each in its first words.
    @Test(arguments: [
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36", true),
        ("Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36", true),
        ("Opera/9.80 (Linux mips; U; HbbTV/1.1.1) Presto/2.10.250 Version/11.60", true),
        ("AppleTV11,1/16.1", false), ("okhttp/4.12.0", false), ("Dalvik/2.1.0 (Linux; U; Android 9; AFTMM)", false),
        ("Roku/DVP-12.5 (12.5.0.4178-88)", false), ("Sample/1 CFNetwork/1490.0.4 Darwin/23.2.0", false),
        ("curl/8.5.0", false), ("swift-tve-tokens/0.2.0", false), ("mozilla/5.0", false), ("Mozilla", false),
        ("", false),
    ])
    func `Browsers are told from other programs`(_ value: String, _ isOfBrowser: Bool) {
        #expect(UserAgent.isOfBrowser(value) == isOfBrowser)
    }

    // MARK: Temporary access

    @Test func `An identity is sent as Base64 of an object`() throws {
        let identity = try TemporaryIdentity("user@example.org")
        #expect(TemporaryIdentity.name == "AP-TempPass-Identity")
        #expect(identity.json == #"{"email":"user@example.org"}"#)
        #expect(identity.headerValue == "eyJlbWFpbCI6InVzZXJAZXhhbXBsZS5vcmcifQ==")
        #expect(try TemporaryIdentity(headerValue: identity.headerValue) == identity)
        #expect(try TemporaryIdentity("+1 555", as: "phone").json == #"{"phone":"+1 555"}"#)
    }

    @Test func `The text of an identity never changes`() throws {
        let json = "{ \"email\":\t\"user\\u0040example.org\" ,\n\"n\" : 1.0 }"
        let identity = try TemporaryIdentity(json: json)
        #expect(identity.json == json)
        #expect(try TemporaryIdentity(headerValue: identity.headerValue).json == json)
    }

    @Test func `A hashed identity is the same each time and says nothing`() throws {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(try TemporaryIdentity(hashing: "abc").json == #"{"email":"\#(digest)"}"#)
        #expect(try TemporaryIdentity(hashing: "abc") == TemporaryIdentity(hashing: "abc"))
        // The example of the operator's documents.
        let documented = "f7ee5ec7312165148b69fcca1d29075b14b8aef0b5048a332b18b88d09069fb7"
        #expect(try TemporaryIdentity(hashing: "user@domain.com").json == #"{"email":"\#(documented)"}"#)
        #expect(try TemporaryIdentity(hashing: "ABC") != TemporaryIdentity(hashing: "abc"))
    }

    @Test(arguments: [
        ("", "header_empty"), ("[]", "header_not_json"), ("\"a\"", "header_not_json"), ("{", "header_not_json"),
        ("{\"a\":1,\"a\":2}", "header_not_json"), ("{} {}", "header_not_json"), ("{\"a\":\"\n\"}", "header_not_json"),
        ("{\"a\":\"" + String(repeating: "x", count: 1017) + "\"}", "header_too_long"),
    ])
    func `Bad identities are refused`(_ json: String, _ code: String) throws {
        let error = try refusal { () throws(BrokerHeaderError) in try TemporaryIdentity(json: json) }
        #expect(error.code == code)
    }

    @Test(arguments: [
        ("", "header_empty"), ("e30", nil), ("e30=", nil), ("e3 0=", "header_not_base64"), ("?", "header_not_base64"),
    ])
    func `Base64 of identities is checked`(_ value: String, _ code: String?) throws {
        guard let code else {
            #expect(try TemporaryIdentity(headerValue: value).json == "{}")
            return
        }
        #expect(try refusal { () throws(BrokerHeaderError) in try TemporaryIdentity(headerValue: value) }.code == code)
    }

    @Test func `An empty value is not an identity`() throws {
        #expect(try refusal { () throws(BrokerHeaderError) in try TemporaryIdentity("") }.code == "header_empty")
        #expect(
            try refusal { () throws(BrokerHeaderError) in try TemporaryIdentity(hashing: "") }.code == "header_empty")
    }

    @Test func `People are not shown`() throws {
        expectRedacted(try VisitorIdentifier("20265673"), hiding: "20265673")
        expectRedacted(try UserAgent(headerValue: "Sample/1 (TV)"), hiding: "Sample", "TV")
        expectRedacted(try TemporaryIdentity("user@example.org"), hiding: "user@", "eyJlbWFp")
        let error = try refusal { () throws(BrokerHeaderError) in try TemporaryIdentity(json: "{\"user@\":1,\"b\"}") }
        #expect(!"\(error)".contains("user@"))
    }
}
