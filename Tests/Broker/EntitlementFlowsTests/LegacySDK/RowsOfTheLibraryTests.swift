#if Client
import BrokerBench
import BrokerClient
import BrokerMessages
import BrokerSimulation
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TestVectors
import TVETesting
import Testing

import EntitlementFlows

/// The calls of the operator's library at a session that talks to a broker: each callback with its arguments, in order, and
/// nothing else; and how many requests of the broker's API it takes.
@Suite struct RowsOfTheLibraryTests {
    /// What an app does, and what its delegate is called with.
    struct Row: Sendable, CustomTestStringConvertible {
        typealias Steps = @Sendable (FlowBench, EntitlementSession) async throws -> Void

        let testDescription: String
        var kind = FlowBench.Kind.tablet
        /// What comes before, and is not looked at.
        var first: Steps = Row.setRequestor
        let steps: Steps
        /// The callbacks as JSON, by ``RowsOfTheLibraryTests/text(of:)``.
        let callbacks: [String]
        let requests: Int

        // MARK: What comes before

        static let nothing: Steps = { _, _ in }
        static let setRequestor: Steps = { _, session in try await session.setRequestor(FlowBench.requestor) }
        /// The broker says that no user is signed in.
        static let signedOut: Steps = { bench, session in
            try await setRequestor(bench, session)
            _ = try await session.checkAuthentication(.broker)
        }
        static let signedIn: Steps = { bench, session in
            try await setRequestor(bench, session)
            try await bench.signIn(session)
        }
        /// The user is at the provider's page.
        static let chosen: Steps = { bench, session in
            try await setRequestor(bench, session)
            let step = try await session.setSelectedProvider("SampleCable")
            try bench.logIn(step)
        }
        /// The user permits the device's sign-on partner, which knows no provider yet.
        static let partnered: Steps = { bench, session in
            try await setRequestor(bench, session)
            let undecided = PartnerFramework(mappingID: "", choice: .other)
            _ = try await session.synchronize(partner: try undecided.status(at: bench.time.now))
        }

        /// The device's sign-on partner says what is known of the user's permission.
        static func saying(_ choice: PartnerFramework.Choice) -> Steps {
            { bench, session in
                try await setRequestor(bench, session)
                let partner = PartnerFramework(mappingID: "", choice: choice)
                _ = try await session.synchronize(partner: try partner.status(at: bench.time.now))
            }
        }
        /// The app can ask the device's sign-on partner, which has said nothing yet.
        static let withPartner: Steps = { bench, session in
            var options = SessionOptions()
            (options.partnerSignIn, options.hasPartner) = (.onDemand, true)
            await session.setOptions(options)
            try await signedOut(bench, session)
        }
        /// The browser comes back.
        static let returned: Steps = { _, session in _ = try? await session.handleExternalURL(FlowBench.redirect) }

        /// The brand is set once more, for which the broker is asked for the profile.
        static let foreground: Steps = { bench, session in try? await setRequestor(bench, session) }

        static func activating(_ scenario: Scenario, at endpoint: BrokerEndpoint, then steps: @escaping Steps) -> Steps
        {
            { bench, session in
                for origin in bench.origins.indices { bench.activate(scenario, at: endpoint, origin: origin) }
                try await steps(bench, session)
            }
        }
    }

    private static let tablet = #""tablet","ios","tvOS""#
    private static let notSignedIn = [
        #"setAuthenticationStatus [0,"User Not Authenticated Error"]"#, #"status [{"errorId":"N000","level":"info"}]"#,
        failed,
    ]
    private static let noProvider = #"setAuthenticationStatus [0,"Provider not Selected Error"]"#
    /// The tracking of an authentication that failed.
    private static let failed = #"sendTrackingData [["false",null,null,null,\#(tablet)],0]"#
    private static let chose = #"sendTrackingData [["SampleCable",\#(tablet)],2]"#
    private static let partnersPicker =
        #"presentTvProviderDialog [{"FEATURED_TV_PROVIDERS":[],"TV_PROVIDERS":["sample-satellite","sample-wireless"]}]"#
    private static let picker = [
        #"displayProviderDialog [["SampleCable","SampleFiber","TempPass","PromoPass","SampleSatellite","SampleWireless"]]"#,
        #"status [{"errorId":"N000","level":"info"}]"#,
    ]

    private static func status(_ code: String, _ level: String = "error") -> String {
        #"status [{"errorId":"\#(code)","level":"\#(level)"}]"#
    }

    /// An authentication that ends with the general error and a code.
    private static func failure(_ code: String) -> [String] {
        [#"setAuthenticationStatus [0,"Generic Authentication Error"]"#, status(code), failed]
    }

    private static func signIn(isCached: Bool) -> [String] {
        [
            #"setAuthenticationStatus [1,""]"#,
            #"sendTrackingData [["true","SampleCable",null,"\#(isCached)",\#(tablet)],0]"#,
        ]
    }

    static let rows: [Row] = configurations + authentications + partners + returns + authorizations + others

    // MARK: setRequestor

    private static let configurations: [Row] = [
        Row(
            testDescription: "setRequestor", first: Row.nothing, steps: Row.setRequestor,
            callbacks: ["setRequestorComplete [1]"], requests: 0),
        Row(
            testDescription: "setRequestor, two service providers", first: Row.nothing, steps: twoOrigins,
            callbacks: ["setRequestorComplete [1]"], requests: 2),
        Row(
            testDescription: "setRequestor, two service providers, one fails", first: Row.nothing,
            steps: { bench, session in
                bench.activate(.status(503), at: .configuration)
                try await twoOrigins(bench, session)
            }, callbacks: ["setRequestorComplete [1]"], requests: 2),
        Row(
            testDescription: "setRequestor, CFG503 of two", first: Row.nothing,
            steps: Row.activating(.status(503), at: .configuration, then: twoOrigins),
            callbacks: ["setRequestorComplete [0]", status("CFG503")], requests: 2),
        Row(
            testDescription: "setRequestor, CFG429 of two", first: Row.nothing,
            steps: Row.activating(.throttled(retryAfter: nil), at: .configuration, then: twoOrigins),
            callbacks: ["setRequestorComplete [0]", status("CFG429")], requests: 2),
        Row(
            testDescription: "setRequestor, CFG404 of two", first: Row.nothing,
            steps: { bench, session in
                bench.transport.fail(at: "/configuration", with: .connecting)
                try await twoOrigins(bench, session)
            }, callbacks: ["setRequestorComplete [0]", status("CFG404")], requests: 2),
        Row(
            testDescription: "setRequestor, CFG400 of two", first: Row.nothing,
            steps: Row.activating(.error(.invalidParameterServiceProvider), at: .configuration, then: twoOrigins),
            callbacks: ["setRequestorComplete [0]", status("CFG400")], requests: 2),
        Row(
            testDescription: "setRequestor again", steps: Row.foreground, callbacks: ["setRequestorComplete [1]"],
            requests: 1),
        Row(
            testDescription: "setRequestor again, CFG404",
            steps: { bench, session in
                bench.transport.fail(at: "/profiles", with: .connecting)
                try await Row.foreground(bench, session)
            }, callbacks: ["setRequestorComplete [0]", status("CFG404")], requests: 1),
        Row(
            testDescription: "setRequestor again, CFG429",
            steps: Row.activating(.throttled(retryAfter: nil), at: .profiles, then: Row.foreground),
            callbacks: ["setRequestorComplete [0]", status("CFG429")], requests: 1),
        Row(
            testDescription: "setRequestor again, CFG502",
            steps: Row.activating(.status(502), at: .profiles, then: Row.foreground),
            callbacks: ["setRequestorComplete [0]", status("CFG502")], requests: 1),
        Row(
            testDescription: "setRequestor again, R400",
            steps: Row.activating(.error("invalid_software_statement"), at: .register, then: Row.foreground),
            callbacks: ["setRequestorComplete [0]", status("R400")], requests: 0),
        Row(
            testDescription: "setRequestor again, SEC420",
            steps: { bench, session in
                bench.transport.fail(at: "/profiles", with: .tls)
                try await Row.foreground(bench, session)
            }, callbacks: ["setRequestorComplete [0]", status("SEC420")], requests: 1),
    ]

    private static let twoOrigins: Row.Steps = { bench, session in
        _ = try? await session.setRequestor(FlowBench.requestor, at: bench.origins)
    }

    // MARK: Authentication

    private static let authentications: [Row] = [
        Row(
            testDescription: "checkAuthentication, signed out", first: Row.signedOut,
            steps: { _, session in _ = try await session.checkAuthentication() }, callbacks: notSignedIn, requests: 0),
        Row(
            testDescription: "checkAuthentication, signed in", first: Row.signedIn,
            steps: { _, session in _ = try await session.checkAuthentication() }, callbacks: signIn(isCached: true),
            requests: 0),
        Row(
            testDescription: "checkAuthentication, SEC420",
            steps: { bench, session in
                bench.transport.fail(at: "/profiles", with: .tls)
                _ = try? await session.checkAuthentication(.broker)
            }, callbacks: failure("SEC420"), requests: 1),
        Row(
            testDescription: "checkAuthentication, R400",
            steps: Row.activating(.error("invalid_software_statement"), at: .register) { _, session in
                _ = try? await session.checkAuthentication(.broker)
            }, callbacks: failure("R400"), requests: 0),
        Row(
            testDescription: "getAuthentication, signed out", first: Row.signedOut,
            steps: { _, session in _ = try await session.getAuthentication() }, callbacks: picker, requests: 1),
        Row(
            testDescription: "getAuthentication, signed in", first: Row.signedIn,
            steps: { _, session in _ = try await session.getAuthentication() }, callbacks: signIn(isCached: true),
            requests: 0),
        Row(
            testDescription: "setSelectedProvider, a browser",
            steps: { _, session in _ = try await session.setSelectedProvider("SampleCable") },
            callbacks: [chose, #"navigateToUrl ["the address"]"#], requests: 1),
        Row(
            testDescription: "setSelectedProvider, a code", kind: .television,
            steps: { bench, session in
                _ = try await session.setSelectedProvider("SampleCable")
                // It waits before it asks whether the user has signed in.
                try await eventually { bench.time.rests(with: 1) }
            },
            callbacks: [
                #"sendTrackingData [["SampleCable","unknown","ios","tvOS"],2]"#,
                #"status [{"errorId":"REGCODE","level":"success","message":"the code"}]"#,
            ], requests: 1),
        Row(
            testDescription: "setSelectedProvider, SEC403",
            steps: Row.activating(.error(.invalidParameterRedirectURL), at: .startSession) { _, session in
                _ = try? await session.setSelectedProvider("SampleCable")
            }, callbacks: [chose] + failure("SEC403"), requests: 1),
        Row(
            testDescription: "setSelectedProvider, not listed",
            first: { bench, session in
                try await Row.setRequestor(bench, session)
                _ = try await session.getAuthentication()
            }, steps: { _, session in _ = try? await session.setSelectedProvider("Nowhere") },
            callbacks: [
                #"setAuthenticationStatus [0,"Provider not Available Error"]"#, status("N500"), failed,
            ], requests: 0),
        Row(
            testDescription: "setSelectedProvider(nil)", first: Row.chosen,
            steps: { _, session in _ = try await session.setSelectedProvider(nil) },
            callbacks: [noProvider, status("N005", "info")], requests: 0),
    ]

    // MARK: The device's sign-on partner

    private static let partners: [Row] = [
        Row(
            testDescription: "getAuthentication, the partner's picker", first: Row.partnered,
            steps: { _, session in _ = try await session.getAuthentication() }, callbacks: [partnersPicker],
            requests: 1),
        Row(
            testDescription: "getAuthentication, who was not asked for permission", first: Row.saying(.undetermined),
            steps: { _, session in _ = try await session.getAuthentication() }, callbacks: [partnersPicker],
            requests: 1),
        Row(
            testDescription: "getAuthentication, the partner has said nothing", first: Row.withPartner,
            steps: { _, session in _ = try await session.getAuthentication() }, callbacks: [partnersPicker],
            requests: 1),
        Row(
            testDescription: "getAuthentication, permission was denied", first: Row.saying(.denied),
            steps: { _, session in _ = try await session.getAuthentication() },
            callbacks: [status("VSA403", "info")] + picker, requests: 1),
        Row(
            testDescription: "getAuthentication, TV_PROVIDERS", first: Row.partnered,
            steps: { _, session in
                _ = try await session.getAuthentication(filter: ProviderFilter(["SampleWireless", "SampleSatellite"]))
            },
            callbacks: [
                #"presentTvProviderDialog [{"FEATURED_TV_PROVIDERS":[],"TV_PROVIDERS":["sample-wireless","sample-satellite"]}]"#
            ], requests: 1),
        Row(
            testDescription: "getAuthentication, TV_PROVIDERS and FEATURED_TV_PROVIDERS", first: Row.partnered,
            steps: { _, session in
                let filter = try ProviderFilter(["SampleWireless", "SampleCable"], featuring: ["SampleWireless"])
                _ = try await session.getAuthentication(filter: filter)
            },
            callbacks: [
                #"presentTvProviderDialog [{"FEATURED_TV_PROVIDERS":["sample-wireless"],"TV_PROVIDERS":["sample-wireless"]}]"#
            ], requests: 1),
        Row(
            testDescription: "the partner's picker is closed", first: Row.partnered,
            steps: { _, session in _ = try await session.partnerReplied(.cancelled, toSilentQuestion: false) },
            callbacks: [status("N005", "info"), noProvider], requests: 0),
        Row(
            testDescription: "the partner is asked to confirm", first: Row.saying(.undetermined),
            steps: { bench, session in
                let partner = PartnerFramework(mappingID: "sample-satellite")
                _ = try await session.partnerReplied(.status(partner.status(at: bench.time.now)))
            }, callbacks: [#"confirmTvProvider [["userID","householdID"],true]"#], requests: 1),
        Row(
            testDescription: "permission is not given to the partner's picker either", first: Row.saying(.undetermined),
            steps: { bench, session in
                let partner = PartnerFramework(mappingID: "", choice: .undetermined)
                _ = try await session.partnerReplied(.status(partner.status(at: bench.time.now)))
            }, callbacks: [status("VSA404", "info")] + picker, requests: 1),
    ]

    // MARK: The browser's return

    private static let returns: [Row] = [
        Row(
            testDescription: "handleExternalURL", first: Row.chosen, steps: Row.returned,
            callbacks: signIn(isCached: false), requests: 1),
        Row(
            testDescription: "handleExternalURL, the code has ended", first: Row.chosen,
            steps: { bench, session in
                bench.simulator.expire(.codes)
                try await Row.returned(bench, session)
            }, callbacks: failure("N130"), requests: 1),
        Row(
            testDescription: "handleExternalURL, CFG404", first: Row.chosen,
            steps: { bench, session in
                bench.transport.fail(at: "/profiles/", with: .connecting)
                try await Row.returned(bench, session)
            }, callbacks: failure("CFG404"), requests: 1),
        Row(
            testDescription: "handleExternalURL, the broker is out of service", first: Row.chosen,
            steps: Row.activating(.status(503), at: .profileByCode, then: Row.returned), callbacks: failure("N500"),
            requests: 1),
        Row(
            testDescription: "handleExternalURL, the broker fails", first: Row.chosen,
            steps: Row.activating(.error(.internalServerError), at: .profileByCode, then: Row.returned),
            callbacks: failure("N500"), requests: 1),
        Row(
            testDescription: "handleExternalURL, too many requests", first: Row.chosen,
            steps: Row.activating(.throttled(retryAfter: nil), at: .profileByCode, then: Row.returned),
            callbacks: failure("N500"), requests: 1),
    ]

    // MARK: Authorization

    private static let authorizations: [Row] = [
        Row(
            testDescription: "checkAuthorization, signed out", first: Row.signedOut,
            steps: { _, session in _ = try? await session.checkAuthorization("news") },
            callbacks: [
                #"setAuthenticationStatus [0,"User Not Authenticated Error"]"#,
                #"tokenRequestFailed ["news","User Not Authenticated Error",""]"#,
                #"status [{"errorId":"N000","level":"info","resource":"news"}]"#,
                #"sendTrackingData [["false",null,null,null,"User Not Authenticated Error",null,\#(tablet)],1]"#,
            ], requests: 0),
        Row(
            testDescription: "checkAuthorization, permitted", first: Row.signedIn,
            steps: { _, session in _ = try await session.checkAuthorization("news") },
            callbacks: [
                #"setAuthenticationStatus [1,""]"#, #"setToken ["the token","news"]"#,
                #"sendTrackingData [["true","SampleCable",null,"false",null,null,\#(tablet)],1]"#,
            ], requests: 1),
        Row(
            testDescription: "checkAuthorization, SEC420", first: Row.signedIn,
            steps: { bench, session in
                bench.transport.fail(at: "/decisions/", with: .tls)
                _ = try? await session.checkAuthorization("news")
            },
            callbacks: [
                #"setAuthenticationStatus [1,""]"#, #"tokenRequestFailed ["news","Generic Authorization Error",""]"#,
                #"status [{"errorId":"SEC420","level":"error","resource":"news"}]"#,
                #"sendTrackingData [["false",null,null,null,"Generic Authorization Error",null,\#(tablet)],1]"#,
            ], requests: 1),
        Row(
            testDescription: "getAuthorization, permitted", first: Row.signedIn,
            steps: { _, session in _ = try await session.getAuthorization("news") },
            callbacks: [
                #"setToken ["the token","news"]"#,
                #"sendTrackingData [["true","SampleCable",null,"false",null,null,\#(tablet)],1]"#,
            ], requests: 1),
        Row(
            testDescription: "getAuthorization, signed out", first: Row.signedOut,
            steps: { _, session in _ = try await session.getAuthorization("news") }, callbacks: picker, requests: 1),
        Row(
            testDescription: "checkPreauthorizedResources", first: Row.signedIn,
            steps: { _, session in _ = await session.checkPreauthorizedResources(["news", "sim:deny"]) },
            callbacks: [#"preauthorizedResources [["news"]]"#], requests: 1),
        Row(
            testDescription: "checkPreauthorizedResources, signed out", first: Row.signedOut,
            steps: { _, session in _ = await session.checkPreauthorizedResources(["news"]) },
            callbacks: ["preauthorizedResources [[]]", status("N000", "info")], requests: 0),
        Row(
            testDescription: "checkPreauthorizedResources, P100", first: Row.signedIn,
            steps: Row.activating(.throttled(retryAfter: nil), at: .preauthorize) { _, session in
                _ = await session.checkPreauthorizedResources(["news"])
            }, callbacks: ["preauthorizedResources [[]]", status("P100")], requests: 1),
    ]

    // MARK: Logout, provider, metadata

    private static let others: [Row] = [
        Row(
            testDescription: "logout, signed out", first: Row.signedOut,
            steps: { _, session in _ = try await session.logout() },
            callbacks: [#"setAuthenticationStatus [0,"User Not Authenticated Error"]"#], requests: 0),
        Row(
            testDescription: "logout", first: Row.signedIn, steps: { _, session in _ = try await session.logout() },
            callbacks: [#"navigateToUrl ["the address"]"#], requests: 1),
        Row(
            testDescription: "logout, the browser comes back",
            first: { bench, session in
                try await Row.signedIn(bench, session)
                _ = try await session.logout()
            }, steps: { _, session in _ = try await session.handleExternalURL(FlowBench.redirect) },
            callbacks: [#"setAuthenticationStatus [0,"User Not Authenticated Error"]"#], requests: 0),
        Row(
            testDescription: "logout, two pages",
            first: { bench, session in
                try await Row.signedIn(bench, session)
                try await bench.signIn(session, with: "SampleSatellite")
            },
            steps: { bench, session in
                _ = try await session.logout()
                try await Row.returned(bench, session)
                try await Row.returned(bench, session)
            },
            callbacks: [
                #"navigateToUrl ["the address"]"#, #"navigateToUrl ["the address"]"#,
                #"setAuthenticationStatus [0,"User Not Authenticated Error"]"#,
            ], requests: 2),
        Row(
            testDescription: "getSelectedProvider", steps: { _, session in _ = try await session.selectedProvider() },
            callbacks: ["selectedProvider [null]"], requests: 0),
        Row(
            testDescription: "getMetadata, the device's identifier",
            steps: { _, session in _ = try await session.metadata(.deviceIdentifier) },
            callbacks: [#"setMetadataStatus [null,false,2,{"METADATA_OPCODE_KEY":"METADATA_DEVICE_ID"}]"#], requests: 0),
        Row(
            testDescription: "getMetadata, an attribute", first: Row.signedIn,
            steps: { _, session in _ = try await session.metadata(.userMetadata("zip")) },
            callbacks: [
                #"setMetadataStatus [["77754"],false,3,"#
                    + #"{"METADATA_OPCODE_KEY":"METADATA_USER_META","METADATA_USER_META_KEY":"zip"}]"#
            ], requests: 0),
    ]

    // MARK: The test

    @Test(arguments: rows)
    func `A call has the callbacks of the library, and no other`(row: Row) async throws {
        var settings = FlowBench.patientSettings
        (settings.maximumRepeatsWhenThrottled, settings.maximumRepeatsAfterFailures) = (0, 0)
        let bench = try FlowBench([.sample, .sample], settings: settings)
        var options = SessionOptions()
        options.partnerSignIn = .onDemand
        let session = try bench.newSession(row.kind, options: options)
        try await row.first(bench, session)
        let before = Self.requests(bench)
        let log = EventLog(of: session)
        try await row.steps(bench, session)
        var seen: [String] = []
        for event in await log.next() { seen += await session.callbacks(of: event).map(Self.text) }
        #expect(seen == row.callbacks)
        #expect(Self.requests(bench) - before == row.requests)
    }

    /// How many requests of the broker's API were made, without those of the registration.
    private static func requests(_ bench: FlowBench) -> Int {
        bench.transport.requests.count { $0.path?.hasPrefix("/api/v2/") == true }
    }

    /// A callback by its name and the JSON of its arguments; of providers their identifiers, and names in the place of what
    /// is another one in each run.
    private static func text(of callback: LegacyCallback) -> String {
        var arguments = callback.arguments
        switch callback.name {
        case "displayProviderDialog": arguments = [.array((arguments[0].array ?? []).compactMap { $0["ID"] })]
        case "navigateToUrl": arguments[0] = .string("the address")
        case "setToken": arguments[0] = .string("the token")
        case "confirmTvProvider":
            arguments = [arguments[0]["attributeNames"] ?? .null, arguments[0]["allowsInterruption"] ?? .null]
        case "status":
            if case .object(var members) = arguments[0], members["errorId"] == .string("REGCODE") {
                members["message"] = .string("the code")
                arguments = [.object(members)]
            }
        default: break
        }
        return "\(callback.name) \(JSON.array(arguments).json)"
    }
}
#endif
