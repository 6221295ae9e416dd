#if Service
import BrokerMessages
import EntitlementFlows
import EntitlementValues
import HTTPTypes
import Hummingbird
import NIOCore
import OpenSSLBridge
import TextCodecs

extension DeviceCall {
    /// `GET /v1/providers`: the picker's list, filtered and ordered by the app's settings.
    ///
    /// The tag is that of the list, the same for all devices of an app and a platform; the remembered provider, which a
    /// device has for itself, makes no other list, so the tag is a weak one.
    func showProviders() async throws -> Response {
        let providers = try await app.lists.providers(for: info, from: call.client.address)
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
#endif
