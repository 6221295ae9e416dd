#if Client
import EntitlementKeys
import EntitlementValues
import MetadataDecryption
import OpenSSLBridge
import ServiceResponses
import TextCodecs

/// Who holds profiles: a device together with the credentials of the application on it.
struct ProfileHolder: Sendable, Hashable {
    let client: String
    let device: String
}

/// An identity that several devices share.
enum SharedIdentity: Sendable, Hashable {
    /// The subject of a service token, by its issuer.
    case serviceToken(issuer: String, subject: String)
    /// A platform's token, as it was sent.
    case platform(String)

    /// How a profile is called that another device got by the identity.
    var profileType: ProfileType {
        switch self {
        case .serviceToken: .serviceTokenSSO
        case .platform: .platformSSO
        }
    }
}

/// A user's sign-in with a provider, as the broker keeps it.
struct HeldProfile: Sendable, Hashable {
    /// Where the user signed in; an identity shares the profile with other devices.
    let holder: ProfileHolder
    let mvpd: MVPDID
    /// The user's name in the world.
    let user: String
    /// The user's id at the provider.
    let guid: String
    /// `regular`, or that of partner sign-on.
    let type: ProfileType
    let notBefore: Timestamp
    /// May be in the past from the start: the user `expired` has such profiles.
    var notAfter: Timestamp
    /// Whether the provider ended the sign-in; the broker finds out when it asks for a decision.
    var isInvalidated = false
    /// The code with which the user signed in; `nil` for partner sign-on and profiles granted by control.
    var code: String?

    func isLive(at now: Timestamp) -> Bool { notBefore <= now && now < notAfter }
}

/// Makes the profiles that applications are shown.
struct ProfileWriter {
    let world: SimulatedWorld
    let requestor: SimulatedRequestor
    let now: Timestamp

    /// A sign-in.
    func profile(_ held: HeldProfile, as type: ProfileType) throws(Refusal) -> Profile {
        var entries = [
            UserMetadataEntry("userID", plain: JSONText(string: held.guid)),
            UserMetadataEntry("mvpd", plain: JSONText(string: held.mvpd.rawValue)),
        ]
        for attribute in world.user(held.user)?.attributes ?? [] { entries.append(try entry(attribute)) }
        return Profile(
            mvpd: held.mvpd, notBefore: held.notBefore, notAfter: held.notAfter,
            issuer: type == .appleSSO ? "Apple" : held.mvpd.rawValue, type: type, attributes: UserMetadata(entries))
    }

    /// What all users have while a rule of the operator admits them without a sign-in.
    func degradedProfile(of mvpd: MVPDID, device: String) throws(Refusal) -> Profile {
        let userID = try Self.degradedUserID(device: device)
        return Profile(
            mvpd: mvpd, notBefore: now, notAfter: now + world.lifetimes.decision, issuer: Self.brokerIssuer,
            type: .degraded, attributes: UserMetadata([UserMetadataEntry("userID", plain: JSONText(string: userID))]))
    }

    /// Temporary access, with what is left of it.
    func temporaryProfile(of mvpd: MVPDID, _ balance: TrialBalance, viewer: Viewer) throws(Refusal) -> Profile {
        let end = balance.end(at: now)
        var entries = [
            UserMetadataEntry("userID", plain: JSONText(string: try Self.temporaryUserID(viewer)))
        ]
        func add(_ name: MetadataAttribute, _ json: String) {
            if let json = JSONText(parsing: json) { entries.append(UserMetadataEntry(name, plain: json)) }
        }
        add("expiration_date", String(end.milliseconds))
        if let remaining = balance.remaining { add("remaining_resources", String(remaining)) }
        if balance.offer.maximumResources != nil {
            add("used_assets", JSONText(strings: balance.used.map(\.rawValue)).text)
        }
        return Profile(
            mvpd: mvpd, notBefore: balance.started ?? now, notAfter: end, issuer: Self.brokerIssuer, type: .temporary,
            attributes: UserMetadata(entries))
    }

    /// The issuer of profiles that no provider stands for, as on the wire.
    private static let brokerIssuer = "Adobe"

    /// The first 16 digits are those of all degraded profiles.
    static func degradedUserID(device: String) throws(Refusal) -> String {
        "95cf93bcd183214a" + (try Exchange.hash(of: device)).prefix(48)
    }

    static func temporaryUserID(_ viewer: Viewer) throws(Refusal) -> String {
        let subject: String? =
            switch viewer.trialKeys.last?.subject {
            case .identity(let json): json
            case .device(let device): device
            case nil: nil
            }
        return "temppass_" + (try Exchange.hash(of: subject ?? viewer.holder.device))
    }

    private func entry(_ attribute: SimulatedAttribute) throws(Refusal) -> UserMetadataEntry {
        let name = MetadataAttribute(attribute.name)
        guard attribute.isEncrypted else {
            return UserMetadataEntry(name, plain: JSONText(parsing: attribute.json) ?? JSONText(string: ""))
        }
        guard let certificate = requestor.metadataCertificate else {
            throw .code(.invalidConfigurationUserMetadataCertificate)
        }
        do {
            let keys = try VerificationKeys(Array(certificate.utf8), named: "metadata certificate").keys
            guard let key = keys.first else { throw Refusal.code(.invalidConfigurationUserMetadataCertificate) }
            return UserMetadataEntry(name, encrypted: try Self.encrypt(attribute.json, for: key.subjectPublicKeyInfo))
        } catch {
            throw .code(.invalidConfigurationUserMetadataCertificate)
        }
    }

    /// RSA with PKCS#1 v1.5 padding, in as many blocks as the text needs (wire facts, C.3).
    private static func encrypt(_ text: String, for information: [UInt8]) throws(OpenSSLFailure) -> String {
        let slice = information[...]
        let key = try PKey(subjectPublicKeyInfo: slice.span)
        let size = try key.signatureLength - 11
        let bytes = Array(text.utf8)
        var blocks: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            blocks += try key.encrypt(Array(bytes[start..<min(start + size, bytes.count)]), padding: .pkcs1v15)
        }
        return Base64.encode(blocks)
    }
}
#endif
