#if Client
import EntitlementKeys
import EntitlementValues
import MediaTokens
import OpenSSLBridge
import TVETesting
import TextCodecs

/// Everything that a media token says.
struct MediaTokenOrder: Sendable, Hashable {
    var requestor: RequestorID
    var resource: ResourceID
    var mvpd: MVPDID
    var proxy: MVPDID?
    /// The id that the provider gave the user; the token has its MD5.
    var guid: String
    /// To the second.
    var issued: Timestamp
    var lifetime: TimeToLive
    var fault: MediaTokenDefect?

    /// The instant at which it ends.
    var expires: Timestamp { issued + lifetime }
}

/// Signs media tokens, good ones and such as a verifier must refuse.
struct MediaTokenMint: Sendable {
    let key: SigningKey

    /// Makes a token as REST answers carry it: one layer of Base64 on one line.
    func token(_ order: MediaTokenOrder) throws(SimulationError) -> String {
        var claims = TestTokenClaims(requestor: order.requestor, resource: order.resource, issued: order.issued)
        claims.sessionGUID = SessionGUID(try Self.sessionGUID(of: order.guid))
        claims.mvpd = order.mvpd
        claims.proxyMVPD = order.proxy
        claims.ttl = order.lifetime
        claims.zoneOffset = PacificTime.offset(at: order.issued)
        if order.fault == .swappedProviders {
            (claims.mvpd, claims.proxyMVPD) = (order.proxy ?? "SimulatedProxy", order.mvpd)
        }
        var layout = TestTokenLayout()
        layout.base64Layers = 1
        if order.fault == .documentedRoot { layout.root = .shortAuthorizationToken }
        if order.fault == .closingMarker { layout.secondMarker = .closing }
        let issuer = TestMediaTokenIssuer(key: order.fault == .weakKey ? try weakKey() : key)
        do throws(TestIssuerError) {
            return try issuer.issueText(claims, layout: layout, fault: order.fault?.testFault)
        } catch {
            throw .backend(error.description)
        }
    }

    /// The broker's pseudonym of a user: the MD5 of the provider's id in hexadecimal digits.
    static func sessionGUID(of guid: String) throws(SimulationError) -> String {
        do throws(OpenSSLFailure) {
            return Hex.encode(try legacyMD5(Array(guid.utf8)))
        } catch {
            throw .backend(error.description)
        }
    }

    private func weakKey() throws(SimulationError) -> SigningKey {
        do throws(KeyError) {
            return try SigningKey.generated(bits: 1024, named: "simulator-weak")
        } catch {
            throw .keys(error.description)
        }
    }
}
#endif
