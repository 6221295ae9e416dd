#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Hummingbird
import NIOCore
import OpenSSLBridge
import ServiceResponses
import TextCodecs

extension DeviceCall {
    /// `GET /v1/providers`: the picker's list, filtered and ordered by the app's settings.
    ///
    /// The tag names the list, which is the same for all devices of an app on a platform. The remembered provider,
    /// which differs from device to device, does not change it: so it is a weak tag.
    func showProviders() async throws -> Response {
        let providers = try await app.lists.providers(for: info, call.userAgent, from: call.client.address)
        var list = JSONWriter()
        list.member("code", "providers")
        list.member("providers", providers.map { $0.object(withPartnerFlags: info.isOfPartnerPlatform) })
        let tag = try Self.tag(of: list.finished)
        if let remembered = remembered(among: providers) { list.member("remembered", remembered.rawValue) }
        let isKnown = call.request.headers[.ifNoneMatch].map { $0.names(tag) } ?? false
        var response =
            isKnown ? Response(status: .notModified) : Response("application/json", list.line())
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = "private, no-cache"
        // One device's list must not be taken for that of another app or platform.
        response.headers.append(HTTPField(name: .vary, value: "Authorization, Cookie"))
        return response
    }

    private static func tag(of list: [UInt8]) throws -> String {
        let hash = try list.withSpan { bytes throws(OpenSSLFailure) in
            try Digest.sha256.hash(bytes, in: 0..<bytes.count)
        }
        return "W/\"\(Base64.encodeURLSafe(Array(hash.prefix(16))))\""
    }
}

extension String {
    /// Whether a value of `If-None-Match` names a tag; weak and strong ones compare alike (RFC 9110 §13.1.2).
    fileprivate func names(_ tag: String) -> Bool {
        if self == "*" { return true }
        let opaque = tag.trimmingPrefix("W/")
        return split(separator: ",").contains { part in
            part.trimmingPrefix { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
                .trimmingPrefix("W/") == opaque
        }
    }
}

extension MVPD {
    /// The name that people are shown.
    var nameForPeople: String { displayName ?? id.rawValue }

    /// The provider as apps see it, with or without what a device with a sign-on partner needs.
    func object(withPartnerFlags hasPartnerFlags: Bool) -> JSONWriter {
        var object = JSONWriter()
        object.member("id", id.rawValue)
        object.member("name", nameForPeople)
        if let logoURL, logoURL.hasPrefix("https://") { object.member("logo", logoURL) }
        if isTemporaryAccess == true { object.member("temporary", true) }
        guard hasPartnerFlags else { return object }
        var partner = JSONWriter()
        if let platformMappingID { partner.member("mappingId", platformMappingID) }
        if let boardingStatus { partner.member("boardingStatus", boardingStatus.rawValue) }
        if let enablesPlatformServices { partner.member("platformServices", enablesPlatformServices) }
        if let appearsInPlatformPicker { partner.member("inPlatformPicker", appearsInPlatformPicker) }
        if let enforcesPlatformPermissions { partner.member("enforcesPermission", enforcesPlatformPermissions) }
        object.member("partner", partner)
        return object
    }
}

extension DeviceInfo {
    /// How the device is named on another screen: its maker and model, or else its kind.
    var nameForPeople: String {
        let kind = self[.primaryHardwareType].map { Self.kinds[$0] ?? $0 }
        let maker = self[.manufacturer] ?? self[.vendor]
        let model = [maker, self[.model]].compactMap(\.self).joined(separator: " ")
        guard !model.isEmpty else { return kind ?? "Device" }
        return kind.map { "\(model) (\($0))" } ?? model
    }

    private static let kinds = [
        "TV": "TV", "SetTopBox": "set-top box", "GamesConsole": "games console", "MediaPlayer": "media player",
        "MobilePhone": "phone", "Tablet": "tablet", "Desktop": "computer", "Projector": "projector",
    ]
}
#endif
