#if Service
import EntitlementValues
import HTTPTypes
import MediaTokens

/// The rules of `/v1/authz`: which requestors and resources pass, and where a request names them.
struct AuthzRules: Sendable {
    /// Where the proxy puts the URI of the original request.
    enum URISource: String, CaseIterable {
        /// In `X-Original-URI`, as the example for nginx sets it.
        case originalURI = "x-original-uri"
        /// In `X-Forwarded-Uri`, as Caddy and Traefik set it.
        case forwardedURI = "x-forwarded-uri"
        /// After `/v1/authz` in the path, as Envoy appends it.
        case path
    }

    enum Requestor: Sendable {
        case anyOf([RequestorID])
        case header(HTTPField.Name)
    }

    enum Resource: Sendable {
        case map(ResourceMap)
        case header(HTTPField.Name)
    }

    let requestor: Requestor
    let resource: Resource
    let uriSource: URISource
    /// Whether the settings say where the proxy puts the URI; if not, it is where most do.
    let isURISourceSet: Bool
    /// The query parameter of the original request that may hold the token.
    let tokenParameter: String?

    /// Reads the group `authz`.
    init(from reader: inout SettingsReader) {
        requestor = Self.requestor(from: &reader)
        resource = Self.resource(from: &reader)
        isURISourceSet = reader.isSet("authz.uri")
        uriSource = reader.choice("authz.uri", default: .originalURI)
        tokenParameter = reader.parameter("authz.tokenParameter")
    }

    private static func requestor(from reader: inout SettingsReader) -> Requestor {
        let list = reader.list("authz.requestors", ifEmpty: "name the requestors whose tokens pass")
        let header = reader.header("authz.requestorHeader")
        switch (list, header) {
        case (let list?, nil): return .anyOf(list.map(RequestorID.init))
        case (nil, let header?): return .header(header)
        case (_?, _?):
            reader.report(.conflict, of: "authz.requestors", detail: "set this or authz.requestorHeader, not both")
        case (nil, nil) where reader.isInDoubt("authz.requestorHeader"): break
        case (nil, nil):
            reader.report(
                .missing, of: "authz.requestors",
                detail: "name the requestors whose tokens pass, or set authz.requestorHeader")
        }
        return .anyOf([])
    }

    private static func resource(from reader: inout SettingsReader) -> Resource {
        let list = reader.list("authz.resources", ifEmpty: "say which path belongs to which resource")
        let header = reader.header("authz.resourceHeader")
        switch (list, header) {
        case (let list?, nil):
            var faults: [String] = []
            let map = ResourceMap(list, faults: &faults)
            for fault in faults { reader.report(.badValue, of: "authz.resources", detail: fault) }
            return .map(map)
        case (nil, let header?): return .header(header)
        case (_?, _?):
            reader.report(.conflict, of: "authz.resources", detail: "set this or authz.resourceHeader, not both")
        case (nil, nil) where reader.isInDoubt("authz.resourceHeader"): break
        case (nil, nil):
            reader.report(
                .missing, of: "authz.resources",
                detail: "say which path belongs to which resource (\"/live/ref30/* REF30\"), or set "
                    + "authz.resourceHeader")
        }
        return .map(ResourceMap())
    }
}
#endif
