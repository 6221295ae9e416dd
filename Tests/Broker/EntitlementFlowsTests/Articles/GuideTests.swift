#if Client
import BrokerClient
import DeviceRecords
import EntitlementFlows
import EntitlementValues
import Foundation
import ServiceResponses
import Testing

/// The migration guide has each call, callback and code of the operator's library, and says of them what the code does.
@Suite struct GuideTests {
    private static let guide = "LeavingTheSDK.md"

    // MARK: First things

    @Test func `The guide says first what no code can change`() throws {
        let lines = try FlowArticles.article(Self.guide)
        let headings = lines.filter { $0.hasPrefix("###") }
        #expect(headings.first == "### Before you begin")
        let text = FlowArticles.words(of: try FlowArticles.section("### Before you begin", of: Self.guide))
        for fact in [
            "No login survives", "The app and its activation page move together", "One flow never mixes them",
            "new software statement", "scope of V2", "Custom schemes, requestor identifiers", "provider identifiers",
            "share of devices", "wave of logins",
        ] { #expect(text.contains(fact), "\(fact)") }
    }

    // MARK: Calls and callbacks

    @Test(arguments: [
        "init(softwareStatement)", "setOptions", "visitorID", "device_info", "applicationProfile", "handleSVC: true",
        "setRequestor(id)", "setRequestor(id, serviceProviders:)", "setRequestor(signedRequestorId…)", "secret:",
        "publicKey:", "checkAuthentication", "getAuthentication",
        "getAuthentication(forceAuthn, withData:, andFilter:)", "TV_PROVIDERS", "FEATURED_TV_PROVIDERS",
        "setSelectedProvider(id)", "setSelectedProvider(nil)", "handleExternalURL(url)", "getAuthenticationToken",
        "checkAuthorization(resource)", "getAuthorization(resource)", "withData:",
        "checkPreauthorizedResources(resources)", "checkPreauthorizedResources(resources, cache:)",
        "preauthorize(request)", "LOCAL_CACHE", "REMOTE_CACHE", "logout", "getSelectedProvider", "getMetadata(keys)",
        "status(dictionary)", "EntitlementStatus", "sendTrackingData(data, event)",
    ])
    func `Each call of the library is in the guide`(call: String) throws {
        let names = try FlowArticles.rows("### Calls", of: Self.guide).flatMap { FlowArticles.names(in: $0.joined()) }
        #expect(names.contains(call))
    }

    @Test func `Each row of calls has three cells that say something`() throws {
        let rows = try FlowArticles.rows("### Calls", of: Self.guide)
        #expect(rows.count >= 20)
        for row in rows { #expect(row.count == 3 && row.allSatisfy { !$0.isEmpty }, "\(row)") }
    }

    @Test(arguments: [
        "setRequestorComplete:", "setAuthenticationStatus:errorCode:", "displayProviderDialog:", "navigateToUrl:",
        "navigateToUrl:useSVC:", "presentTvProviderDialog:", "dismissTvProviderDialog:", "setToken:forResource:",
        "tokenRequestFailed:errorCode:errorDescription:", "preauthorizedResources:", "selectedProvider:",
        "setMetadataStatus:encrypted:forKey:andArguments:", "sendTrackingData:forEventType:", "status:",
    ])
    func `Each callback of the library is in the guide`(selector: String) throws {
        let first = try FlowArticles.rows("### Callbacks", of: Self.guide).compactMap(\.first)
        #expect(first.contains("`\(selector)`"))
    }

    @Test(arguments: [
        "requestor_not_configured", "authentication_session_missing", "access_token_unavailable",
        "server_response_format_unknown", "network_error", "degradation", "retry-after",
    ])
    func `The library's own words for preauthorize are in the guide`(name: String) throws {
        let text = try FlowArticles.section("### Callbacks", of: Self.guide).joined(separator: "\n")
        #expect(FlowArticles.names(in: text).contains(name))
    }

    // MARK: Errors and codes

    @Test func `Each error of the first system is in the guide`() throws {
        let rows = try FlowArticles.rows("### Errors of the first system", of: Self.guide)
        #expect(Set(rows.map { $0[1] }.filter { $0 != "(empty)" }) == Set(OriginalError.documented.map { "`\($0)`" }))
    }

    @Test func `Each code is in the guide, with its level and whether it is sent`() throws {
        let rows = try FlowArticles.rows("### Codes of the second system", of: Self.guide)
        var found: Set<String> = []
        for row in rows {
            let isSent = !row[2].hasPrefix("never sent")
            for name in FlowArticles.names(in: row[0]) {
                found.insert(name)
                let code = StatusCode(name)
                #expect(code.isSent == isSent, "\(name)")
                #expect(code.level.rawValue == row[1], "\(name)")
            }
        }
        let spellings: Set = ["AAPL_ERROR", "APPL_ERROR"]
        let families: Set = ["CFG5xx", "IS2xx", "IS4xx", "IS5xx"]
        #expect(found == Set(StatusCode.documented.map(\.rawValue)).subtracting(spellings).union(families))
        #expect(try FlowArticles.article(Self.guide).contains { $0.contains("`AAPL_ERROR` and `APPL_ERROR`") })
    }

    @Test func `The mapping of the broker's codes is what the code does`() throws {
        let rows = try FlowArticles.rows("### The broker's codes in the old words", of: Self.guide)
        var count = 0
        for row in rows {
            let names = FlowArticles.names(in: row[0])
            let codes = names.map { EnhancedErrorCode($0).legacy(in: .authorization) }
            guard let first = codes.first, first != nil, names.first != "too_many_resources" else { continue }
            for (name, error) in zip(names, codes) {
                count += 1
                #expect(FlowArticles.names(in: row[1]).first == error?.original?.rawValue, "\(name)")
                #expect(FlowArticles.names(in: row[2]).first == error?.code?.rawValue, "\(name)")
            }
        }
        #expect(count == 16)
        #expect(EnhancedErrorCode.tooManyResources.legacy(in: .preauthorization) == LegacyError(nil, "P100"))
        #expect(EnhancedErrorCode.internalServerError.legacy(in: .authentication)?.code == "N500")
    }

    // MARK: Metadata and tracking

    @Test func `The guide has the names and numbers of metadata and tracking`() throws {
        let metadata = try FlowArticles.section("### Metadata", of: Self.guide).joined(separator: "\n")
        let questions: [MetadataQuestion] = [
            .authenticationTTL, .authorizationTTL("R"), .deviceIdentifier, .userMetadata(nil),
        ]
        for question in questions {
            #expect(metadata.contains("`\(question.legacyName)` (\(question.legacyNumber))"))
        }
        #expect(metadata.contains("METADATA_RESOURCE_ID_KEY") && metadata.contains("METADATA_USER_META_KEY"))
        #expect(metadata.contains("tokenSource"))
        let tracking = try FlowArticles.rows("### Tracking", of: Self.guide)
        let device = TrackedDevice(deviceType: "d", clientType: "c", system: "s")
        for kind in TrackingEvent.Kind.allCases {
            let row = try #require(tracking.first { $0[0] == "`\(kind.legacyName)` (\(kind.legacyNumber))" })
            #expect(row[1] == "`\(kind.olderName)`")
            let places = row[2].components(separatedBy: ";")[0].components(separatedBy: ",").count
            #expect(TrackingEvent(kind, isSuccess: true, mvpd: "M", on: device).array.count == places)
        }
    }

    // MARK: Differences

    @Test(arguments: [
        "Several service providers", "Forced authentication", "Skipping the picker", "Passive authentication",
        "Where tokens are", "Logout", "Cancelling at the provider", "One selected provider", "Data dictionaries",
    ])
    func `Each difference is in the guide`(topic: String) throws {
        let lines = try FlowArticles.section("### What is different, and why", of: Self.guide)
        #expect(lines.contains { $0.first?.isNumber == true && $0.contains("**\(topic)") })
    }

    @Test(arguments: [
        "presentTvProviderDialog:", "dismissTvProviderDialog:", "VSAccountManager", "WKWebView",
        "SFSafariViewController", "useSVC", "NSUserDefaults", "IDFV", "setRequestorComplete:", "adobepass://ios.app",
    ])
    func `What is only data on a server is in the guide`(name: String) throws {
        let rows = try FlowArticles.rows("### What is only data on a server", of: Self.guide)
        #expect(rows.contains { FlowArticles.names(in: $0[0]).contains(name) })
        #expect(rows.contains { $0[0].contains("pasteboard") } && rows.contains { $0[0].contains("main thread") })
        #expect(rows.contains { $0[0].contains("importer of tokens") })
    }

    @Test func `What is refused is in the guide, with the reason`() throws {
        let rows = try FlowArticles.rows("### What is refused, and why", of: Self.guide)
        #expect(rows.allSatisfy { $0.count == 2 && !$0[1].isEmpty })
        for name in ["init", "signedRequestorId", "handleSVC: false", "withData:", "TV_PROVIDERS"] {
            #expect(rows.contains { FlowArticles.names(in: $0[0]).contains(name) }, "\(name)")
        }
    }

    @Test(arguments: [
        "listener", "cancelled while it waits", "before `setRequestor`", "client address", "a new code",
        "another provider", "`setSelectedProvider(nil)`", "a logout", "another device identifier", "erased",
    ])
    func `What comes at the same time is in the overview`(topic: String) throws {
        let rows = try FlowArticles.rows("### At the same time", of: "EntitlementFlows.md")
        #expect(rows.count { $0[0].contains(topic) } == 1)
    }

    // MARK: Privacy

    @Test func `The page on privacy has the limits of the code`() throws {
        let text = FlowArticles.words(of: try FlowArticles.article("WhatIsStored.md"))
        #expect(DeviceDirectory.lifetime == TimeToLive.hours(400 * 24) && text.contains("400 days"))
        #expect(RequestorRecord.maximumDecisions == 64 && text.contains("at most 64"))
        #expect(RequestorRecord.maximumOtherProfiles == 8 && text.contains("at most 8"))
        #expect(PollingLease.duration == .seconds(15) && text.contains("15 seconds"))
        #expect(BrokerSettings().rememberedDevices == 10_000 && text.contains("the 10,000 devices"))
        let limits = DeviceSessions.Limits()
        #expect(
            limits.capacity == 10_000 && limits.idleTime == .seconds(600) && text.contains("until 10 minutes after"))
        for word in ["AES-256-GCM", "HMAC-SHA-256", "forgetDevices(of: subscriber)", "tve devices erase"] {
            #expect(text.contains(word), "\(word)")
        }
    }
}
#endif
