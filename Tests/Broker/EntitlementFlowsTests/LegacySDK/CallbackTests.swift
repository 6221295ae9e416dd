#if Client
import BrokerClient
import BrokerMessages
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import ServiceResponses
import Testing

/// Each event as the callback that the operator's library made of it, argument by argument.
@Suite struct CallbackTests {
    private static func callback(_ event: SessionEvent, namingBrowser: Bool = false) throws -> LegacyCallback {
        let callbacks = event.callbacks(namingBrowser: namingBrowser)
        #expect(callbacks.count == 1)
        let callback = try #require(callbacks.first)
        // One argument for each colon of the selector.
        #expect(callback.selector.filter { $0 == ":" }.count == callback.arguments.count)
        return callback
    }

    // MARK: The configuration and the sign-in

    @Test(arguments: [(true, Int64(1)), (false, 0)])
    func `setRequestorComplete gets 1 or 0`(isComplete: Bool, status: Int64) throws {
        let callback = try Self.callback(.requestorComplete(isComplete))
        #expect(callback == LegacyCallback("setRequestorComplete:", .number(status)))
    }

    @Test(arguments: [
        (AuthenticationResult.authenticated(SignIn(mvpd: "TestMVPD")), Int64(1), ""),
        (.notAuthenticated, 0, "User Not Authenticated Error"),
        (.noProviderChosen, 0, "Provider not Selected Error"),
        (.providerNotAvailable, 0, "Provider not Available Error"),
        (.unconfirmed(.broker(.unavailable(status: 503, retryAfter: nil))), 0, "Generic Authentication Error"),
        (.failed(.codeEnded), 0, "Generic Authentication Error"),
        (.failed(.notAuthenticated), 0, "User Not Authenticated Error"),
        (.failed(.cancelled), 0, "Generic Authentication Error"),
        (
            .failed(.broker(.transport(TransportFailure(.timeout, mayHaveBeenSent: true)))), 0,
            "Generic Authentication Error"
        ),
    ])
    func `setAuthenticationStatus gets the status and the error`(
        result: AuthenticationResult, status: Int64, error: String
    ) throws {
        let callback = try Self.callback(.authenticationStatus(result))
        #expect(callback == LegacyCallback("setAuthenticationStatus:errorCode:", .number(status), .string(error)))
    }

    private static let full = MVPD(
        id: "One", displayName: "Provider One", logoURL: "https://example.org/one.png", boardingStatus: .supported,
        enablesPlatformServices: true)

    @Test func `displayProviderDialog gets the providers with the properties of the class MVPD`() throws {
        let choice = ProviderChoice(among: [Self.full, MVPD(id: "Two")])
        let callback = try Self.callback(.chooseProvider(choice))
        let one: JSON = [
            "ID": "One", "boardingStatus": "SUPPORTED", "displayName": "Provider One", "enablePlatformServices": true,
            "logoURL": "https://example.org/one.png",
        ]
        let two: JSON = [
            "ID": "Two", "boardingStatus": .null, "displayName": .null, "enablePlatformServices": false,
            "logoURL": .null,
        ]
        #expect(callback == LegacyCallback("displayProviderDialog:", [one, two]))
    }

    @Test(arguments: [(BoardingStatus.picker, "PICKER"), (.supported, "SUPPORTED"), ("LATER", "LATER")])
    func `selectedProvider gets the state of introduction as the broker wrote it`(
        status: BoardingStatus, text: String
    ) throws {
        let provider = ChosenProvider(MVPD(id: "One", boardingStatus: status))
        let callback = try Self.callback(.selectedProvider(provider))
        #expect(callback.selector == "selectedProvider:")
        #expect(callback.arguments.first?["boardingStatus"] == .string(text))
        #expect(callback.arguments.first?["ID"] == .string("One"))
    }

    @Test func `selectedProvider gets nothing if there is no provider`() throws {
        #expect(try Self.callback(.selectedProvider(nil)) == LegacyCallback("selectedProvider:", .null))
    }

    @Test(arguments: [(true, "navigateToUrl:useSVC:"), (false, "navigateToUrl:")])
    func `A session names the browser if the app has set handleSVC`(handlesSVC: Bool, selector: String) async throws {
        var options = SessionOptions()
        if handlesSVC { _ = try options.adopt(legacyOptions: ["handleSVC": .bool(true)]) }
        let session = try await FlowBench().session(options: options)
        let log = EventLog(of: session)
        guard case .openUserAgent(let visit)? = try await session.setSelectedProvider("SampleCable") else {
            Issue.record("no visit")
            return
        }
        var callbacks: [LegacyCallback] = []
        for event in await log.next() { callbacks += await session.callbacks(of: event) }
        #expect(callbacks.map(\.selector) == ["sendTrackingData:forEventType:", selector])
        #expect(callbacks.last?.arguments.first == .string(visit.url))
        #expect(callbacks.last?.arguments.dropFirst() == (handlesSVC ? [.bool(true)] : []))
    }

    @Test(arguments: [
        (true, true, "navigateToUrl:useSVC:"), (true, false, "navigateToUrl:"), (false, true, "navigateToUrl:"),
    ])
    func `navigateToUrl names the browser if the app wanted to handle it`(
        usesSystemBrowser: Bool, namesBrowser: Bool, selector: String
    ) throws {
        for purpose in [UserAgentVisit.Purpose.login, .logout] {
            let visit = UserAgentVisit(
                to: "https://example.org/go", for: purpose, usesSystemBrowser: usesSystemBrowser)
            let callback = try Self.callback(.openUserAgent(visit), namingBrowser: namesBrowser)
            #expect(callback.selector == selector)
            #expect(callback.arguments.first == .string("https://example.org/go"))
            #expect(callback.arguments.dropFirst().allSatisfy { $0 == .bool(true) })
        }
    }

    @Test func `A code for another screen is the status REGCODE`() throws {
        let code = ActivationCode(AuthenticationCode("AB12CD"), until: Timestamp(milliseconds: 0))
        let callback = try Self.callback(.showCode(code))
        let status: JSON = ["errorId": "REGCODE", "level": "success", "message": "AB12CD"]
        #expect(callback == LegacyCallback("status:", status))
    }

    @Test func `presentTvProviderDialog gets what the picker shows`() throws {
        let pick = PartnerPick(supporting: ["a", "b"], featuring: ["b"])
        let callback = try Self.callback(.askPartner(.pick(pick)))
        let lists: JSON = ["FEATURED_TV_PROVIDERS": ["b"], "TV_PROVIDERS": ["a", "b"]]
        #expect(callback == LegacyCallback("presentTvProviderDialog:", lists))
    }

    @Test func `What the partner is asked to confirm is a callback of its own`() throws {
        let request = PartnerAuthenticationRequest(
            type: "saml", request: "PHJlcXVlc3QvPg==", attributeNames: ["userID"])
        let callback = try Self.callback(.askPartner(.confirm(PartnerConfirmation(request))))
        let arguments: JSON = [
            "allowsInterruption": true, "attributeNames": ["userID"], "channel": "https://saml.sp.auth.adobe.com",
            "verificationToken": "PHJlcXVlc3QvPg==",
        ]
        #expect(callback == LegacyCallback("confirmTvProvider:", arguments))
    }

    @Test func `The links of a denial go with its status`() throws {
        let details = #"Buy <a href="https://provider.example/a">more</a> at https://provider.example/b"#
        let failure = TokenRequestFailure.denied(
            AuthorizationDenial(
                of: "R", mvpd: "M", because: EnhancedError(code: .authorizationDeniedByMVPD, details: details)))
        #expect(
            failure.status?.furtherKeys
                == ["resource": "R", "links": "https://provider.example/a https://provider.example/b"])
    }

    // MARK: Authorization

    @Test func `setToken gets the token in its plain form`() throws {
        let plain = "<signatureInfo>c2ln<signatureInfo>text & more"
        let encoded = "PHNpZ25hdHVyZUluZm8+YzJsbjxzaWduYXR1cmVJbmZvPnRleHQgJiBtb3Jl"
        let playback = Self.playback(token: encoded)
        let callback = try Self.callback(.permitted(playback))
        #expect(callback == LegacyCallback("setToken:forResource:", .string(plain), .string("REF30")))
        #expect(playback.token.serialized.serializedToken == encoded)
    }

    @Test(arguments: ["not Base64", "", "/w==", "YWJj\n"])
    func `A token that is not Base64 of a text is handed over as it came`(token: String) throws {
        let callback = try Self.callback(.permitted(Self.playback(token: token)))
        #expect(callback.arguments.first == .string(token))
    }

    private static func playback(token: String) -> AuthorizedPlayback {
        AuthorizedPlayback(
            of: "REF30", mvpd: "TestMVPD", source: .mvpd, until: nil,
            token: .unverified(SerializedMediaToken(serializedToken: token)), isCached: false)
    }

    @Test(
        arguments: [
            (TokenRequestFailure.notAuthenticated("R"), "User Not Authenticated Error", "", "N000"),
            (
                .denied(
                    AuthorizationDenial(
                        of: "R", mvpd: "M",
                        because: EnhancedError(code: .authorizationDeniedByMVPD, details: "Buy <b>more</b>"))),
                "User not Authorized Error", "Buy more", "Z100"
            ),
            (
                .denied(AuthorizationDenial(of: "R", mvpd: "M", because: nil)), "User not Authorized Error", "", "Z100"
            ),
            (
                .denied(AuthorizationDenial(of: "R", mvpd: "M", source: .degradation, because: nil)),
                "User not Authorized Error", "", "Z169"
            ),
            (
                .denied(AuthorizationDenial(of: "R", mvpd: "M", source: .temporaryAccess, because: nil)),
                "User not Authorized Error", "", "N111"
            ),
            (
                .denied(AuthorizationDenial(of: "R", mvpd: "M", because: EnhancedError(code: .networkReceivedError))),
                "Generic Authorization Error", "", "Z120"
            ),
            (.failed("R", .broker(.throttled(retryAfter: nil))), "Generic Authorization Error", "", "Z100"),
            (.failed("R", .token(.noToken)), "Internal Authorization Error", "", "Z500"),
            (.failed("R", .superseded), "User Not Authenticated Error", "", nil),
            (.failed("R", .cancelled), "User Not Authenticated Error", "", nil),
        ] as [(TokenRequestFailure, String, String, String?)])
    func `tokenRequestFailed gets resource, error and description, and a status goes with it`(
        failure: TokenRequestFailure, error: String, description: String, code: String?
    ) throws {
        let callback = try Self.callback(.tokenRequestFailed(failure))
        #expect(
            callback
                == LegacyCallback(
                    "tokenRequestFailed:errorCode:errorDescription:", .string("R"), .string(error), .string(description)
                ))
        #expect(failure.status?.code.rawValue == code)
        #expect(failure.status == nil || failure.status?.furtherKeys == ["resource": "R"])
        #expect(failure.status?.message == (description.isEmpty ? nil : description))
    }

    @Test func `preauthorizedResources gets the resources in their order`() throws {
        let callback = try Self.callback(.preauthorized(["b", "a"]))
        #expect(callback == LegacyCallback("preauthorizedResources:", ["b", "a"]))
    }

    // MARK: Statuses, and what is not told

    @Test func `Status gets a dictionary`() throws {
        let status = SessionStatus(
            .partnerFailed, message: "The partner failed", furtherKeys: ["details": "VSA -1", "errorId": "not this"])
        let callback = try Self.callback(.status(status))
        let dictionary: JSON = [
            "details": "VSA -1", "errorId": "AAPL", "level": "error", "message": "The partner failed",
        ]
        #expect(callback == LegacyCallback("status:", dictionary))
    }

    @Test func `A status without message has no such key`() throws {
        let callback = try Self.callback(.status(SessionStatus(.notAuthenticated)))
        let dictionary: JSON = ["errorId": "N000", "level": "info"]
        #expect(callback == LegacyCallback("status:", dictionary))
    }

    @Test func `The library did not tell of lost events`() {
        #expect(SessionEvent.missed(3).callbacks().isEmpty)
    }

    @Test func `A callback is JSON with its selector, and does not describe its arguments`() {
        let callback = LegacyCallback("setToken:forResource:", .string("secret \"token\""), .null)
        #expect(
            callback.json == #"{"arguments":["secret \"token\"",null],"selector":"setToken:forResource:"}"#)
        #expect(callback.name == "setToken")
        var dumped = "\(callback) \(callback.arguments)"
        dump(callback, to: &dumped)
        #expect(!dumped.contains("secret"))
        #expect(dumped.contains("setToken:forResource:"))
    }
}
#endif
