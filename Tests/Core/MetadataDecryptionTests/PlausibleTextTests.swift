import EntitlementValues
import MetadataDecryption
import OpenSSLBridge
import TestVectors
import Testing

@Suite struct PlausibleTextTests {
    static let certain: [(MetadataAttribute?, String)] = [
        (nil, "a text of sixteen"), (nil, "ZoëZoëZoëZoëZoë"),
        (.zip, "77754"), (.zip, "77754-1234"), (.zip, "777541234"), (.zip, "02134"), (.zip, "K1A 0B1"),
        (.zip, "K1A0B1"), (.zip, "SW1A 1AA"), (.zip, "1234 AB"), (.zip, "77754,10001"), (.zip, "77754, 10001"),
        (.zip, "[\"77754\"]"), (.zip, "[ \"77754\",\n\"K1A 0B1\" ]"), (.zip, "[77754]"), (.zip, "[]"),
        (.zip, "\"77754\""), (.zip, "[\"\\u0037\\u0037754\"]"), (.zip, "\n[\"77754\"]\n"), (.zip, " 77754 "),
        (.channelID, "[\"TNT\",\"TBS\"]"), (.channelID, "[1,2]"), (.channelID, "a long channel's name"),
        (.maxRating, "{\"MPAA\":\"PG-13\"}"), (.maxRating, "{}"), (.maxRating, "{\n \"VCHIP\": \"TV-Y7\"\n}"),
        (.hbaStatus, "true"), (.hbaStatus, "false"), (.hbaStatus, "\"true\""), (.hbaStatus, "\"1\""),
        (.allowMirroring, "TRUE"), (.isHeadOfHousehold, "\"0\""),
    ]

    static let fair: [(MetadataAttribute?, String)] = [
        (nil, "12345678"), (nil, "fifteen bytes."), (.userID, "user-1234"), (.channelID, "Channel 5"),
        ("favouriteColour", "[\"azure\""), (.onNet, "12345678"),
    ]

    static let faint: [(MetadataAttribute?, String)] = [
        (nil, "1"), (nil, " "), (nil, "seven 7"), (nil, "€"), (nil, "\u{E000}"), (nil, "\u{10FFFD}"),
        (.hbaStatus, "1"), (.isHeadOfHousehold, "0"), (.channelID, "TNT"), (.zip, "K1A"), (.zip, "77754,K1A"),
        (.zip, "K1A 0"),
        (.userID, "0"), (.language, "en"),
    ]

    static let none: [(MetadataAttribute?, String)] = [
        (nil, ""), (nil, "a\u{0}b"), (nil, "a\tb"), (nil, "77754\n"), (nil, "a\u{7F}b"), (nil, "a\u{85}b"),
        (nil, "\u{1B}[1m sixteen bytes"),
        (.zip, ""), (.zip, " "), (.zip, "\n"), (.zip, "77"), (.zip, "abcde"), (.zip, "77754 12345"),
        (.zip, "77754--1234"), (.zip, "-77754"), (.zip, "77754-"), (.zip, "77754,"), (.zip, ",77754"),
        (.zip, "unknown"), (.zip, "777*4"), (.zip, "[\"77754\""), (.zip, "[\"77754\"]x"), (.zip, "[\"77754\",]"),
        (.zip, "['77754']"), (.zip, "{\"zip\":\"77754\"}"), (.zip, "[[\"77754\"]]"), (.zip, "[null]"),
        (.zip, "[\"no digits\"]"), (.zip, "[1]"), (.zip, "[\"\\ud800\"]"), (.zip, "\"77754"), (.zip, "77\u{0}754"),
        (.channelID, "{\"TNT\":1}"), (.channelID, "[{\"TNT\":1}]"), (.channelID, "[\"TNT\""), (.channelID, "a\nb"),
        (.hbaStatus, "maybe"), (.hbaStatus, "2"), (.hbaStatus, "t"), (.hbaStatus, "truer"), (.hbaStatus, "true\n"),
        (.hbaStatus, " true"), (.hbaStatus, "[\"true\"]"), (.hbaStatus, "null"), (.hbaStatus, "\"true"),
        (.hbaStatus, "\"\""), (.hbaStatus, ""), (.hbaStatus, "TRU\u{5}"),
        (.maxRating, "TV-14"), (.maxRating, "[\"TV-14\"]"), (.maxRating, "{\"MPAA\":\"R\""), (.maxRating, "{MPAA:R}"),
        (.maxRating, "{\"MPAA\":\"R\"}}"), (.maxRating, "\"{}\""), (.maxRating, "null"), (.maxRating, ""),
    ]

    @Test(arguments: [
        (Plausibility.certain, certain), (.fair, fair), (.faint, faint), (.none, none),
    ])
    func `Texts are judged by what they are of`(_ expected: Plausibility, _ texts: [(MetadataAttribute?, String)]) {
        for (attribute, text) in texts {
            let bytes = Array(text.utf8)
            let found = PlausibleText(attribute).plausibility(of: bytes.span)
            #expect(found == expected, "\(attribute?.rawValue ?? "any"): \(text.debugDescription)")
        }
    }

    @Test(arguments: [
        [0x80], [0xC3], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
        [0x37, 0x37, 0xFC],
    ])
    func `What is not UTF-8 is no text`(_ bytes: [UInt8]) {
        for attribute in [nil, MetadataAttribute.zip, .channelID, .hbaStatus, .maxRating] {
            #expect(PlausibleText(attribute).plausibility(of: bytes.span) == .none)
        }
    }

    /// All characters of the first plane, and the ends of the others.
    @Test func `Every character is judged by what it is`() {
        let ends = (1...16).flatMap { plane in (plane << 16 | 0xFFF0)...(plane << 16 | 0xFFFF) }
        for value in Array(0x20...0xFFFF) + ends {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            let isText = !(0x7F..<0xA0 ~= value) && !scalar.properties.isNoncharacterCodePoint
            for text in ["\(scalar)", "\u{BFBF}\(scalar)\u{1FFBF}", "a\(scalar)b"] {
                let bytes = Array(text.utf8)
                let isFound = PlausibleText(nil).plausibility(of: bytes.span) != .none
                if isFound != isText { Issue.record("U+\(String(value, radix: 16))") }
            }
        }
    }

    /// Implicit rejection yields random bytes of every length up to the maximum for a wrong key.
    @Test func `Random bytes are rarely plausible`() {
        var noise = Noise(seed: 1)
        var counts: [Plausibility: Int] = [:]
        var shaped = 0
        for _ in 0..<60_000 {
            let bytes = noise.bytes(Int(noise.next() % 246))
            counts[PlausibleText(nil).plausibility(of: bytes.span), default: 0] += 1
            for attribute in [MetadataAttribute.zip, .hbaStatus, .maxRating] {
                if PlausibleText(attribute).plausibility(of: bytes.span) != .none { shaped += 1 }
            }
        }
        // Expected are 161 faint, 1 fair, none certain; and 2 for an attribute.
        #expect(110...220 ~= counts[.faint, default: 0])
        #expect(counts[.fair, default: 0] <= 6)
        #expect(counts[.certain, default: 0] == 0)
        #expect(shaped <= 12)
    }
}

@Suite struct TextChoiceTests {
    static func choice(_ attribute: MetadataAttribute?, _ candidates: [String]) -> (text: String?, index: Int?) {
        var choice = TextChoice(PlausibleText(attribute))
        for (index, candidate) in candidates.enumerated() where !choice.isSettled {
            let bytes = Array(candidate.utf8)
            choice.offer(bytes.span, from: index)
        }
        return (choice.chosen?.string, choice.chosen?.keyIndex)
    }

    static let garbage = ["\u{0}", "", "\u{1}\u{2}", "7\u{7}"]

    @Test func `Garbage is passed over wherever it stands`() {
        for place in 0...Self.garbage.count {
            var candidates = Self.garbage
            candidates.insert("1", at: place)
            #expect(Self.choice(nil, candidates) == ("1", place))
        }
        #expect(Self.choice(nil, Self.garbage) == (nil, nil))
        #expect(Self.choice(nil, []) == (nil, nil))
    }

    @Test func `More text wins against less`() {
        #expect(Self.choice(nil, ["x!", "12345678"]) == ("12345678", 1))
        #expect(Self.choice(nil, ["12345678", "x!"]) == ("12345678", 0))
        #expect(Self.choice(nil, ["x", "12345678", "a text of sixteen"]) == ("a text of sixteen", 2))
        #expect(Self.choice(.zip, ["A1b", "77754"]) == ("77754", 1))
    }

    @Test func `Two equally plausible texts are none`() {
        #expect(Self.choice(nil, ["x", "12345"]) == (nil, nil))
        #expect(Self.choice(nil, ["12345", "x"]) == (nil, nil))
        #expect(Self.choice(nil, ["x", "12345", "y"]) == (nil, nil))
        #expect(Self.choice(.hbaStatus, ["0", "1"]) == (nil, nil))
        // A better one breaks the tie.
        #expect(Self.choice(nil, ["x", "y", "12345678"]) == ("12345678", 2))
        #expect(Self.choice(nil, ["12345678", "x", "y"]) == ("12345678", 0))
    }

    @Test func `A certain text settles it`() {
        var choice = TextChoice(.postalCodes)
        let bytes = Array("77754".utf8)
        choice.offer(bytes.span, from: 0)
        #expect(choice.isSettled)
        #expect(Self.choice(.zip, ["77754", "10001"]) == ("77754", 0))
    }

    /// With implicit rejection, the wrong key in a ring of two yields random bytes for every value.
    @Test(arguments: [("[\"77754\"]", MetadataAttribute.zip), ("user-0a1b2c3d4e5f", nil), ("user-123", nil)])
    func `No wrong text comes out of a ring`(_ text: String, _ attribute: MetadataAttribute?) {
        var noise = Noise(seed: 2)
        var misses = 0
        let right = Array(text.utf8)
        for round in 0..<10_000 {
            let made = noise.bytes(Int(noise.next() % 246))
            var choice = TextChoice(PlausibleText(attribute))
            let candidates = round % 2 == 0 ? [made, right] : [right, made]
            for (index, candidate) in candidates.enumerated() where !choice.isSettled {
                choice.offer(candidate.span, from: index)
            }
            if choice.chosen == nil { misses += 1 }
            #expect(choice.chosen.map { $0.string == text } ?? true)
        }
        #expect(misses <= 4)
    }
}
