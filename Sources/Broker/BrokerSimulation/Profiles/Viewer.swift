#if Client
import BrokerMessages
import EntitlementKeys
import EntitlementValues
import OpenSSLBridge
import RequestorSigning
import ServiceResponses
import TextCodecs

extension Exchange {
    /// The viewer of a request about one provider.
    ///
    /// With `needsIdentity`, promotional access is refused without the identity that it goes by.
    mutating func viewer(
        of mvpd: SimulatedMVPD?,
        _ requestor: SimulatedRequestor,
        holder: ProfileHolder,
        needsIdentity: Bool = true
    ) throws(Refusal) -> Viewer {
        var viewer = Viewer(requestor: requestor.id, holder: holder)
        viewer.identities = identities(of: requestor)
        if headers.partner.partnerFault(at: now) == nil { viewer.partnerMapping = headers.partner?.provider.mappingID }
        if let mvpd, let offer = mvpd.temporaryAccess {
            var subjects = [TrialKey.Subject.device(holder.device)]
            if offer.isPromotional, let person = try person(isNeeded: needsIdentity) { subjects.append(person) }
            viewer.trialKeys = subjects.map { TrialKey(requestor: requestor.id, mvpd: mvpd.id, subject: $0) }
        }
        return viewer
    }

    /// Promotional access counts for the person as for the device: the one of them that has less left decides.
    ///
    /// Other temporary access counts for the device only, whatever person the request names.
    private func person(isNeeded: Bool) throws(Refusal) -> TrialKey.Subject? {
        guard let identity = headers.temporary else {
            if isNeeded { throw .code(.invalidHeaderIdentityForTemporaryAccess) }
            return nil
        }
        return .identity(identity.json)
    }

    /// SHA-256 in hexadecimal digits.
    static func hash(of text: String) throws(Refusal) -> String {
        try rethrowing(Hex.encode(Digest.sha256.hash(Array(text.utf8)))) { (failure: OpenSSLFailure) in
            Refusal.failure(failure.description)
        }
    }

    /// The identities that came with the request.
    ///
    /// A service token that does not verify is noted and counts for nothing: no error is documented for it.
    mutating func identities(of requestor: SimulatedRequestor) -> [SharedIdentity] {
        var identities: [SharedIdentity] = []
        if let token = headers.service {
            do throws(RequestorSigningError) {
                let claims = try verified(token, of: requestor)
                if let issuer = claims.issuer, let subject = claims.subject {
                    identities.append(.serviceToken(issuer: issuer, subject: subject))
                }
            } catch {
                notes.append("AD-Service-Token is not taken: \(error.code)")
            }
        }
        if let token = headers.platform { identities.append(.platform("\(token.name) \(token.compact)")) }
        return identities
    }

    private func verified(
        _ token: ServiceToken,
        of requestor: SimulatedRequestor
    ) throws(RequestorSigningError) -> JSONWebTokenClaims {
        let pem = requestor.serviceTokenKeys.joined(separator: "\n")
        guard let keys = try? VerificationKeys(Array(pem.utf8), named: "service token keys") else {
            throw .badSignature
        }
        let expectations = JSONWebTokenExpectations(issuer: .unchecked, subject: .unchecked, audience: .unchecked)
        return try ServiceTokenVerifier(keys: keys).verify(token.compact, expecting: expectations, at: now).claims
    }
}

/// How the viewer at a device stands with a provider.
enum Standing: Sendable, Hashable {
    /// A rule of the operator admits all users without a sign-in.
    case degraded
    case temporary(TrialBalance)
    /// Signed in; the type is what applications are told.
    case signedIn(HeldProfile, as: ProfileType)
    case expired
    case missing
}

/// Who asks for a profile: the device, and what it says about its viewer.
struct Viewer: Sendable, Hashable {
    let requestor: RequestorID
    let holder: ProfileHolder
    /// The identities that came with the request, checked.
    var identities: [SharedIdentity] = []
    /// The mapping id of a device platform's status that may be used; `nil` if none came, or it may not.
    var partnerMapping: String?
    /// The counts of temporary access that the request falls under, for one provider.
    var trialKeys: [TrialKey] = []
}

extension SimulatorState {
    /// How a viewer stands with a provider.
    func standing(of viewer: Viewer, with mvpd: SimulatedMVPD, at now: Timestamp) -> Standing {
        if let offer = mvpd.temporaryAccess { return .temporary(balance(of: offer, viewer.trialKeys)) }
        if world.admittingRule(for: viewer.requestor, mvpd.id) != nil { return .degraded }
        if let found = profile(of: viewer, with: mvpd, at: now) { return .signedIn(found.profile, as: found.type) }
        let own = profiles[viewer.holder]?[mvpd.id]
        return own != nil && own?.isLive(at: now) == false ? .expired : .missing
    }

    /// The live profile that a viewer has with a provider: the device's own, else one that an identity brings.
    func profile(
        of viewer: Viewer,
        with mvpd: SimulatedMVPD,
        at now: Timestamp
    ) -> (profile: HeldProfile, type: ProfileType)? {
        if let own = profiles[viewer.holder]?[mvpd.id], own.isLive(at: now) {
            // The platform's sign-on holds only as long as the platform says so.
            let isCurrent = own.type != .appleSSO || viewer.partnerMapping == mvpd.partner?.mappingID
            if isCurrent { return (own, own.type) }
        }
        return sharedProfile(of: viewer, with: mvpd, at: now)
    }

    /// The live profile that an identity brings the viewer.
    func sharedProfile(
        of viewer: Viewer,
        with mvpd: SimulatedMVPD,
        at now: Timestamp
    ) -> (profile: HeldProfile, type: ProfileType)? {
        for identity in viewer.identities {
            if let shared = sharedProfiles[identity]?[mvpd.id], shared.isLive(at: now) {
                return (shared, identity.profileType)
            }
        }
        return nil
    }

    /// All live profiles of a viewer, in the order of the brand's providers.
    ///
    /// No user signs in for temporary access: a profile from before a provider was changed to it does not count.
    func profiles(of viewer: Viewer, at now: Timestamp) -> [(profile: HeldProfile, type: ProfileType)] {
        let mvpds = world.requestor(viewer.requestor)?.mvpds.compactMap { world.mvpd($0) } ?? []
        return mvpds.filter { $0.temporaryAccess == nil }.compactMap { profile(of: viewer, with: $0, at: now) }
    }
}
#endif
