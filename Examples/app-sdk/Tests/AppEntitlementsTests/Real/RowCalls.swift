import AppEntitlements
import Testing

/// What is called for a row: by a tablet, a television, or a device with a sign-on partner.
///
/// Where the broker or the network fails, the answer of the gateway is written down here, or the request to it gets lost.
struct RowCalls: Sendable {
    typealias Steps = @MainActor @Sendable (RowApp) async throws -> Void

    var kind = RowApp.Kind.tablet
    /// What comes before, and is not looked at.
    var first: Steps = { app in try await app.start() }
    let steps: Steps

    private static let setRequestor: Steps = { app in app.client.setRequestor("tv") }
    private static let nothing: Steps = { _ in }
    private static let signedIn: Steps = { app in try await app.signIn() }
    private static let signedOut: Steps = { app in
        try await app.start()
        app.client.checkAuthentication()
        try await app.recorder.wait(for: "sendTrackingData")
    }

    private static func answering(_ call: String, _ reply: ScriptedTransport.Reply, then steps: @escaping Steps)
        -> Steps
    {
        { app in
            app.transport.on(call, reply)
            try await steps(app)
        }
    }

    /// Lets the broker fail, for the devices of this row.
    private static func failing(_ scenario: String, at endpoint: String, then steps: @escaping Steps) -> Steps {
        { app in
            let body = #"{"scenario":"\#(scenario)","endpoints":["\#(endpoint)"]}"#
            try await app.gateway.control("PUT", "sim/scenarios/row", body)
            try await steps(app)
            try await app.settle()
            try await app.gateway.control("DELETE", "sim/scenarios/row")
        }
    }

    static let all: [String: RowCalls] = {
        [authentications, partners, others].reduce(configurations) { all, more in all.merging(more) { own, _ in own } }
    }()

    // MARK: setRequestor

    private static let configurations: [String: RowCalls] = {
        let throttled = ScriptedTransport.Reply.refused(429, "throttled", "retry", retryAfter: "60")
        // Of several servers that all fail; here the gateway is the one.
        let starts: [(String, ScriptedTransport.Reply)] = [
            ("CFG503", .refused(503, "store_unavailable", "retry", retryAfter: "60")), ("CFG429", throttled),
            ("CFG404", .fails(.notConnected)), ("CFG400", .refused(400, "bad_request", "none")),
        ]
        let returns: [(String, ScriptedTransport.Reply)] = [
            ("CFG404", .fails(.notConnected)), ("CFG429", throttled),
            ("CFG502", .refused(502, "broker_unreadable", "retry", retryAfter: "60")),
            ("R400", .refused(502, "statement_refused", "none")), ("SEC420", .fails(.notTrusted)),
        ]
        var rows = [
            "setRequestor": RowCalls(first: nothing, steps: setRequestor),
            "setRequestor again": RowCalls(steps: setRequestor),
        ]
        for (code, reply) in starts {
            let steps = answering("POST /v1/devices", reply, then: setRequestor)
            rows["setRequestor, \(code) of two"] = RowCalls(first: nothing, steps: steps)
        }
        for (code, reply) in returns {
            rows["setRequestor again, \(code)"] = RowCalls(
                steps: answering("GET /v1/profile", reply, then: setRequestor))
        }
        return rows
    }()

    // MARK: Authentication

    private static let authentications: [String: RowCalls] = [
        "checkAuthentication, signed out": RowCalls(first: signedOut) { app in app.client.checkAuthentication() },
        "checkAuthentication, signed in": RowCalls(first: signedIn) { app in app.client.checkAuthentication() },
        "checkAuthentication, SEC420": RowCalls(
            steps: answering("GET /v1/authentication", .fails(.notTrusted)) { app in app.client.checkAuthentication() }),
        // The broker is not asked by checkAuthentication here, but by the call that follows it.
        "checkAuthentication, R400": RowCalls(
            steps: failing("error:invalid_software_statement", at: "register") { app in app.client.getAuthentication() }
        ),
        "getAuthentication, signed out": RowCalls(first: signedOut) { app in app.client.getAuthentication() },
        "getAuthentication, signed in": RowCalls(first: signedIn) { app in app.client.getAuthentication() },
        "setSelectedProvider, a browser": RowCalls { app in app.client.setSelectedProvider("SampleCable") },
        "setSelectedProvider, a code": RowCalls(kind: .television) { app in
            app.client.setSelectedProvider("SampleCable")
        },
        "setSelectedProvider, SEC403": RowCalls(
            steps: failing("error:invalid_parameter_redirect_url", at: "start_session") { app in
                app.client.setSelectedProvider("SampleCable")
            }),
        "setSelectedProvider, not listed": RowCalls(
            first: { app in
                try await app.start()
                app.client.getAuthentication()
                try await app.recorder.wait(for: "displayProviderDialog")
            }, steps: { app in app.client.setSelectedProvider("Nowhere") }),
        "setSelectedProvider(nil)": RowCalls(first: { app in try await app.choose() }) { app in
            app.client.setSelectedProvider(nil)
        },
        "handleExternalURL": RowCalls(first: { app in try await app.logIn() }) { app in
            app.client.handleExternalURL(app.end)
        },
        "handleExternalURL, the code has ended": RowCalls(
            first: { app in try await app.choose() },
            steps: answering(
                "GET /v1/authentication", .ok(#"{"code":"not_authenticated","reason":"code_ended","events":[]}"#)
            ) { app in app.client.handleExternalURL(RealGateway.returnTo) }),
        "handleExternalURL, CFG404": returned(.fails(.notConnected)),
        // The gateway asks a broker that fails once more, and the app waits; here what the app asks fails, the gateway.
        "handleExternalURL, the broker is out of service": returned(.json(503, "<html>", retryAfter: "60")),
        "handleExternalURL, the broker fails": returned(.json(500, "<html>", retryAfter: "60")),
        "handleExternalURL, too many requests": returned(.json(429, "<html>", retryAfter: "60")),
    ]

    /// The browser comes back, and the app's proof of it is answered otherwise.
    private static func returned(_ reply: ScriptedTransport.Reply) -> RowCalls {
        RowCalls(
            first: { app in try await app.logIn() },
            steps: answering("PUT /v1/authentication", reply) { app in app.client.handleExternalURL(app.end) })
    }

    // MARK: The device's sign-on partner

    private static let partners: [String: RowCalls] = [
        "getAuthentication, the partner's picker": picking(saying: PartnerStatus(.granted)),
        "getAuthentication, who was not asked for permission": picking(saying: PartnerStatus(.notDetermined)),
        "getAuthentication, the partner has said nothing": picking(saying: nil),
        "getAuthentication, permission was denied": RowCalls(kind: .partnered(PartnerStatus(.denied))) { app in
            app.client.getAuthentication()
        },
        "getAuthentication, TV_PROVIDERS": picking(
            saying: PartnerStatus(.granted), ["TV_PROVIDERS": ["SampleWireless", "SampleSatellite"]]),
        "getAuthentication, TV_PROVIDERS and FEATURED_TV_PROVIDERS": picking(
            saying: PartnerStatus(.granted),
            ["TV_PROVIDERS": ["SampleWireless", "SampleCable"], "FEATURED_TV_PROVIDERS": ["SampleWireless"]]),
        "the partner's picker is closed": replying(.cancelled, of: PartnerStatus(.granted)),
        "the partner is asked to confirm": replying(
            .status(
                PartnerStatus(.granted, provider: "sample-satellite", expires: GatewayTime.device.now() + 3_600_000)),
            of: PartnerStatus(.notDetermined)),
        "permission is not given to the partner's picker either": replying(
            .status(PartnerStatus(.notDetermined)), of: PartnerStatus(.notDetermined)),
    ]

    /// The picker of the device's system is shown.
    private static func picking(saying status: PartnerStatus?, _ filter: [String: [String]]? = nil) -> RowCalls {
        RowCalls(kind: .partnered(status)) { app in
            app.client.getAuthentication(andFilter: filter)
            try await app.recorder.wait(for: "presentTvProviderDialog")
        }
    }

    /// The picker of the device's system is answered.
    private static func replying(_ reply: PartnerReply, of status: PartnerStatus) -> RowCalls {
        RowCalls(
            kind: .partnered(status),
            first: { app in
                try await app.start()
                app.client.getAuthentication()
                try await app.recorder.wait(for: "presentTvProviderDialog")
            }, steps: { app in app.partner?.answer(reply) })
    }

    // MARK: Authorization, logout, provider, metadata

    private static let others: [String: RowCalls] = [
        "checkAuthorization, signed out": RowCalls(first: signedOut) { app in app.client.checkAuthorization("news") },
        "checkAuthorization, permitted": RowCalls(first: signedIn) { app in app.client.checkAuthorization("news") },
        "checkAuthorization, SEC420": RowCalls(
            first: signedIn,
            steps: answering("POST /v1/plays", .fails(.notTrusted)) { app in app.client.checkAuthorization("news") }),
        "getAuthorization, permitted": RowCalls(first: signedIn) { app in app.client.getAuthorization("news") },
        "getAuthorization, signed out": RowCalls(first: signedOut) { app in app.client.getAuthorization("news") },
        "checkPreauthorizedResources": RowCalls(first: signedIn) { app in
            app.client.checkPreauthorizedResources(["news", "sim:deny"])
        },
        "checkPreauthorizedResources, signed out": RowCalls(first: signedOut) { app in
            app.client.checkPreauthorizedResources(["news"])
        },
        "checkPreauthorizedResources, P100": RowCalls(
            first: signedIn,
            steps: answering(
                "POST /v1/preauthorizations", .refused(429, "throttled", "retry", retryAfter: "60")
            ) { app in app.client.checkPreauthorizedResources(["news"]) }),
        "logout, signed out": RowCalls(first: signedOut) { app in app.client.logout() },
        "logout": RowCalls(first: signedIn) { app in app.client.logout() },
        "logout, the browser comes back": RowCalls(
            first: { app in
                try await app.signIn()
                app.recorder.forget()
                app.client.logout()
                try await app.recorder.wait(for: "navigateToUrl")
            }, steps: { app in app.client.handleExternalURL(RealGateway.returnTo) }),
        // The broker of these tests has a page of one provider at most for a device of the gateway.
        "logout, two pages": RowCalls(
            first: signedIn,
            steps: answering(
                "POST /v1/logout",
                .ok(
                    #"""
                    {"code":"open","url":"https://out.example.com/1","purpose":"logout","events":[
                      {"event":"open_user_agent","purpose":"logout"}],
                     "further":[{"code":"open","url":"https://out.example.com/2","purpose":"logout"}]}
                    """#)
            ) { app in
                app.client.logout()
                for page in 1...2 {
                    try await app.recorder.wait(for: page, of: "logout, two pages")
                    app.client.handleExternalURL(RealGateway.returnTo)
                }
            }),
        "getSelectedProvider": RowCalls { app in app.client.getSelectedProvider() },
        "getMetadata, the device's identifier": RowCalls { app in
            app.client.getMetadata(["METADATA_OPCODE_KEY": "METADATA_DEVICE_ID"])
        },
        "getMetadata, an attribute": RowCalls(first: signedIn) { app in
            app.client.getMetadata(["METADATA_OPCODE_KEY": "METADATA_USER_META", "METADATA_USER_META_KEY": "zip"])
        },
    ]
}
