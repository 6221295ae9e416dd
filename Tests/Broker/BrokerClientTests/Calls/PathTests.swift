#if Client
import BrokerClient
import BrokerMessages
import EntitlementValues
import TextCodecs
import Testing

/// What stands in a path, whatever identifiers it is made from.
@Suite struct PathTests {
    @Test(arguments: [
        ("TestMVPD", "TestMVPD"), ("a/b", "a%2Fb"), ("a b", "a%20b"), ("a%2Fb", "a%252Fb"), ("a?b=c", "a%3Fb%3Dc"),
        ("a#b", "a%23b"), ("Süd", "S%C3%BCd"), ("日本", "%E6%97%A5%E6%9C%AC"), ("..a", "..a"), ("...", "..."),
        ("../..", "..%2F.."), ("a\r\nb", "a%0D%0Ab"), ("\u{0}", "%00"), ("a;b=c", "a%3Bb%3Dc"), ("a+b", "a%2Bb"),
        ("~a-b_c.d", "~a-b_c.d"), ("\\", "%5C"), ("@:", "%40%3A"),
    ])
    func `An identifier is one segment`(identifier: String, segment: String) throws {
        #expect(
            try RequestForm(path: [.requestor: "REF30", .mvpd: identifier]).target(at: .profile)
                == "/api/v2/REF30/profiles/\(segment)")
        #expect(
            try RequestForm(path: [.requestor: identifier, .code: "ABC"]).target(at: .session)
                == "/api/v2/\(segment)/sessions/ABC")
    }

    @Test(arguments: ["", ".", ".."])
    func `What cannot be a segment is refused`(identifier: String) {
        #expect(throws: RequestFault.badIdentifier(name: "mvpd")) {
            try RequestForm(path: [.requestor: "REF30", .mvpd: identifier]).target(at: .authorize)
        }
        #expect(throws: RequestFault.badIdentifier(name: "requestor")) {
            try RequestForm(path: [.requestor: identifier, .mvpd: "TestMVPD"]).target(at: .authorize)
        }
    }

    @Test(arguments: ["a/b", "a b", "a%2Fb", "a?b", "a#b", "é", "../..", "a\r\nX-Y: z"])
    func `An identifier stays one segment on its way`(identifier: String) async throws {
        let test = try TestBroker(BrokerRecorder(answering: Bodies.noProfiles))
        _ = try await test.caller.profile(mvpd: MVPDID(identifier), requestor: RequestorID(identifier))
        let path = try #require(test.recorder.calls.first).path
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        try #require(segments.count == 6)
        #expect(!path.contains { " ?#\r\n".contains($0) })
        for segment in [segments[3], segments[5]] {
            #expect(Percent.decode(Array(segment.utf8)).map { String(decoding: $0, as: UTF8.self) } == identifier)
        }
    }

    @Test func `A segment without value is refused`() {
        #expect(throws: RequestFault.badIdentifier(name: "code")) {
            try RequestForm(path: [.requestor: "REF30"]).target(at: .profileByCode)
        }
    }

    @Test func `A query is encoded once`() throws {
        let path = try RequestForm(
            path: [.requestor: "REF30", .mvpd: "TestMVPD"],
            query: [("redirectUrl", "https://example.org/?a=b&c=d e"), ("ü", "100%")]
        ).target(at: .logout)
        #expect(
            path == "/api/v2/REF30/logout/TestMVPD"
                + "?redirectUrl=https%3A%2F%2Fexample.org%2F%3Fa%3Db%26c%3Dd%20e&%C3%BC=100%25")
    }

    @Test func `Nothing stays open in a path`() throws {
        let form = RequestForm(path: [.requestor: "R", .mvpd: "M", .code: "C", .partner: "P"])
        for endpoint in BrokerEndpoint.allCases {
            let path = try form.target(at: endpoint)
            #expect(!path.contains("{") && !path.contains("}"), "\(path)")
        }
    }
}
#endif
