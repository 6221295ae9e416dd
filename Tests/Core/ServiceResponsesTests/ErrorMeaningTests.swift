import EntitlementValues
import ServiceResponses
import Testing

/// What is known of the service's error codes.
@Suite struct ErrorMeaningTests {
    @Test func `Each meaning is that of a code`() {
        #expect(Set(EnhancedErrorCode.documented.compactMap(\.meaning)) == Set(EnhancedErrorMeaning.allCases))
    }

    @Test func `Of 66 codes, 47 have a documented action and status`() {
        #expect(EnhancedErrorCode.documented.count == 66)
        #expect(EnhancedErrorCode.documented.count { $0.documentedAnswer != nil } == 47)
    }

    @Test(arguments: ["new_code", "", "Authorization_Denied_By_MVPD"] as [EnhancedErrorCode])
    func `Nothing is known of another code`(code: EnhancedErrorCode) {
        #expect(code.meaning == nil && code.documentedAnswer == nil)
        #expect(code.shown == "(a text that is not shown)")
    }

    @Test func `An error asks for the action that was sent, and for the one of its code`() {
        let error = EnhancedError(action: .retry, code: .invalidAccessTokenServiceProvider)
        #expect(error.asks(for: .retry) && error.asks(for: .applicationRegistration))
        #expect(!error.asks(for: .authentication))
        #expect(!EnhancedError(code: .authenticationSessionMissing).asks(for: .authentication))
        #expect(!EnhancedError(status: 403).asks(for: .noAction))
    }
}
