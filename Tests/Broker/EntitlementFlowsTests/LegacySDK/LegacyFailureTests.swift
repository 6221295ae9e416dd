#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import MediaTokens
import SealedRecords
import ServiceResponses
import Testing
import TokenRedemption

/// What the operator's library said of failures of calls, in each of its calls.
@Suite struct LegacyFailureTests {
    private static func broker(_ error: BrokerError, in call: LegacyCall) -> LegacyError {
        EntitlementFlowError.broker(error).legacy(in: call)
    }

    // MARK: The broker

    @Test(
        arguments: [
            (LegacyCall.setRequestor, nil, StatusCode.configurationThrottled), (.authorization, nil, .notAuthorized),
            (.preauthorization, nil, .preauthorizationFailed), (.metadata, nil, nil), (.logout, nil, nil),
            (.authentication, OriginalError.genericAuthentication, .authenticationFailed),
        ] as [(LegacyCall, OriginalError?, StatusCode?)])
    func `Too many requests have a code for each call`(call: LegacyCall, original: OriginalError?, code: StatusCode?) {
        let expected = LegacyError(original, code)
        #expect(Self.broker(.throttled(retryAfter: .seconds(1)), in: call) == expected)
        #expect(Self.broker(.throttled(retryAfter: nil), in: call) == expected)
        #expect(Self.broker(.pollSkipped(retryAfter: .seconds(1)), in: call) == expected)
        #expect(EnhancedError(status: 429).legacy(in: call) == expected)
        let page = HTTPAnswer(HTTPResponse(status: .tooManyRequests, headerFields: [.contentType: "text/html"]))
        #expect(Self.broker(.unreadable(UnreadableAnswer(page)), in: call) == expected)
    }

    @Test(
        arguments: [
            (LegacyCall.setRequestor, TransportFailure.Reason.connecting, nil, StatusCode.serverNotFound),
            (.setRequestor, .timeout, nil, .serverNotFound), (.setRequestor, .tls, nil, .connectionNotTrusted),
            (.authentication, .connecting, OriginalError.genericAuthentication, .serverNotFound),
            (.authentication, .reset, .genericAuthentication, .authenticationFailed),
            (.authentication, .tls, .genericAuthentication, .connectionNotTrusted),
            (.authorization, .connecting, .genericAuthorization, .serverNotFound),
            (.authorization, .timeout, .genericAuthorization, .providerNotReached),
            (.authorization, .malformed, .genericAuthorization, .providerNotReached),
            (.authorization, .tls, .genericAuthorization, .connectionNotTrusted),
            (.authorization, .request, .internalError, .internalFailure), (.authorization, .cancelled, nil, nil),
            (.preauthorization, .timeout, nil, .preauthorizationFailed), (.metadata, .timeout, nil, nil),
            (.metadata, .tls, nil, nil),
        ] as [(LegacyCall, TransportFailure.Reason, OriginalError?, StatusCode?)])
    func `Without an answer there is a code`(
        call: LegacyCall, reason: TransportFailure.Reason, original: OriginalError?, code: StatusCode?
    ) {
        let failure = TransportFailure(reason, mayHaveBeenSent: true)
        #expect(Self.broker(.transport(failure), in: call) == LegacyError(original, code))
    }

    @Test(arguments: [
        (RegistrationRefusal.Step.registration, RegistrationRefusal.Decision.replaceStatement, "R400"),
        (.registration, .reportDefect, "R400"), (.accessToken, .registerAnew, "R401"),
        (.accessToken, .replaceStatement, "R400"), (.call, .registerAnew, "R401"),
    ])
    func `A refused registration is R400, a refused access token R401`(
        step: RegistrationRefusal.Step, decision: RegistrationRefusal.Decision, code: String
    ) {
        let refusal = RegistrationRefusal(
            step: step, decision: decision, status: 400, reason: nil, enhancedError: nil)
        for call in [LegacyCall.setRequestor, .authentication, .authorization, .preauthorization] {
            #expect(Self.broker(.registration(refusal), in: call).code?.rawValue == code)
        }
        #expect(Self.broker(.registration(refusal), in: .metadata).code == nil)
    }

    @Test(arguments: [
        (500, "internal_server_error", "CFG500"), (503, "invalid_configuration_platform", "CFG503"),
        (400, "invalid_parameter_service_provider", "CFG400"), (400, "unheard_of", "CFG400"),
        (401, "invalid_access_token_client_application", "R401"),
    ])
    func `A refused configuration has the HTTP status or a code of its own`(status: Int, code: String, old: String) {
        let error = EnhancedError(status: status, code: EnhancedErrorCode(code))
        #expect(Self.broker(.refused(error, status: status), in: .setRequestor) == LegacyError(nil, StatusCode(old)))
    }

    @Test func `An answer that cannot be read is a failure of the server`() {
        let page = HTTPAnswer(HTTPResponse(status: .badGateway))
        let error = BrokerError.unreadable(UnreadableAnswer(page))
        #expect(Self.broker(error, in: .setRequestor) == LegacyError(nil, "CFG502"))
        #expect(Self.broker(error, in: .authorization) == LegacyError(.internalAuthorization, "Z500"))
        #expect(Self.broker(error, in: .authentication) == LegacyError(.internalAuthentication, "N500"))
        for call in [LegacyCall.setRequestor, .authentication, .authorization, .metadata] {
            #expect(Self.broker(.unavailable(status: 502, retryAfter: nil), in: call) == Self.broker(error, in: call))
        }
        let odd = BrokerError.unreadable(UnreadableAnswer(HTTPAnswer(HTTPResponse(status: .ok))))
        #expect(Self.broker(odd, in: .authorization) == LegacyError(.internalAuthorization, "Z500"))
        #expect(Self.broker(odd, in: .setRequestor) == LegacyError(nil, "CFG500"))
    }

    // MARK: The session

    static let failures: [(error: EntitlementFlowError, authentication: LegacyError, authorization: LegacyError)] = [
        (
            .requestorNotSet, LegacyError(.genericAuthentication, "CFG400"),
            LegacyError(.genericAuthorization, "CFG400")
        ),
        (
            .noOrigin([
                OriginFailure(at: BrokerEnvironment.production.api, because: .throttled(retryAfter: nil)),
                OriginFailure(at: BrokerEnvironment.staging.api, because: .cancelled),
            ]),
            LegacyError(.genericAuthentication, "CFG429"), LegacyError(.genericAuthorization, "CFG429")
        ),
        (
            .noOrigin([]), LegacyError(.genericAuthentication, "CFG404"), LegacyError(.genericAuthorization, "CFG404")
        ),
        (
            .notAuthenticated, LegacyError(.userNotAuthenticated, "N000"), LegacyError(.userNotAuthenticated, "N000")
        ),
        (
            .unknownProvider("Nowhere"), LegacyError(.providerNotAvailable, "N500"),
            LegacyError(.providerNotAvailable, "Z500")
        ),
        (
            .identityNeeded("Promotion"), LegacyError(.genericAuthentication, "N500"),
            LegacyError(.genericAuthorization, "Z500")
        ),
        (.unsupported(.unknownData), LegacyError(.internalError, "500"), LegacyError(.internalError, "500")),
        (.codeEnded, LegacyError(.genericAuthentication, "N130"), LegacyError(.genericAuthorization, "N130")),
        (.superseded, LegacyError(nil, nil), LegacyError(nil, nil)),
        (.cancelled, LegacyError(nil, nil), LegacyError(nil, nil)),
        (
            .token(.tokenWithoutAuthorization), LegacyError(.internalAuthentication, "N500"),
            LegacyError(.internalAuthorization, "Z500")
        ),
        (
            .redemption(.full(capacity: 1)), LegacyError(.internalAuthentication, "N500"),
            LegacyError(.internalAuthorization, "Z500")
        ),
        (
            .store(.contended(attempts: 3)), LegacyError(.internalError, "500"), LegacyError(.internalError, "500")
        ),
        (
            .unknownStep("dance"), LegacyError(.internalAuthentication, "N500"),
            LegacyError(.internalAuthorization, "Z500")
        ),
    ]

    @Test(arguments: failures.indices)
    func `A failure of the session has its old words`(index: Int) {
        let row = Self.failures[index]
        #expect(row.error.legacy(in: .authentication) == row.authentication)
        #expect(row.error.legacy(in: .authorization) == row.authorization)
        #expect(SessionStatus(of: row.error, in: .authorization)?.code == row.authorization.code)
        #expect(row.error.legacy(in: .metadata) == LegacyError(nil, nil))
    }

    // MARK: Good ends

    @Test(
        arguments: [
            (DecisionSource.degradation, "Z010"), (.temporaryAccess, "Z011"), (.mvpd, nil), (.dummy, nil), (nil, nil),
        ] as [(DecisionSource?, String?)])
    func `A permit by rule or by temporary access has a code`(source: DecisionSource?, code: String?) {
        #expect(SessionStatus(permittedBy: source)?.code.rawValue == code)
    }

    @Test(
        arguments: [
            (SessionReason.degraded, "N010"), (.temporary, "N011"), (.authenticated, nil), (.authenticatedSSO, nil),
            (nil, nil),
        ] as [(SessionReason?, String?)])
    func `A sign-in by rule or by temporary access has a code`(reason: SessionReason?, code: String?) {
        #expect(SessionStatus(signedInBecause: reason)?.code.rawValue == code)
    }

    @Test(
        arguments: [
            (ProfileType.degraded, "N010"), (.temporary, "N011"), (.regular, nil), (.appleSSO, nil), (nil, nil),
        ] as [(ProfileType?, String?)])
    func `A profile by rule or by temporary access has a code`(type: ProfileType?, code: String?) {
        #expect(SessionStatus(signedInAs: type)?.code.rawValue == code)
    }

    @Test(
        arguments: [
            (PartnerAccessStatus.granted, nil), (.denied, "VSA403"), (.restricted, "VSA403"),
            (.notDetermined, "VSA404"),
            ("asleep", "VSA503"), (nil, "VSA503"),
        ] as [(PartnerAccessStatus?, String?)])
    func `A partner that does not permit access has a code`(access: PartnerAccessStatus?, code: String?) {
        #expect(SessionStatus(partnerAccess: access)?.code.rawValue == code)
    }
}
#endif
