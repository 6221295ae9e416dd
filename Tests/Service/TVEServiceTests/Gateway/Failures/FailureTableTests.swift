#if Service
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import PlaybackSessions
import SealedRecords
import ServiceResponses
import TVEService
import Testing

@Suite("What apps are told of failures")
struct FailureTableTests {
    @Test(arguments: FailureRow.all)
    func `Each failure has its status, code, action and pause`(row: FailureRow) {
        let refusal = RequestError(row.error)
        #expect(refusal.status.code == row.status)
        #expect(refusal.code == row.code)
        #expect(refusal.action == row.action)
        #expect(refusal.retryAfterSeconds == row.retryAfter)
        #expect(!refusal.detail.isEmpty)
        #expect(refusal.message == nil)
        // An app that speaks HTTP has no calls of the library.
        for call in ["getAuthentication", "setRequestor"] {
            #expect(!refusal.detail.contains(call), "\(refusal.detail)")
        }
    }

    @Test(arguments: [EntitlementFlowError.notAuthenticated, .codeEnded, .identityNeeded("SamplePromotion")])
    func `The detail of a failure that a sign-in mends names the request`(error: EntitlementFlowError) {
        #expect(RequestError(error).detail.contains("POST /v1/authentication"))
    }

    @Test func `Only those that may end otherwise are to be tried again, each after a pause`() {
        for kind in FailureKind.allCases {
            #expect((kind.answer.action == .retry) == (kind.answer.retryAfter != nil), "\(kind)")
            #expect((400...599).contains(kind.answer.status.code), "\(kind)")
        }
    }

    @Test func `Every kind is the answer to something`() {
        let found = Set(FailureRow.all.map { FailureKind($0.error) })
        let others: Set<FailureKind> = [.tooManyStreams, .unsuitableSession]
        #expect(found.union(others) == Set(FailureKind.allCases))
    }

    @Test func `Each code of the table has a label of its own`() {
        let hidden = Set(FailureRow.all.map(\.code) + ["unsuitable_session"]).subtracting(FailureKind.knownCodes)
        #expect(
            hidden == [
                "new_code", "no_origin", "invalid_request", "missing_header_field", "bad_identifier",
                "ambiguous_identifier", "no_resources", "bad_group_size", "bad_client_address",
                "no_management", "borrowed_token", "record_too_large", "sealing_keys_of_another_store",
            ])
    }

    @Test(arguments: [
        (PlaybackSessionError.tooManyStreams(limit: 3), 409, "too_many_streams", GatewayAction.showMessage),
        (.store(.unavailable(reason: "away")), 503, "record_store_unavailable", .retry),
        (.unusableRecord(reason: "damaged"), 503, "session_record_damaged", .retry),
        (.contended(attempts: 3), 503, "session_record_contended", .retry),
        (.unsuitable(.instants), 403, "temporary_access_duration_limit_exceeded", .chooseProvider),
        (.unsuitable(.sessionLength), 503, "unsuitable_session", .none),
        (.unsuitable(.accessTokenLength), 503, "unsuitable_session", .none),
        (.tooLarge(limit: 1), 500, "bad_session", .none), (.noKeys, 500, "no_key", .none),
    ])
    func `So have failures to start a session`(
        error: PlaybackSessionError, status: Int, code: String, action: GatewayAction
    ) {
        let refusal = RequestError(error)
        #expect((refusal.status.code, refusal.code) == (status, code))
        #expect(refusal.action == action)
    }

    @Test func `A denial has the broker's code, and the provider's text without markup, its links apart`() {
        let text = #"Call <b>us</b>: <a href="https://cable.example/up?x=1">upgrade</a> or javascript:alert(1)"#
        let denial = AuthorizationDenial(
            of: "news", mvpd: "SampleCable", source: .mvpd,
            because: EnhancedError(
                action: .noAction, status: 403, code: .authorizationDeniedByMVPD, message: "denied", details: text))
        let refusal = RequestError(denial)
        #expect(refusal.status == .forbidden)
        #expect(refusal.code == "authorization_denied_by_mvpd")
        #expect(refusal.action == .showMessage)
        #expect(refusal.message == "Call us : upgrade or javascript:alert(1)")
        #expect(refusal.links == ["https://cable.example/up?x=1"])
        #expect(!refusal.detail.contains("upgrade"))
    }

    @Test(arguments: [
        (DecisionSource?.none, "not_decided", GatewayAction.retry), (.mvpd, "denied", .showMessage),
        (.degradation, "denied", .showMessage), (.temporaryAccess, "denied", .chooseProvider),
    ])
    func `A denial without an error is told by who denied`(
        source: DecisionSource?, code: String, action: GatewayAction
    ) {
        let refusal = RequestError(AuthorizationDenial(of: "news", mvpd: "A", source: source, because: nil))
        #expect(refusal.code == code)
        #expect(refusal.action == action)
    }
}
#endif
