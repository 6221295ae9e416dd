import EntitlementValues
import MediaRSS
import MediaTokens
import Testing

/// The expectation `.mediaRSS`, as the verifier uses it.
@Suite struct ExpectationTests {
    private static let expected: ResourceID = """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>BRAND</title><item>\
        <title>A &amp; B</title><media:rating scheme="urn:v-chip">tv-pg</media:rating></item></channel></rss>
        """

    private static let respelled: ResourceID = """
        <rss xmlns:m='http://search.yahoo.com/mrss/' version='2.0'> <channel> <title>BRAND</title> <item>
        <title><![CDATA[A & B]]></title> <m:rating scheme='urn:v-chip'>tv-pg</m:rating> </item></channel></rss>\u{20}
        """

    @Test func `Other spelling is accepted`() throws {
        let expectation = try Expectation.mediaRSS(Self.expected)
        let isSameAccepted = expectation.accepts(Self.expected)
        let isRespelledAccepted = expectation.accepts(Self.respelled)
        #expect(isSameAccepted)
        #expect(isRespelledAccepted)
    }

    @Test func `Exact expectation stays exact`() {
        let isAccepted = Expectation.exactly(Self.expected).accepts(Self.respelled)
        #expect(!isAccepted)
    }

    @Test(arguments: [
        "tv-pg": "tv-g", "v-chip": "vchip", "A &amp; B": "A & B", "BRAND": "Brand", "</rss>": "</rss><rss/>",
    ])
    func `Other or unreadable resource is not accepted`(part: String, replacement: String) throws {
        let expectation = try Expectation.mediaRSS(Self.expected)
        let presented = ResourceID(Self.expected.rawValue.replacing(part, with: replacement))
        let isAccepted = expectation.accepts(presented)
        #expect(!isAccepted)
    }

    @Test(arguments: ["", "TNT", "BRAND", "<rss/>"])
    func `Plain resource is not accepted`(_ presented: String) throws {
        let isAccepted = try Expectation.mediaRSS(Self.expected).accepts(ResourceID(presented))
        #expect(!isAccepted)
    }

    @Test func `Literal is taken`() throws {
        let expectations = TokenExpectations(
            requestor: .unchecked,
            resource: try .mediaRSS("<rss><channel><title>TNT</title></channel></rss>")
        )
        let isAccepted = expectations.resource.accepts("<rss ><channel><title>TNT</title></channel></rss>")
        #expect(isAccepted)
        #expect(expectations.resource.isWellFormed)
    }

    @Test(arguments: ["", "TNT", "<rss><channel><title>A & B</title></channel></rss>", "<!DOCTYPE rss><rss/>"])
    func `Expectation that is not MediaRSS is refused at once`(_ expected: String) {
        #expect(throws: MediaRSSError.self) { try Expectation.mediaRSS(ResourceID(expected)) }
    }
}
