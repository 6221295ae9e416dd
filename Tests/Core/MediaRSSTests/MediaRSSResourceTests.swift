import EntitlementValues
import MediaRSS
import MediaTokens
import Testing

/// The facts that are read from a fragment, and the descriptions of differences and errors.
@Suite struct MediaRSSResourceTests {
    private static func fragment(title: String, rating: String = "") -> String {
        """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>BRAND</title><item>\
        <title>\(title)</title><guid>id</guid>\(rating)</item></channel></rss>
        """
    }

    @Test func `Facts are read in document order`() throws {
        let ratings = "<media:rating scheme='urn:mpaa'>pg</media:rating><media:rating/>"
        let resource = try MediaRSSResource(Self.fragment(title: " A &amp; <![CDATA[B]]>", rating: ratings))
        #expect(resource.channelTitle == "BRAND")
        let item = try #require(resource.items.first)
        #expect(resource.items.count == 1)
        #expect(item.title == " A & B")
        #expect(item.guid == "id")
        #expect(item.ratings.map(\.scheme) == ["urn:mpaa", nil])
        #expect(item.ratings.map(\.text) == ["pg", ""])
        #expect(item.ratings.map(\.namespace) == Array(repeating: "http://search.yahoo.com/mrss/", count: 2))
    }

    @Test func `Resource ID is read like its text`() throws {
        let text = Self.fragment(title: "T")
        let difference = try MediaRSSResource(ResourceID(text)).firstDifference(from: MediaRSSResource(text))
        #expect(difference == nil)
    }

    @Test func `Difference shows both values`() throws {
        let one = try MediaRSSResource(Self.fragment(title: "A\nB"))
        let other = try MediaRSSResource(Self.fragment(title: "A B", rating: "<media:rating>pg</media:rating>"))
        let difference = try #require(one.firstDifference(from: other))
        #expect(difference.value == "A\nB")
        #expect(difference.otherValue == "A B")
        #expect(difference.description == #"item[1]/title differs: "A\u{a}B" here, "A B" there"#)
    }

    @Test func `Absent value is nil and says so`() throws {
        let one = try MediaRSSResource(Self.fragment(title: "A"))
        let other = try MediaRSSResource(Self.fragment(title: "A", rating: "<media:rating>pg</media:rating>"))
        let difference = try #require(one.firstDifference(from: other))
        #expect(difference.value == nil)
        #expect(difference.otherValue == "pg")
        #expect(difference.description == #"item[1]/rating[1] differs: absent here, "pg" there"#)
    }

    /// Canonical equivalence does not know of them.
    @Test func `Values that differ in a blank or in a look-alike do not look the same`() throws {
        let one = try MediaRSSResource(Self.fragment(title: "Canal\u{A0}Sur"))
        let other = try MediaRSSResource(Self.fragment(title: "Canal Sur"))
        let difference = try #require(one.firstDifference(from: other))
        #expect(difference.description == #"item[1]/title differs: "Canal\u{a0}Sur" here, "Canal Sur" there"#)
        let cyrillic = try MediaRSSResource(Self.fragment(title: "C\u{430}nal Sur"))
        let second = try #require(cyrillic.firstDifference(from: other))
        #expect(second.description == #"item[1]/title differs: "C\u{430}nal Sur" here, "Canal Sur" there"#)
    }

    @Test func `Values that look the same are shown in ASCII`() throws {
        let one = try MediaRSSResource(Self.fragment(title: "\u{E9}"))
        let other = try MediaRSSResource(Self.fragment(title: "e\u{301}"))
        let difference = try #require(one.firstDifference(from: other))
        #expect(difference.description == #"item[1]/title differs: "\u{e9}" here, "e\u{301}" there"#)
        let reversed = try #require(other.firstDifference(from: one))
        #expect(difference != reversed)
    }

    @Test(
        arguments: [
            ("", .notMediaRSS(.empty)),
            ("TNT", .notMediaRSS(.plainText)),
            ("&lt;rss&gt;", .notMediaRSS(.entityEscaped)), ("\u{FEFF}<rss/>", .notMediaRSS(.byteOrderMark)),
            ("<rss>\0</rss>", .notMediaRSS(.notText)),
            ("<?xml version='1.0' encoding='UTF-7'?><rss/>", .notMediaRSS(.declaration)),
            ("<rss>&</rss>", .notMediaRSS(.notWellFormed)),
            ("<feed/>", .notMediaRSS(.root)),
            ("<!DOCTYPE rss><rss/>", .doctypeRefused),
            (String(repeating: " ", count: 65_537), .tooLarge(bytes: 65_537, limit: 65_536)),
            ("<rss/>", .ambiguous(.missing(path: "channel"))),
            ("<rss><channel/></rss>", .ambiguous(.missing(path: "channel/title"))),
            ("<rss><channel/><channel/></rss>", .ambiguous(.repeated(path: "channel"))),
            ("<rss><channel><rating/></channel></rss>", .ambiguous(.misplaced(element: "rating"))),
            ("<rss><channel><item/><item><guid><b/>", .ambiguous(.elementInText(path: "item[2]/guid"))),
            ("<rss>x</rss>", .ambiguous(.strayText)),
            ("<rss><channel xmlns='urn:x'/></rss>", .ambiguous(.namespace(element: "channel"))),
            ("<rss><channel><item><rating xml:scheme='x'/>", .ambiguous(.scheme(path: "item[1]/rating[1]"))),
            ("<rss><!-- --></rss>", .ambiguous(.markup)),
            ("<rss>" + String(repeating: "<x>", count: 16), .ambiguous(.tooDeep(limit: 16))),
        ] as [(String, MediaRSSError)]
    )
    func `Refusal names its reason`(text: String, error: MediaRSSError) {
        #expect(throws: error) { try MediaRSSResource(text) }
        #expect(!error.description.isEmpty)
        #expect(!error.description.contains("\n"))
    }

    /// The example of the module's documentation.
    @Test func `Documented example says what it claims`() throws {
        let asked = """
            <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>REF30</title><item>\
            <title>Pilot &amp; more</title><guid>id-1</guid><media:rating scheme="urn:v-chip">tv-pg</media:rating>\
            </item></channel></rss>
            """
        _ = TokenExpectations(requestor: "REF30", resource: try .mediaRSS(ResourceID(asked)))

        let other = asked.replacing("Pilot &amp; more", with: "<![CDATA[Pilot & more]]>").replacing(
            "v-chip", with: "vchip")
        let difference = try MediaRSSResource(asked).firstDifference(from: MediaRSSResource(other))
        #expect(difference?.description == #"item[1]/rating[1]/@scheme differs: "urn:v-chip" here, "urn:vchip" there"#)
    }

    /// The parser reports text in pieces: its buffer has 300 bytes, and it reads chunks of 32 KiB.
    @Test(arguments: [0, 250, 4_050, 32_600])
    func `Text is whole wherever the parts end`(length: Int) throws {
        for offset in 0..<40 {
            let text = String(repeating: "x", count: length + offset) + String(repeating: "é🐘e\u{301}]]", count: 40)
            let one = try MediaRSSResource(Self.fragment(title: text))
            let other = try MediaRSSResource(Self.fragment(title: "<![CDATA[\(text)]]>"))
            let difference = one.firstDifference(from: other)
            let isWhole = one.items[0].title.map { $0.utf8.elementsEqual(text.utf8) }
            #expect(difference == nil)
            #expect(isWhole == true)
        }
    }

    /// A truncated fragment is never accepted.
    @Test func `Every truncation is refused`() throws {
        let text = Self.fragment(title: "<![CDATA[T]]>&amp;", rating: "<media:rating scheme='s'>pg</media:rating>")
        let isRead = text.indices.filter { (try? MediaRSSResource(String(text[..<$0]))) != nil }
        #expect(isRead.isEmpty)
        _ = try MediaRSSResource(text)
    }

    /// The parser's C library keeps global state, which must not mix up readers on several threads.
    @Test func `Many threads read at once`() async throws {
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask { @concurrent in
                    (0..<200).count { round in
                        let isBroken = (worker + round).isMultiple(of: 3)
                        let text = Self.fragment(title: "\(worker)-\(round)\(isBroken ? "&" : "")")
                        let title = (try? MediaRSSResource(text))?.items.first?.title
                        return title != (isBroken ? nil : "\(worker)-\(round)")
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
