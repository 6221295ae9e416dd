#if Service
import EntitlementFlows
import EntitlementValues
import Hummingbird
import MetadataDecryption
import ServiceResponses
import TextCodecs

/// `GET /v1/profile`: who is signed in until when, with the attributes that the app's settings let through.
struct ProfileQuestion {
    private let request: GatewayRequest

    init(_ request: GatewayRequest) { self.request = request }

    /// Answers the request.
    ///
    /// - Throws: `GatewayRefusal`.
    func answer() async throws -> Response {
        let source: StatusSource
        switch request.call.query("refresh") {
        case nil, "0": source = .record
        case "1": source = .broker
        default: throw GatewayRefusal.badRequest("refresh is neither 0 nor 1")
        }
        try request.requireRecord()
        let profile: Profile?
        do {
            profile = try await request.withSession { session in try await session.profile(source) }
        } catch let error as EntitlementFlowError {
            request.count(.failed, of: nil)
            throw GatewayRefusal(error)
        }
        guard let profile else {
            request.count(.denied, of: nil)
            throw GatewayRefusal(EntitlementFlowError.notAuthenticated)
        }
        request.count(PlayOutcome(profileOf: profile.type), of: profile.mvpd)
        return Response(.ok, object(for: profile))
    }

    private func object(for profile: Profile) -> JSONWriter {
        var object = JSONWriter()
        object.member("code", "profile")
        object.member("mvpd", profile.mvpd.rawValue)
        object.member("until", profile.notAfter.milliseconds)
        if profile.type == .degraded { object.member("degraded", true) }
        if profile.type == .temporary { object.member("temporary", TemporaryAccessTerms(of: profile).object) }
        let shown = ShownAttributes(
            of: profile.attributes, lettingThrough: Set(request.app.settings.attributes),
            decryptedWith: request.call.configuration.decrypter)
        object.member("attributes", shown.object)
        if !shown.unreadable.isEmpty {
            object.name("unreadable")
            object.array { writer in
                for name in shown.unreadable { writer.value(name) }
            }
        }
        return object
    }
}
#endif
