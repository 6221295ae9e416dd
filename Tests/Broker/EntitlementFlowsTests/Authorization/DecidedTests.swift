#if Client
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing

/// What each decision asks for, answers and tells: without a broker and a record.
@Suite("What follows from a decision")
struct DecidedTests {
    private let telling: Telling

    init() throws {
        telling = Telling(of: try DeviceInfo([.model: "Model"]), try DeviceIdentifier("identifier of device"))
    }

    private static let signIn = SignIn(mvpd: "M")

    private static var permitted: Decided {
        let token = PlaybackToken.unverified(SerializedMediaToken(serializedToken: "token"))
        let playback = AuthorizedPlayback(
            of: "news", mvpd: "M", source: .mvpd, until: nil, token: token, isCached: false)
        return .permitted(playback, signIn)
    }

    private static func denied(_ code: EnhancedErrorCode?) -> Decided {
        let error = code.map { EnhancedError(status: 403, code: $0) }
        return .denied(AuthorizationDenial(of: "news", mvpd: "M", because: error), signIn)
    }

    private static func failed(_ error: EntitlementFlowError, after signIn: SignIn? = DecidedTests.signIn) -> Decided {
        .failed("news", error, signIn)
    }

    @Test func `A user who is not signed in any more is asked to sign in, but not who has used temporary access up`() {
        let asking: [Decided] = [
            .notSignedIn("news"), Self.denied(.authenticatedProfileExpired), Self.denied(.identityNotRecognizedByMVPD),
        ]
        #expect(!asking.contains { !$0.asksForSignIn })
        let final = [
            Self.permitted, Self.denied(nil), Self.denied(.authorizationDeniedByMVPD),
            Self.denied(.temporaryAccessDurationLimitExceeded), Self.failed(.notAuthenticated, after: nil),
            Self.failed(.superseded),
        ]
        #expect(!final.contains { $0.asksForSignIn })
    }

    @Test func `A permit and a denial are outcomes, and all else is an error`() throws {
        let (permitted, denied) = (Self.permitted.answer, Self.denied(.authenticatedProfileExpired).answer)
        let (playback, denial) = (try permitted.get().playback, try denied.get().denial)
        #expect(playback?.resource == "news" && denial?.error?.code == .authenticatedProfileExpired)
        #expect(throws: EntitlementFlowError.notAuthenticated) { try Decided.notSignedIn("news").answer.get() }
        #expect(throws: EntitlementFlowError.codeEnded) { try Self.failed(.codeEnded).answer.get() }
    }

    /// What is told of the sign-in.
    private func signIn(by decided: Decided) -> [AuthenticationResult] {
        telling.signIn(by: decided).compactMap {
            if case .authenticationStatus(let result) = $0 { result } else { nil }
        }
    }

    @Test func `The sign-in for which the broker was asked is told, unless the broker says that it has ended`() {
        let signedIn = AuthenticationResult.authenticated(Self.signIn)
        #expect(signIn(by: Self.permitted) == [signedIn])
        #expect(signIn(by: Self.denied(.authorizationDeniedByMVPD)) == [signedIn])
        #expect(signIn(by: Self.failed(.token(.noToken))) == [signedIn])
        #expect(signIn(by: Self.denied(.temporaryAccessDurationLimitExceeded)) == [.notAuthenticated])
        #expect(signIn(by: .notSignedIn("news")) == [.notAuthenticated])
    }

    @Test func `Of a sign-in of which another one took the place nothing is told, and of none why it is not known`() {
        #expect(signIn(by: Self.failed(.superseded)).isEmpty)
        for error in [EntitlementFlowError.superseded, .cancelled, .codeEnded] {
            #expect(signIn(by: Self.failed(error, after: nil)) == [.failed(error)])
        }
    }

    @Test func `A decision is told once, and counted for the provider that was asked`() {
        let permitted = telling.decided(Self.permitted)
        #expect(permitted.map(\.description) == ["permitted", "tracking of authorization"])
        #expect(permitted.tracking?.mvpd == "M" && permitted.tracking?.isSuccess == true)
        let rows: [(Decided, TokenRequestFailure, MVPDID?)] = [
            (.notSignedIn("news"), .notAuthenticated("news"), nil),
            (Self.failed(.superseded), .failed("news", .superseded), "M"),
            (Self.failed(.codeEnded, after: nil), .failed("news", .codeEnded), nil),
        ]
        for (decided, failure, mvpd) in rows {
            let events = telling.decided(decided)
            #expect(events.first?.description == "not permitted" && events.failure == failure)
            #expect(events.tracking?.mvpd == mvpd && events.tracking?.isSuccess == false)
        }
    }
}
#endif
