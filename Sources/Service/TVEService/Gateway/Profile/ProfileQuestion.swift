#if Service
import EntitlementFlows
import EntitlementValues
import Hummingbird
import MetadataDecryption
import ServiceResponses
import TextCodecs

/// `GET /v1/profile`: who is signed in until when, with the attributes that the app's settings let through.
struct ProfileQuestion {
    private let device: DeviceCall

    init(_ device: DeviceCall) { self.device = device }

    /// Answers the device.
    ///
    /// - Throws: `GatewayRefusal`.
    func answer() async throws -> Response {
        let source: StatusSource
        switch device.call.query("refresh") {
        case nil, "0": source = .record
        case "1": source = .broker
        default: throw GatewayRefusal.badRequest("refresh is neither 0 nor 1")
        }
        try device.requireRecord()
        let profile: Profile?
        do {
            profile = try await device.withSession { session in try await session.profile(source) }
        } catch let error as EntitlementFlowError {
            device.count(.failed, of: nil)
            throw GatewayRefusal(error)
        }
        guard let profile else {
            device.count(.denied, of: nil)
            throw GatewayRefusal(EntitlementFlowError.notAuthenticated)
        }
        device.count(PlayOutcome(profileOf: profile.type), of: profile.mvpd)
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
            of: profile.attributes, lettingThrough: Set(device.app.settings.attributes),
            decryptedWith: device.call.configuration.decrypter)
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
