import Crypto
import CryptoExtras
import Foundation
import JWTKit
import TVETokens

extension Workload {
    /// The calls that a program would make without this library; the signature is decoded beforehand.
    static func references(_ issuer: Issuer) throws -> [Workload] {
        let parts = try TokenParts(of: issuer.token())
        let floor = issuer.floor
        // Below 2048 bits, swift-crypto takes a key only through an initializer called unsafe.
        let pem = issuer.keys.keys[0].publicKeyPEM
        let key = try _RSA.Signing.PublicKey(unsafePEMRepresentation: pem)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(parts.signature))
        let text = Data(parts.signed)
        return [
            Workload(issuer.floorName) { floor.verify(parts) },
            Workload("usual: EVP_DigestVerifyInit and EVP_DigestVerify, \(issuer.bits) bits", floor: issuer.floorName) {
                floor.verifyUsual(parts)
            },
            Workload("swift-crypto: bare _RSA verify, \(issuer.bits) bits", floor: issuer.floorName) {
                key.isValidSignature(signature, for: SHA256.hash(data: text), padding: .insecurePKCS1v1_5)
            },
        ]
    }

    /// A JSON Web Token (RS256) with the same claims as the media token.
    static func jwtKit(_ issuer: Issuer) throws -> Workload {
        let privateKey = try Insecure.RSA.PrivateKey(pem: String(contentsOfFile: issuer.path, encoding: .utf8))
        let publicKey = try Insecure.RSA.PublicKey(pem: issuer.keys.keys[0].publicKeyPEM)
        let prepared = Task {
            let signer = await JWTKeyCollection().add(rsa: privateKey, digestAlgorithm: .sha256)
            let verifier = await JWTKeyCollection().add(rsa: publicKey, digestAlgorithm: .sha256)
            return (verifier: verifier, token: try await signer.sign(Claims()))
        }
        return Workload(
            "jwt-kit: whole RS256 token, \(issuer.bits) bits", floor: issuer.floorName,
            repeated: { times in
                let (verifier, token) = try await prepared.value
                for _ in 0..<times {
                    let claims = try await verifier.verify(token, as: Claims.self)
                    guard claims.requestor == "REF30", claims.resource == Issuer.resource else { return false }
                }
                return true
            })
    }
}

private struct Claims: JWTPayload {
    var sub: SubjectClaim = "00112233445566778899aabbccddeeff"
    var requestor = "REF30"
    var resource = Issuer.resource
    var mvpd = "TestMVPD"
    var iat = IssuedAtClaim(value: Date(timeIntervalSince1970: 1_768_498_200))
    /// Far in the future, because jwt-kit takes the time from the machine.
    var exp = ExpirationClaim(value: Date(timeIntervalSince1970: 4_102_444_800))

    func verify(using _: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
    }
}
