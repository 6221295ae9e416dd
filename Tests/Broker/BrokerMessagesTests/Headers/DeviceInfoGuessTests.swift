import BrokerMessages
import TestVectors
import Testing

@Suite struct DeviceInfoGuessTests {
    private typealias Guess = DeviceInfo.Guess

    private func hints(_ headers: [String: String]) -> ClientHints { ClientHints { headers[$0] } }

    // MARK: User agents

    @Test(arguments: UserAgentCase.all)
    func `Platforms are known by their user agent`(_ agent: UserAgentCase) {
        let guess = Guess(userAgent: agent.text)
        #expect(guess.info.hardwareType == agent.type)
        #expect(guess.info[.model] == agent.model)
        #expect(guess.info[.osName] == agent.osName)
        #expect(guess.info[.osVersion] == agent.osVersion)
        #expect(guess.info[.browserName] == agent.browser)
        #expect(Set(guess.uncertain) == agent.uncertain)
        #expect(guess.info[.userAgent] == (agent.text.isEmpty ? nil : agent.text))
    }

    @Test(arguments: UserAgentCase.all)
    func `Only documented names are guessed and what is missing is said`(_ agent: UserAgentCase) throws {
        let guess = Guess(userAgent: agent.text)
        #expect(guess.info.warnings == guess.info.missing.map { .missing($0) })
        #expect(Set(guess.info.missing).isSubset(of: Set(guess.unknown)))
        #expect(guess.unknown.contains(.primaryHardwareType) == (agent.type == nil))
        // No request says how its device is connected.
        #expect(guess.unknown.contains(.connectionType))
        #expect(try DeviceInfo(headerValue: guess.info.headerValue) == guess.info)
    }

    @Test func `The version of a browser and of a model are told`() {
        let agent = "Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko"
        #expect(Guess(userAgent: agent).info[.browserVersion] == "11.0")
        #expect(Guess(userAgent: "AppleTV11,1/16.1").info[.version] == "11,1")
    }

    // MARK: Connection

    @Test func `The connection is told`() throws {
        let guess = Guess(
            userAgent: nil, address: try ClientAddress("203.0.113.7"), port: 53124, isSecure: true)
        #expect(guess.info.json == #"{"connectionIp":"203.0.113.7","connectionPort":53124,"connectionSecure":"true"}"#)
        #expect(guess.unknown == DeviceInfo.Key.required + [.primaryHardwareType])
        #expect(Guess(userAgent: nil).info.fields.isEmpty)
    }

    // MARK: Client hints

    @Test func `Hints say what the user agent no longer says`() {
        let agent =
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36"
        let guess = Guess(
            userAgent: agent,
            clientHints: hints([
                "Sec-CH-UA-Platform": "\"Android\"", "Sec-CH-UA-Platform-Version": "\"14.0.0\"",
                "Sec-CH-UA-Model": "\"Pixel 8\"", "Sec-CH-UA-Mobile": "?1",
            ]))
        #expect(guess.info[.model] == "Pixel 8")
        #expect(guess.info[.osVersion] == "14.0.0")
        #expect(guess.info.hardwareType == .mobilePhone)
        #expect(guess.uncertain == [])
        #expect(guess.unknown == [.version, .connectionType])
    }

    @Test(arguments: [
        ("15.0.0", "11"), ("13.0.0", "11"), ("10.0.0", "10"), ("1.0.0", "10"), ("0.3.0", "10.0"), ("x", "10.0"),
    ])
    func `Windows is told by its contract`(_ version: String, _ expected: String) {
        let agent =
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36"
        let guess = Guess(
            userAgent: agent,
            clientHints: hints([
                "Sec-CH-UA-Platform": "\"Windows\"", "Sec-CH-UA-Platform-Version": "\"\(version)\"",
            ]))
        #expect(guess.info[.osVersion] == expected)
        #expect(guess.uncertain.contains(.osVersion) == (expected == "10.0"))
    }

    @Test func `A telephone that asks for desktop pages is known by its hints`() {
        let agent =
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36"
        let guess = Guess(
            userAgent: agent,
            clientHints: hints([
                "Sec-CH-UA-Platform": "\"Android\"", "Sec-CH-UA-Mobile": "?0", "Sec-CH-UA-Form-Factors": "\"Mobile\"",
            ]))
        #expect(guess.info[.osName] == "Android")
        #expect(guess.info.hardwareType == .mobilePhone)
        #expect(guess.uncertain == [])
    }

    @Test func `What is not mobile may still be a television set`() {
        let guess = Guess(
            userAgent: nil,
            clientHints: hints([
                "Sec-CH-UA-Platform": "\"Android\"", "Sec-CH-UA-Mobile": "?0",
            ]))
        #expect(guess.info.hardwareType == .tablet)
        #expect(guess.uncertain == [.primaryHardwareType])
    }

    @Test func `A console is not taken for a computer`() {
        let agent =
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Safari/537.36 Edg/119.0.0.0"
        let guess = Guess(
            userAgent: agent,
            clientHints: hints([
                "Sec-CH-UA-Platform": "\"Windows\"", "Sec-CH-UA-Mobile": "?0", "Sec-CH-UA-Form-Factors": "\"Desktop\"",
            ]))
        #expect(guess.info.hardwareType == .gamesConsole)
        #expect(guess.info[.model] == "Xbox One")
    }

    @Test(arguments: [
        "Android", "\"", "\"\"", "\"Android", "\"And\nroid\"", "\"" + String(repeating: "A", count: 65) + "\"", "?1",
    ])
    func `Hints of another form are missing`(_ value: String) {
        let hints = hints(["Sec-CH-UA-Platform": value, "Sec-CH-UA-Mobile": value + "0"])
        #expect(hints.platform == nil)
        #expect(hints.isMobile == nil)
    }

    @Test func `The first string of a list is taken`() {
        #expect(hints(["Sec-CH-UA-Form-Factors": "\"Tablet\", \"Desktop\""]).formFactor == "Tablet")
        #expect(hints(["Sec-CH-UA-Model": #""a\"b\\c""#]).model == #"a"b\c"#)
        expectRedacted(hints(["Sec-CH-UA-Model": "\"Pixel 8\""]), hiding: "Pixel")
    }

    // MARK: Hostile texts

    @Test(arguments: ["a\r\nX-Injected: 1", "Mozilla/5.0 (iPhone\u{0})", "Mozilla/5.0 (iPhone; ä)", "\u{7F}"])
    func `A text that no device sends says nothing`(_ agent: String) {
        #expect(Guess(userAgent: agent).info.fields.isEmpty)
    }

    @Test func `A long text costs no more than its start`() throws {
        let start = "Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X)"
        let guess = Guess(userAgent: start + String(repeating: " x(;", count: 1_000_000))
        #expect(guess.info[.osName] == "iOS")
        // Too long to be sent on.
        #expect(guess.info[.userAgent] == nil)
        #expect(guess.info.headerValue.utf8.count < 1000)
        #expect(Guess(userAgent: String(repeating: "x", count: 10_000) + "iPhone").info[.osName] == nil)
    }

    @Test func `Hostile texts give information that can be sent`() throws {
        let texts = ["Android ", "(((((", "; ; ; ; ", "Version/", "AFT; ", "\"\\", "Build/", "AppleTV"].map {
            String(String(repeating: $0, count: 300).prefix(512))
        }
        var guesses: [Guess] = []
        timed("guesses from \(texts.count) hostile texts") { guesses = texts.map { Guess(userAgent: $0) } }
        for guess in guesses { #expect(try DeviceInfo(headerValue: guess.info.headerValue) == guess.info) }
    }

    @Test(arguments: 0..<4)
    func `Any text gives information that can be sent`(_ seed: UInt64) throws {
        var random = Noise(seed: seed)
        let agents = UserAgentCase.all.map { Array($0.text.utf8) }.filter { !$0.isEmpty }
        for _ in 0..<300 {
            var bytes = agents.randomElement(using: &random) ?? []
            let other = agents.randomElement(using: &random) ?? []
            bytes.insert(
                contentsOf: other.shuffled(using: &random).prefix(40),
                at: Int.random(in: 0...bytes.count, using: &random))
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
            let guess = Guess(userAgent: String(decoding: bytes, as: UTF8.self))
            #expect(try DeviceInfo(headerValue: guess.info.headerValue) == guess.info)
        }
    }
}
