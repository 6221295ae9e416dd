#if Client
import BrokerClient
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing
import TokenRedemption

/// Names and descriptions of errors.
@Suite struct FlowErrorTests {
    private static let secret = "s3cret"
    /// An error of the broker of which each text is a secret.
    private static let telling = EnhancedError(
        status: 403, code: .authorizationDeniedByMVPD, message: "message \(secret)", details: "details \(secret)")

    static let errors: [(error: EntitlementFlowError, code: String, words: String)] = [
        (.requestorNotSet, "requestor_not_set", "call setRequestor first"),
        (.noOrigin([]), "no_origin", "name at least one"),
        (
            .noOrigin([
                OriginFailure(
                    at: BrokerEnvironment.production.api,
                    because: .transport(TransportFailure(.connecting, mayHaveBeenSent: false))),
                OriginFailure(at: BrokerEnvironment.staging.api, because: .refused(telling, status: 403)),
            ]), "no_origin",
            "https://sp.auth.adobe.com: no answer from the broker: no connection could be opened"
        ),
        (.broker(.refused(telling, status: 403)), "refused", "authorization_denied_by_mvpd"),
        (.broker(.throttled(retryAfter: .seconds(2))), "throttled", "try again in 2 s"),
        (.notAuthenticated, "not_authenticated", "call getAuthentication"),
        (.unknownProvider("Now\u{1b}here"), "unknown_provider", "let the user choose"),
        (.unsupported(.handlingBrowser), "unsupported_handles_browser", "handleSVC: false"),
        (.unsupported(.unknownData), "unsupported_unknown_data", "no place in the broker's API"),
        (.unsupported(.featuredNotSupported), "unsupported_featured_not_supported", "in both lists"),
        (.unsupported(.malformedResponse), "unsupported_malformed_partner_response", "neither XML nor Base64"),
        (.identityNeeded("Promo\u{1b}tion"), "identity_needed", "getAuthentication"),
        (.codeEnded, "code_ended", "call getAuthentication for a new one"),
        (.superseded, "superseded", "nothing is left to do"),
        (.token(.noToken), "no_token", "nothing may be played"),
        (.token(.notAuthorized(telling)), "not_authorized", "nothing may be played"),
        (.redemption(.full(capacity: 5)), "redemption_unknown", "5 live redemptions"),
        (.store(.contended(attempts: 4)), "device_record_contended", "4 attempts"),
        (.unknownStep("dance_now"), "unknown_step", "dance_now"),
        (.unknownStep("ABC 123 s3cret"), "unknown_step", "not shown"),
        (.cancelled, "cancelled", "cancelled"),
    ]

    @Test(arguments: errors.indices)
    func `An error has a stable name and says what to do, without secrets`(index: Int) {
        let row = Self.errors[index]
        #expect(row.error.code == row.code)
        #expect(row.error.description.contains(row.words), "\(row.error)")
        var shown = "\(row.error) \(String(reflecting: row.error))"
        dump(row.error, to: &shown)
        #expect(!shown.contains(Self.secret))
        #expect(!row.error.description.contains("\u{1b}"))
    }

    @Test func `Names are snake case, and each call that is not supported has one`() {
        let names = Self.errors.map(\.code) + UnsupportedCall.allCases.map(\.rawValue)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "_" } })
        #expect(Set(UnsupportedCall.allCases.map(\.description)).count == UnsupportedCall.allCases.count)
    }

    @Test func `Events do not show what they hold`() throws {
        let visit = UserAgentVisit(to: "https://example.org/\(Self.secret)", for: .login)
        let denial = AuthorizationDenial(of: "R", mvpd: "M", because: Self.telling)
        let status = SessionStatus(.notAuthorized, message: Self.secret)
        let events: [SessionEvent] = [
            .openUserAgent(visit), .tokenRequestFailed(.denied(denial)), .status(status),
            .metadata(MetadataAnswer(to: .userMetadata("zip"), .text(Self.secret))),
            .authenticationStatus(.failed(.broker(.refused(Self.telling, status: 403)))),
        ]
        for event in events {
            var shown = "\(event)"
            dump(event, to: &shown)
            #expect(!shown.contains(Self.secret))
        }
        #expect("\(SessionEvent.missed(2))" == "2 events were missed")
    }
}
#endif
