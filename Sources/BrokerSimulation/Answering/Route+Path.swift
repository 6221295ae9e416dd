#if Client
import EntitlementValues
import TextCodecs

extension Route {
    /// What a method and a path lead to.
    enum Match: Sendable, Hashable {
        case route(Route)
        /// There is such a path, but not for this method; it takes others.
        case wrongMethod(allowed: [String], isForBrowsers: Bool)
        case unknown
    }

    /// Finds the endpoint of a request.
    ///
    /// - Parameters:
    ///   - method: The method, in upper case.
    ///   - path: The path without a query, percent-encoded. A slash at its end is ignored, as the broker does.
    /// - Returns: The endpoint, or why there is none.
    static func find(_ method: String, _ path: String) -> Match {
        var segments: [String] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard let bytes = Percent.decode(Array(part)), let text = bytes.withSpan({ String(validating: $0) }) else {
                return .unknown
            }
            segments.append(text)
        }
        if segments.last == "" { segments.removeLast() }
        guard !segments.contains("") else { return .unknown }
        let routes = all(segments)
        guard !routes.isEmpty else { return .unknown }
        let isForBrowsers = routes.values.contains(where: \.isForBrowsers)
        return routes[method].map(Match.route)
            ?? .wrongMethod(allowed: routes.keys.sorted(), isForBrowsers: isForBrowsers)
    }

    /// The routes of a path, by method.
    private static func all(_ path: [String]) -> [String: Route] {
        switch path.count {
        case 3 where path == ["o", "client", "register"]: ["POST": .register]
        case 3 where path == ["o", "client", "token"]: ["POST": .token]
        case 3 where path == ["reset-tempass", "v3", "reset"]: ["DELETE": .resetTemporaryAccess]
        case 4 where path == ["reset-tempass", "v3", "reset", "generic"]: ["DELETE": .resetPromotion]
        case 3 where path[0] == "sim" && path[1] == "logout": ["GET": .logoutPage(RequestorID(path[2]))]
        case 4... where path[0] == "api" && path[1] == "v2": versionTwo(Array(path.dropFirst(2)))
        default: [:]
        }
    }

    private static func versionTwo(_ path: [String]) -> [String: Route] {
        if path.count == 3, path[0] == "authenticate" {
            return ["GET": .userAgent(RequestorID(path[1]), code: path[2])]
        }
        let requestor = RequestorID(path[0])
        switch (path[1], path.count) {
        case ("configuration", 2): return ["GET": .configuration(requestor)]
        case ("sessions", 2): return ["POST": .createSession(requestor)]
        case ("sessions", 3):
            return [
                "POST": .resumeSession(requestor, code: path[2]), "GET": .sessionStatus(requestor, code: path[2]),
            ]
        case ("sessions", 4) where path[2] == "sso": return ["POST": .partnerSession(requestor, partner: path[3])]
        case ("profiles", 2): return ["GET": .profiles(requestor)]
        case ("profiles", 3): return ["GET": .profile(requestor, MVPDID(path[2]))]
        case ("profiles", 4) where path[2] == "code": return ["GET": .profileOfCode(requestor, code: path[3])]
        case ("profiles", 4) where path[2] == "sso": return ["POST": .partnerProfile(requestor, partner: path[3])]
        case ("decisions", 4) where path[2] == "authorize": return ["POST": .authorize(requestor, MVPDID(path[3]))]
        case ("decisions", 4) where path[2] == "preauthorize":
            return ["POST": .preauthorize(requestor, MVPDID(path[3]))]
        case ("logout", 3): return ["GET": .logout(requestor, MVPDID(path[2]))]
        default: return [:]
        }
    }
}
#endif
