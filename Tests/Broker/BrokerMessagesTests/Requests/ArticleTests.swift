import BrokerMessages
import EntitlementValues
import ServiceResponses
import Testing

/// The snippets of the articles, so that they compile and do what the articles say.
@Suite struct ArticleTests {
    private func printed(_ warnings: [DeviceInfo.Warning]) -> [String] { warnings.map { "\($0)" } }

    @Test func `The overview sends a session`() throws {
        let platformIdentifier = "3f1c", userAgent = "AppleTV11,1/16.1"
        let accessToken = try AccessToken(
            parsing: #"{"access_token":"a.b.c","created_at":1735689600123,"expires_in":21600}"#)

        let identifier = try DeviceIdentifier(hashing: platformIdentifier)
        let info = try DeviceInfo([.model: "TV-1000", .osName: "Linux", .osVersion: "4.4", .primaryHardwareType: "TV"])
            .connected(from: try ClientAddress("203.0.113.7"), port: 53124)
        #expect(printed(info.warnings).count == 2)

        var headers = [DeviceIdentifier.name: identifier.headerValue, DeviceInfo.name: info.headerValue]
        headers[UserAgent.name] = try UserAgent(headerValue: userAgent).headerValue
        headers[BearerToken.name] = accessToken.bearer.headerValue
        #expect(headers["Authorization"] == "Bearer a.b.c")
        #expect(headers["User-Agent"] == userAgent)

        let request = SessionRequest(mvpd: "TestMVPD", domain: "example.org", redirect: "https://example.org/done")
        #expect(SessionRequest.mediaType == "application/x-www-form-urlencoded")
        #expect(request.encoded().count == 81)
    }
}
