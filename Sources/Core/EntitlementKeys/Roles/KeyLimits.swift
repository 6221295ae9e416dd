import OpenSSLBridge

/// The checks that an RSA key must pass before it is used.
struct KeyLimits {
    let minimumBits: Int
    /// What to do about a key of another algorithm.
    var advice = "an RSA key is needed"

    /// The most bits of any key: longer ones cost time for nothing.
    static let maximumBits = 8192
    /// For public keys: tokens signed with 1024 bits are in use.
    static let verification = KeyLimits(minimumBits: 1024)
    /// For private keys that make new signatures.
    static let signing = KeyLimits(minimumBits: 2048)
    /// For keys of which it is not known what they are for.
    static let inspection = KeyLimits(minimumBits: verification.minimumBits, advice: rsaOrP256IsNeeded)

    /// What to do about a key of another algorithm where both are taken.
    static let rsaOrP256IsNeeded = "an RSA or a P-256 key is needed"

    /// Refuses a key that is not RSA with an acceptable size and a sound exponent.
    ///
    /// An exponent of 1 makes every padded digest its own signature, and OpenSSL verifies it without complaint. Primes
    /// are tested only for tiny factors: a full test takes longer than a thousand verifications, and the issuer of the
    /// key is trusted.
    func check(_ key: borrowing PKey, file: String) throws(KeyError) -> KeyFacts {
        let facts = try naming(file, key.facts)
        guard facts.algorithm == "RSA" else {
            if facts.algorithm == "EC", try naming(file, key.p256Fault(isPrivate: false)) == nil {
                throw .unsupported(
                    file: file, found: "a P-256 key",
                    advice: "it is for playback sessions (ES256), Common Access Tokens and CloudFront policies with "
                        + "SHA-256; everything else needs an RSA key")
            }
            throw .unsupported(file: file, found: "a key for \(facts.algorithm)", advice: advice)
        }
        guard facts.bits >= minimumBits else {
            throw .tooSmall(file: file, bits: facts.bits, minimum: minimumBits)
        }
        guard facts.bits <= Self.maximumBits else { throw .tooLarge(file: file, bits: facts.bits) }
        guard facts.modulusIsOdd else {
            throw .unsupported(file: file, found: "an RSA key with an even modulus", advice: "the file is damaged")
        }
        guard let exponent = facts.exponent, exponent > 1, exponent % 2 == 1, exponent <= UInt32.max else {
            throw .weakExponent(file: file)
        }
        if let factor = try naming(file, key.tinyFactor) {
            throw .unsupported(
                file: file, found: "an RSA key whose modulus is divisible by \(factor)",
                advice: "it protects nothing; ask its owner for a new one")
        }
        return facts
    }

    /// Refuses a private key that does not pass `check`, that has more than two primes, or that is damaged.
    func checkPrivate(_ storage: KeyStorage, file: String) throws(KeyError) {
        _ = try check(storage.key, file: file)
        let hasMorePrimes: Bool
        let isConsistent: Bool
        let signsWell: Bool
        do throws(OpenSSLFailure) {
            hasMorePrimes = try storage.key.hasMoreThanTwoPrimes
            isConsistent = hasMorePrimes ? false : try storage.key.isConsistent
            signsWell = isConsistent ? try storage.signsWell() : false
        } catch {
            throw .unreadable(file: file, reason: "the private key is damaged (\(error))")
        }
        if hasMorePrimes {
            throw .unsupported(
                file: file, found: "an RSA key of more than two primes",
                advice: "make one of two primes: tve keys generate, or openssl genrsa without -primes")
        }
        guard isConsistent else {
            throw .unreadable(file: file, reason: "the private key is damaged: its numbers do not belong together")
        }
        guard signsWell else {
            throw .unreadable(file: file, reason: "the private key is damaged: its signatures do not verify")
        }
    }
}

/// Does `work` of libcrypto, and adds the name of the file to its error.
func naming<Success>(
    _ file: String,
    _ work: @autoclosure () throws(OpenSSLFailure) -> Success
) throws(KeyError) -> Success {
    do throws(OpenSSLFailure) {
        return try work()
    } catch {
        throw .unreadable(file: file, reason: error.description)
    }
}

extension KeyStorage {
    /// Signs a fixed digest and verifies the signature: a damaged key may sign wrongly without an error.
    fileprivate func signsWell() throws(OpenSSLFailure) -> Bool {
        let digest = [UInt8](repeating: 0x5A, count: Digest.sha256.length)
        let (signed, signature) = (digest[...], try key.sign(digest, as: .sha256)[...])
        let information = try key.subjectPublicKeyInfo[...]
        let verifier = try SignatureVerifier(key: PKey(subjectPublicKeyInfo: information.span), digest: .sha256)
        return try verifier.isValid(signature.span, digest: signed.span)
    }
}
