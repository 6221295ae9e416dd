#if Client
import BrokerClient
import EntitlementValues
import ServiceResponses
import Testing

/// What calls make of each code of the broker.
@Suite struct CodeTests {
    /// The documented codes by which a call finds that the device has to register anew.
    private static func ending(action: String?, with status: Int) -> Set<EnhancedErrorCode> {
        let member = action.map { #", "action": "\#($0)""# } ?? ""
        return EnhancedErrorCode.documented.filter { code in
            let body = #"{"status": \#(status), "code": "\#(code)"\#(member)}"#
            let error = BrokerEndpoint.authorize.refusal(
                of: HTTPAnswer(body, status: status), at: Timestamp(milliseconds: 1_750_000_000_000))
            if case .registration(let refusal) = error { return refusal.decision == .registerAnew }
            return false
        }
    }

    @Test(arguments: [nil, "none", "authentication"], [400, 401, 403])
    func `Two codes end a registration, whatever the action`(action: String?, status: Int) {
        #expect(
            Self.ending(action: action, with: status) == [
                "invalid_access_token_client_application", "invalid_access_token_service_provider",
            ])
    }

    @Test func `With the action, each code ends a registration`() {
        #expect(Self.ending(action: "application-registration", with: 401) == EnhancedErrorCode.documented)
    }

    @Test func `Three codes stand for an answer without profiles`() async throws {
        var found: Set<EnhancedErrorCode> = []
        for code in EnhancedErrorCode.documented {
            let body = Bodies.error(code.rawValue, status: 403)
            let test = try TestBroker(BrokerRecorder(answering: body, status: 403))
            let answer = try? await ProfileCallTests.profiles(.profiles, of: test)
            if let answer, answer.profiles.isEmpty { found.insert(code) }
        }
        #expect(
            found == [
                "authenticated_profile_missing", "authenticated_profile_expired", "authenticated_profile_invalidated",
            ])
    }
}
#endif
