#if Client
import BrokerClient
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import ServiceResponses
import Testing

/// The operator's `PreauthorizeResponse`.
@Suite struct LegacyPreauthorizeTests {
    @Test func `Each resource has its decision, a denial its error`() {
        let error = EnhancedError(
            action: .noAction, status: 403, code: .preauthorizationDeniedByMVPD, message: "No",
            details: "Buy <a href=\"https://example.org\">more</a>", helpURL: "https://example.org/help", trace: "t-1")
        let answer = Preauthorization([
            PreauthorizedResource("b", isPermitted: true),
            PreauthorizedResource("a", isPermitted: false, because: error),
            PreauthorizedResource("c", isPermitted: false),
            PreauthorizedResource("d", isPermitted: false, isNotMentioned: true),
        ])
        let status: JSON = [
            "action": "none", "code": "preauthorization_denied_by_mvpd", "details": "Buy more",
            "helpUrl": "https://example.org/help", "message": "No", "status": 403, "trace": "t-1",
        ]
        let response: JSON = [
            "resources": [
                ["authorized": true, "id": "b"], ["authorized": false, "error": status, "id": "a"],
                ["authorized": false, "id": "c"],
            ]
        ]
        #expect(answer.legacyResponse == response)
    }

    static let failures: [(error: EntitlementFlowError, code: String, action: String)] = [
        (.requestorNotSet, "requestor_not_configured", "retry"),
        (.notAuthenticated, "authentication_session_missing", "authentication"),
        (
            .broker(
                .registration(
                    RegistrationRefusal(
                        step: .accessToken, decision: .registerAnew, status: 401, reason: nil, enhancedError: nil))),
            "access_token_unavailable", "none"
        ),
        (
            .broker(.unreadable(UnreadableAnswer(HTTPAnswer(HTTPResponse(status: .ok))))),
            "server_response_format_unknown", "none"
        ),
        (.broker(.transport(TransportFailure(.timeout, mayHaveBeenSent: true))), "network_error", "none"),
        (.broker(.throttled(retryAfter: .seconds(1))), "network_error", "retry-after"),
        (.noOrigin([]), "network_error", "none"),
        (.store(.contended(attempts: 2)), "device_record_contended", "none"),
    ]

    @Test(arguments: failures.indices)
    func `A failure of the library has status 0 and a code of its own`(index: Int) {
        let row = Self.failures[index]
        let answer = row.error.legacyPreauthorizeResponse
        #expect(answer["status"] == .number(0))
        #expect(answer.object?.members.map(\.name) == ["action", "code", "message", "status"])
        #expect(answer["code"] == .string(row.code))
        #expect(answer["action"] == .string(row.action))
        #expect(answer["message"] == .string(row.error.description))
        #expect(answer["resources"] == nil)
    }

    @Test func `A refusal of the broker stands beside an empty list`() {
        let refusal = EnhancedError(code: "bad_request", message: "Missing")
        let answer = EntitlementFlowError.broker(.refused(refusal, status: 400)).legacyPreauthorizeResponse
        let expected: JSON = [
            "resources": [], "status": ["code": "bad_request", "message": "Missing", "status": 400],
        ]
        #expect(answer == expected)
    }
}
#endif
