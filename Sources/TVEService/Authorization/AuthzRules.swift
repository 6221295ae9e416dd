#if Service
import EntitlementValues
import HTTPTypes
import MediaTokens

/// Says what a request at `/v1/authz` must be for, and where it says so.
struct AuthzRules: Sendable {
    /// Where the original request's address stands.
    enum AddressPlace: String, CaseIterable {
        /// In `X-Original-URI`, as the example for nginx sets it.
        case originalURI = "x-original-uri"
        /// In `X-Forwarded-Uri`, as Caddy and Traefik set it.
        case forwardedURI = "x-forwarded-uri"
        /// Behind `/v1/authz`, as Envoy appends it.
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
    let uriSource: AddressPlace
    /// The query parameter of the original request that may hold the token.
    let tokenParameter: String?

    init(_ reading: inout SettingsReader) {
        requestor = Self.requestor(&reading)
        resource = Self.resource(&reading)
        uriSource = reading.choice("authz.uri", default: .originalURI)
        tokenParameter = reading.parameter("authz.tokenParameter")
    }

    private static func requestor(_ reading: inout SettingsReader) -> Requestor {
        let list = reading.list("authz.requestors")
        let header = reading.header("authz.requestorHeader")
        switch (list, header) {
        case (let list?, nil): return .anyOf(list.map(RequestorID.init))
        case (nil, let header?): return .header(header)
        case (_?, _?):
            reading.note("authz.requestors", "conflict", "give it, or authz.requestorHeader, not both")
        case (nil, nil):
            reading.note(
                "authz.requestors", "missing", "name the requestors whose tokens pass, or authz.requestorHeader")
        }
        return .anyOf([])
    }

    private static func resource(_ reading: inout SettingsReader) -> Resource {
        let list = reading.list("authz.resources")
        let header = reading.header("authz.resourceHeader")
        switch (list, header) {
        case (let list?, nil):
            var faults: [String] = []
            let map = ResourceMap(list, &faults)
            for fault in faults { reading.note("authz.resources", "bad_value", fault) }
            return .map(map)
        case (nil, let header?): return .header(header)
        case (_?, _?):
            reading.note("authz.resources", "conflict", "give it, or authz.resourceHeader, not both")
        case (nil, nil):
            reading.note(
                "authz.resources", "missing",
                "say which path stands for which resource (\"/live/ref30/* REF30\"), or "
                    + "authz.resourceHeader")
        }
        return .map(ResourceMap())
    }
}
#endif
