#if Service
import HTTPTypes

/// Which web pages of other origins may start, renew and end sessions (the CORS protocol of the Fetch standard).
struct CrossOriginRules: Sendable {
    /// The origins, each as browsers write it; `*` alone for all.
    let origins: [String]
    /// Whether pages of these origins may send and get cookies.
    let allowsCredentials: Bool
    /// How long browsers remember what is allowed, in seconds.
    let maximumAge: Int

    /// Reads the settings; `nil` if no origin is allowed.
    init?(from reader: inout SettingsReader) {
        allowsCredentials = reader.bool("sessions.corsCredentials")
        maximumAge = reader.number("sessions.corsMaxAgeSeconds", in: 0...86_400, default: 600)
        reader.report(
            unused: ["sessions.corsCredentials", "sessions.corsMaxAgeSeconds"], without: "sessions.corsOrigins")
        guard let origins = reader.list("sessions.corsOrigins") else { return nil }
        self.origins = origins
        if origins.contains("*"), origins.count > 1 || allowsCredentials {
            reader.report(
                .conflict, of: "sessions.corsOrigins",
                detail: "* stands alone, and excludes sessions.corsCredentials: any page could use a viewer's cookies")
        }
        Self.check(origins, of: "sessions.corsOrigins", from: &reader)
    }

    /// Reads the origins whose pages may ask the gateway, never with cookies; `nil` if no origin is allowed.
    init?(gatewayFrom reader: inout SettingsReader) {
        (allowsCredentials, maximumAge) = (false, 600)
        guard let origins = reader.list("broker.corsOrigins") else { return nil }
        self.origins = origins
        if origins.contains("*"), origins.count > 1 {
            reader.report(.conflict, of: "broker.corsOrigins", detail: "* stands alone")
        }
        Self.check(origins, of: "broker.corsOrigins", from: &reader)
    }

    private static func check(_ origins: [String], of setting: String, from reader: inout SettingsReader) {
        for origin in origins where origin != "*" && !origin.isOrigin {
            reader.report(
                .badValue, of: setting,
                detail: "each origin is a scheme and a host, and a port if it is not the usual one: "
                    + "https://play.example.org")
        }
    }

    /// Whether a page of an origin is allowed; origins compare byte by byte, as browsers write them.
    func allows(_ origin: String) -> Bool { origins == ["*"] || origins.contains(origin) }

    /// Adds what a browser has to know before it shows an answer to a page.
    func mark(_ fields: inout HTTPFields, for origin: String?) {
        // Also if the request has no origin: else a cache could give its answer to a page of another origin.
        fields.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin, allows(origin) else { return }
        fields[.accessControlAllowOrigin] = origins == ["*"] ? "*" : origin
        if allowsCredentials { fields[.accessControlAllowCredentials] = "true" }
    }

    /// The fields of the answer to a preflight request, for a path that takes the methods.
    ///
    /// A page may send the header fields of the given names.
    func preflight(
        for origin: String?,
        taking methods: [String] = ["POST"],
        with names: [String] = ["Content-Type"]
    ) -> HTTPFields {
        var fields = HTTPFields()
        mark(&fields, for: origin)
        guard let origin, allows(origin) else { return fields }
        fields[.accessControlAllowMethods] = methods.joined(separator: ", ")
        fields[.accessControlAllowHeaders] = names.joined(separator: ", ")
        fields[.accessControlMaxAge] = String(maximumAge)
        return fields
    }
}

extension String {
    /// Whether the text is an origin as browsers write it: `https://play.example.org`, without a path.
    fileprivate var isOrigin: Bool {
        guard let scheme = ["https://", "http://"].first(where: hasPrefix) else { return false }
        let host = dropFirst(scheme.count)
        return !host.isEmpty && lowercased() == self
            && host.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"/?#@".utf8.contains($0) }
    }
}
#endif
