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
        do throws(OpenSSLFailure) {
            return Hex.encode(try Digest.sha256.hash(Array(text.utf8)))
        } catch {
            throw .failure(error.description)
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
#endif
