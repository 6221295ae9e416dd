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
    func answer() async throws -> Response {
        let source: StatusSource
        switch try device.call.query("refresh") {
        case nil, "0": source = .record
        case "1": source = .broker
        default: throw RequestError.badRequest("refresh is neither 0 nor 1")
        }
        try device.requireRecord()
        let profile: Profile?
        do {
            profile = try await device.withSession { session in try await session.profile(source) }
        } catch let error as EntitlementFlowError {
            device.count(.failed, of: nil)
            throw error
        }
        guard let profile else {
            device.count(.denied, of: nil)
            throw EntitlementFlowError.notAuthenticated
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
        if !shown.unreadable.isEmpty { object.member("unreadable", shown.unreadable) }
        return object
    }
}

/// The attributes of a user that an app may see, decrypted as far as there are keys.
struct ShownAttributes {
    /// The values by name, in the order of the profile.
    private(set) var object = JSONWriter()
    /// The names of those that have a value which cannot be read: no key decrypts it, or it is malformed.
    private(set) var unreadable: [String] = []

    /// Reads the attributes that the app may see; the others are not even decrypted.
    ///
    /// They are given as the broker sent them. The decrypter is `nil` if there are no keys.
    init(of attributes: UserMetadata, lettingThrough names: Set<String>, decryptedWith decrypter: MetadataDecrypter?) {
        let visible = UserMetadata(attributes.entries.filter { names.contains($0.name.rawValue) })
        for entry in (decrypter.map { visible.decrypted(with: $0) } ?? visible).entries {
            switch entry.value {
            case .success(let value): add(value, named: entry.name.rawValue)
            // The broker sent an error in place of the value: there is none.
            case .failure(.reported): continue
            case .failure: unreadable.append(entry.name.rawValue)
            }
        }
    }

    private mutating func add(_ value: AttributeValue, named name: String) {
        switch value.content {
        case .null: return
        case .text(let text): object.member(name, text)
        case .boolean(let bool): object.member(name, bool)
        case .list(let texts): object.member(name, texts)
        // Of these, the text is JSON.
        case .number, .object, .other: object.member(name, raw: value.text.utf8)
        }
    }
}
#endif
