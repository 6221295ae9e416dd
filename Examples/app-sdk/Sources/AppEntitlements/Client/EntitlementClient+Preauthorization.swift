extension EntitlementClient {
    /// The most resources of one request.
    private static let chunk = 25

    /// Asks which resources are permitted, for marks in lists: `preauthorizedResources`.
    ///
    /// It does not stand for a question before playback. If it fails, none are, and `status` says `N000` or `P100` after it.
    ///
    /// - Parameters:
    ///   - resources: The resources.
    ///   - cache: Whether permits of the last half hour count; without, the broker is asked for all.
    public func checkPreauthorizedResources(_ resources: [String], cache: Bool = true) {
        enqueue {
            let response = await self.decide(resources, cache: cache)
            let (events, code) = (response.failure?.events ?? [], response.failure?.words(in: .preauthorization).code)
            self.tell(events, at: "preauthorized", or: code) {
                self.delegate?.preauthorizedResources(response.resources.filter(\.authorized).map(\.id))
            }
        }
    }

    /// The same with the reasons of the denials: `preauthorize` of the operator's library from 3.6 on.
    ///
    /// - Parameters:
    ///   - resources: The resources.
    ///   - cache: Whether permits of the last half hour count (`LOCAL_CACHE`).
    /// - Returns: An answer for each resource, or why there is none.
    public func preauthorize(_ resources: [String], cache: Bool = true) async -> PreauthorizeResponse {
        await withCheckedContinuation { continuation in
            enqueue { continuation.resume(returning: await self.decide(resources, cache: cache)) }
        }
    }

    private func decide(_ resources: [String], cache: Bool) async -> PreauthorizeResponse {
        let mine = epoch
        var found: [String: PreauthorizeResponse.Resource] = [:]
        let now = time.now()
        for id in resources where cache && permits.permits(id, at: now) { found[id] = .init(id: id, authorized: true) }
        var left: [String] = []
        for id in resources where found[id] == nil && !left.contains(id) { left.append(id) }
        do throws(GatewayError) {
            let gateway = try ready()
            while !left.isEmpty {
                let answer = try await gateway.send(.preauthorize(Array(left.prefix(Self.chunk)), cache: cache))
                left.removeFirst(min(Self.chunk, left.count))
                guard answer.code == "preauthorized", epoch == mine else {
                    throw .unreadable(status: 200, retryAfter: nil)
                }
                for id in answer[texts: "permitted"] {
                    found[id] = .init(id: id, authorized: true)
                    permits.take(id, at: now)
                }
                for denied in answer.body["denied"]?.elements ?? [] {
                    guard let id = denied["resource"]?.text else { continue }
                    permits.drop(id)
                    found[id] = .init(
                        id: id, authorized: false, code: denied["code"]?.text, message: denied["message"]?.text)
                }
                for id in answer[texts: "notMentioned"] {
                    permits.drop(id)
                    found[id] = .init(id: id, authorized: false, isNotMentioned: true)
                }
            }
        } catch {
            return PreauthorizeResponse(resources: [], failure: error)
        }
        // What the gateway leaves out is not permitted.
        return PreauthorizeResponse(
            resources: resources.map { found[$0] ?? .init(id: $0, authorized: false) }, failure: nil)
    }
}

/// The answer to `preauthorize`.
public struct PreauthorizeResponse: Sendable, Hashable {
    /// What was decided of a resource.
    public struct Resource: Sendable, Hashable {
        /// The resource.
        public let id: String
        /// Whether it is permitted.
        public let authorized: Bool
        /// Why it is not, by the broker's code; `nil` if it is, or the broker does not say.
        public var code: String?
        /// The provider's text for the viewer, without markup.
        public var message: String?
        /// Whether the broker leaves it out, as a rule because it is not gated: do not show it as denied.
        public var isNotMentioned = false
    }

    /// An answer for each resource, in the order of the call; empty if the call failed.
    public let resources: [Resource]
    /// Why the call failed; `nil` if it did not.
    public let failure: GatewayError?

    /// The code of the operator's class `Status` for ``failure``: the library's own ones, or the gateway's.
    public var failureCode: String? {
        switch failure {
        case nil: nil
        case .requestorNotSet: "requestor_not_configured"
        case .transport: "network_error"
        case .unreadable: "server_response_format_unknown"
        case .refused(let refusal) where refusal.code == "not_authenticated": "authentication_session_missing"
        case .refused(let refusal) where Gateway.unregistered.contains(refusal.code): "access_token_unavailable"
        case .some(let error): error.code
        }
    }
}
