#if Client
import Foundation
import Testing
import TestVectors

/// The guides for the libraries of JavaScript, Android and Fire OS have each call and callback, and name what there is.
@Suite struct OtherGuideTests {
    private static let guides = [
        "LeavingTheSDKForJavaScript.md", "LeavingTheSDKForAndroid.md", "LeavingTheSDKForFireOS.md",
    ]

    /// What the libraries of all three have.
    private static let calls: Set = [
        "setRequestor", "checkAuthentication", "getAuthentication", "setSelectedProvider", "getSelectedProvider",
        "checkAuthorization", "getAuthorization", "checkPreauthorizedResources", "getMetadata", "logout",
    ]
    private static let callbacks: Set = [
        "displayProviderDialog", "setAuthenticationStatus", "setToken", "tokenRequestFailed", "preauthorizedResources",
        "setMetadataStatus", "selectedProvider", "sendTrackingData",
    ]
    /// What only some of them have.
    private static let ownCalls: [String: Set] = [
        "LeavingTheSDKForJavaScript.md": [
            "new AccessEnabler", "preauthorize", "bind", "unbind", "backgroundLogin", "mvpdConfig",
        ],
        "LeavingTheSDKForAndroid.md": [
            "AccessEnabler.Factory.getInstance", "setOptions", "getAuthenticationToken", "preauthorize", "getVersion",
        ],
        "LeavingTheSDKForFireOS.md": [
            "AccessEnabler.Factory.getInstance", "setOptions", "getAuthenticationToken", "getVersion",
        ],
    ]
    private static let ownCallbacks: [String: Set] = [
        "LeavingTheSDKForJavaScript.md": [
            "entitlementLoaded", "setConfig", "createIFrame", "destroyIFrame", "errorEvent",
        ],
        "LeavingTheSDKForAndroid.md": ["setRequestorComplete", "navigateToUrl", "status"],
        "LeavingTheSDKForFireOS.md": ["setRequestorComplete", "navigateToUrl", "status"],
    ]

    /// The names in a column of a table, without their arguments.
    private static func names(in column: Int, of heading: String, in guide: String) throws -> Set<String> {
        let cells = try FlowArticles.rows(heading, of: guide).map { $0[column] }
        return Set(cells.flatMap { FlowArticles.names(in: $0) }.map { String($0.prefix { $0 != "(" }) })
    }

    @Test(arguments: guides) func `Each call of the library is in its guide`(guide: String) throws {
        let wanted = Self.calls.union(try #require(Self.ownCalls[guide]))
        #expect(wanted.subtracting(try Self.names(in: 0, of: "### Calls", in: guide)).isEmpty)
    }

    @Test(arguments: guides) func `Each callback of the library is in its guide`(guide: String) throws {
        let wanted = Self.callbacks.union(try #require(Self.ownCallbacks[guide]))
        #expect(wanted.subtracting(try Self.names(in: 0, of: "### Callbacks", in: guide)).isEmpty)
    }

    @Test(arguments: guides) func `Each row says what the library had, and what there is here`(guide: String) throws {
        for heading in ["### Calls", "### Callbacks"] {
            for row in try FlowArticles.rows(heading, of: guide) {
                #expect(row.count == 4 && row.prefix(3).allSatisfy { !$0.isEmpty }, "\(row)")
            }
        }
    }

    @Test(arguments: guides) func `Each method of a session has its name of the first guide`(guide: String) throws {
        let known = try FlowArticles.article("LeavingTheSDK.md").flatMap { FlowArticles.names(in: $0) }
        let methods = try FlowArticles.rows("### Calls", of: guide).flatMap { FlowArticles.names(in: $0[1]) }
            .filter { $0.hasSuffix(")") && $0.first?.isLowercase == true }
        #expect(methods.count >= 10)
        for method in methods { #expect(known.contains(method), "\(method)") }
    }

    @Test(arguments: guides) func `Each request of the gateway is in its contract`(guide: String) throws {
        let contract = Vectors.repository.appending(path: "Sources/Service/TVEService/openapi.yaml")
        let methods: Set = ["get", "post", "put", "patch", "delete"]
        var requests: Set<String> = []
        var path = ""
        for line in try FlowArticles.lines(contract) where line.hasSuffix(":") {
            let name = String(line.dropLast().drop { $0 == " " })
            if line.hasPrefix("  /") { path = name }
            if line.hasPrefix("    "), methods.contains(name) { requests.insert("\(name.uppercased()) \(path)") }
        }
        let named = try FlowArticles.article(guide).flatMap { FlowArticles.names(in: $0) }
            .filter { $0.contains(" /v1/") }
            .map { String($0.prefix { $0 != "?" }) }
        #expect(named.count >= 10)
        for request in named { #expect(requests.contains(request), "\(request)") }
    }
}
#endif
