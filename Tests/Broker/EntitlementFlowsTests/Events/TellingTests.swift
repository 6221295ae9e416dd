#if Client
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing

/// The events of each outcome, in the order in which the operator's library told them.
@Suite("What is told of each outcome")
struct TellingTests {
    private let telling: Telling

    init() throws {
        telling = Telling(of: try DeviceInfo([.model: "Model"]), try DeviceIdentifier("identifier of device"))
    }

    private static let tracking = "tracking of authentication"

    private static func code(_ code: StatusCode) -> String { "status \(SessionStatus(code))" }

    @Test(arguments: [
        (SignIn(mvpd: "M"), nil),
        (SignIn(mvpd: "M", because: .degraded), StatusCode.authenticatedByDegradation),
        (SignIn(mvpd: "M", isTemporary: true), .authenticatedByTemporaryAccess),
        (SignIn(mvpd: "M", because: .degraded, isTemporary: true), .authenticatedByTemporaryAccess),
    ])
    func `A sign-in is told with its rule, and counted`(signIn: SignIn, code: StatusCode?) {
        let codes = code.map { [Self.code($0)] } ?? []
        #expect(telling.signedIn(signIn).map(\.description) == ["authenticated"] + codes + [Self.tracking])
    }

    @Test func `The user of temporary access alone has a name, which is the device's`() {
        let events = telling.signedIn(SignIn(mvpd: "M", isTemporary: true), isCached: true)
        #expect(events.tracking?.guid == "0c74fbb33e65c2a3a4b5d418fff63292" && events.tracking?.isCached == true)
        #expect(telling.signedIn(SignIn(mvpd: "M")).tracking?.guid == nil)
    }

    @Test func `That access is used up is told after the answer to a question, but before a change is counted`() {
        let (known, ended) = (Self.code(.notAuthenticated), Self.code(.temporaryAccessEnded))
        let answer = telling.notSignedIn(isCached: false, hasUsedUpAccess: true)
        #expect(answer.map(\.description) == ["not authenticated", known, Self.tracking, ended])
        #expect(
            telling.notSignedIn(isCached: true).map(\.description) == ["not authenticated", known, Self.tracking])
        let change = telling.notSignedInAnymore(hasUsedUpAccess: true)
        #expect(change.map(\.description) == ["not authenticated", ended, Self.tracking])
    }

    @Test(arguments: [EntitlementFlowError.cancelled, .superseded])
    func `A sign-in that another one took the place of tells nothing`(error: EntitlementFlowError) {
        #expect(telling.failed(error).isEmpty)
    }

    @Test(arguments: [
        (EntitlementFlowError.unknownProvider("M"), AuthenticationResult.providerNotAvailable),
        (.notAuthenticated, .notAuthenticated), (.codeEnded, .failed(.codeEnded)),
    ])
    func `A sign-in that fails is told with its code, and counted`(
        error: EntitlementFlowError, result: AuthenticationResult
    ) throws {
        let code = try #require(error.legacy(in: .authentication).code)
        let events = telling.failed(error)
        #expect(events.map(\.description) == ["not authenticated", Self.code(code), Self.tracking])
        guard case .authenticationStatus(let told)? = events.first else {
            Issue.record("no status is told")
            return
        }
        #expect(told == result)
    }

    @Test func `A cancel tells that no provider is chosen, and a partner's picker that is closed tells so last`() {
        let closed = Self.code(.pickerCancelled)
        #expect(telling.cancelled().map(\.description) == ["not authenticated", closed])
        #expect(telling.partnerPickerClosed().map(\.description) == [closed, "not authenticated"])
    }

    @Test func `A logout is told as done unless the browser has a page to open`() {
        let page = UserAgentVisit(to: "https://example.com", for: .logout)
        let stays = Self.code(.partnerAccountStays)
        #expect(telling.loggedOut([], leaving: nil).map(\.description) == ["not authenticated"])
        #expect(telling.loggedOut([], leaving: SignIn(mvpd: "M")).map(\.description) == ["authenticated"])
        let both = telling.loggedOut([.leavePartnerAccount("M"), .openUserAgent(page)], leaving: nil)
        #expect(both.map(\.description) == ["the browser opens an address", stays])
        let partner = telling.loggedOut([.leavePartnerAccount("M")], leaving: nil)
        #expect(partner.map(\.description) == [stays, "not authenticated"])
    }

    @Test func `A request that waits no more is told as refused, and not counted`() {
        for error in [EntitlementFlowError.superseded, .notAuthenticated] {
            let events = telling.pendingEnded("news", with: error)
            #expect(events.count == 1 && events.failure == .notAuthenticated("news"))
        }
        let events = telling.pendingEnded("news", with: .shutDown)
        #expect(events.count == 1 && events.failure == .failed("news", .shutDown))
    }

    @Test func `A preauthorization that fails is an empty list, and names the cause in setRequestor as well`() {
        let failed = ["0 resources are preauthorized", Self.code(.preauthorizationFailed)]
        #expect(telling.preauthorizationFailed(.codeEnded).map(\.description) == failed)
        #expect(
            telling.preauthorizationFailed(.requestorNotSet).map(\.description)
                == failed + [Self.code(.requestorNotValid)])
        #expect(
            telling.preauthorizationFailed(.notAuthenticated).map(\.description)
                == ["0 resources are preauthorized", Self.code(.notAuthenticated)])
    }
}
#endif
