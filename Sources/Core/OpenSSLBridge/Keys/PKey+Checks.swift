import COpenSSL

/// The primes below 2048: a modulus that one of them divides is not the product of two large primes.
private let tinyPrimes: [UInt] = {
    var isComposite = [Bool](repeating: false, count: 2048)
    for factor in 2..<46 where !isComposite[factor] {
        for multiple in stride(from: factor * factor, to: 2048, by: factor) { isComposite[multiple] = true }
    }
    return (2..<2048).filter { !isComposite[Int($0)] }
}()

extension PKey {
    /// The smallest prime below 2048 that divides the modulus of an RSA key; `nil` if there is none.
    ///
    /// Takes about 0.1 ms. A primality test would take a thousand times as long, and needs the private key.
    package var tinyFactor: Int? {
        get throws(OpenSSLFailure) {
            try withCleanErrorQueue { () throws(OpenSSLFailure) in
                var modulus: OpaquePointer?
                guard unsafe EVP_PKEY_get_bn_param(raw, OSSL_PKEY_PARAM_RSA_N, &modulus) == 1,
                    let modulus = unsafe modulus
                else { throw OpenSSLFailure("reading a number of a key") }
                defer { unsafe BN_free(modulus) }
                return tinyPrimes.first { prime in
                    unsafe BN_mod_word(modulus, prime) == 0
                }.map { Int($0) }
            }
        }
    }

    /// Whether the modulus of an RSA key is a prime, so that everybody can calculate the private key.
    ///
    /// Takes milliseconds for a good key, and seconds for a prime: it is for people who ask.
    package var hasPrimeModulus: Bool {
        get throws(OpenSSLFailure) {
            try withCleanErrorQueue { () throws(OpenSSLFailure) in
                var modulus: OpaquePointer?
                guard unsafe EVP_PKEY_get_bn_param(raw, OSSL_PKEY_PARAM_RSA_N, &modulus) == 1,
                    let modulus = unsafe modulus
                else { throw OpenSSLFailure("reading a number of a key") }
                defer { unsafe BN_free(modulus) }
                let answer = unsafe BN_check_prime(modulus, nil, nil)
                guard answer >= 0 else { throw OpenSSLFailure("testing whether a number is a prime") }
                return answer == 1
            }
        }
    }

    /// Whether a private RSA key has three primes or more (RFC 8017 §3.2), which the other checks do not cover.
    package var hasMoreThanTwoPrimes: Bool {
        get throws(OpenSSLFailure) {
            try withCleanErrorQueue { () throws(OpenSSLFailure) in
                var third: OpaquePointer?
                // A composition of macros in OpenSSL's header, which Swift cannot import.
                guard unsafe EVP_PKEY_get_bn_param(raw, "rsa-factor3", &third) == 1 else { return false }
                unsafe BN_clear_free(third)
                return true
            }
        }
    }

    /// Whether the numbers of a private RSA key belong together (RFC 8017 §3.2).
    ///
    /// A good signature proves nothing about dP, dQ and qInv: OpenSSL checks its own result and, if one of them is wrong,
    /// signs without them. Its `EVP_PKEY_check` tests the primes too, which takes long. A key without primes counts as
    /// consistent, since only a trial signature can test it.
    package var isConsistent: Bool {
        get throws(OpenSSLFailure) {
            try withCleanErrorQueue { () throws(OpenSSLFailure) in
                let numbers = try unsafe PrivateNumbers(of: raw)
                return try numbers.isConsistent()
            }
        }
    }
}

/// The numbers of a private RSA key, cleared when released.
@safe
private struct PrivateNumbers: ~Copyable {
    /// OpenSSL's names of the numbers; the macros for most of them are compositions that Swift cannot import.
    enum Part: String, CaseIterable {
        case modulus = "n"
        case publicExponent = "e"
        case privateExponent = "d"
        case p = "rsa-factor1"
        case q = "rsa-factor2"
        case dP = "rsa-exponent1"
        case dQ = "rsa-exponent2"
        case inverse = "rsa-coefficient1"
    }

    private let context: OpaquePointer
    private var numbers: [Part: OpaquePointer]

    init(of key: OpaquePointer) throws(OpenSSLFailure) {
        guard let context = unsafe BN_CTX_secure_new() else { throw OpenSSLFailure("checking a private key") }
        unsafe self.context = context
        unsafe numbers = [:]
        for part in Part.allCases {
            var number: OpaquePointer?
            if unsafe EVP_PKEY_get_bn_param(key, part.rawValue, &number) == 1, let number = unsafe number {
                unsafe numbers[part] = number
            }
        }
    }

    deinit {
        unsafe numbers.values.forEach { unsafe BN_clear_free($0) }
        unsafe BN_CTX_free(context)
    }

    func isConsistent() throws(OpenSSLFailure) -> Bool {
        guard let p = unsafe numbers[.p], let q = unsafe numbers[.q] else { return true }
        guard let n = unsafe numbers[.modulus], let e = unsafe numbers[.publicExponent],
            let d = unsafe numbers[.privateExponent], let dP = unsafe numbers[.dP], let dQ = unsafe numbers[.dQ],
            let inverse = unsafe numbers[.inverse]
        else { return false }
        unsafe BN_CTX_start(context)
        defer { unsafe BN_CTX_end(context) }
        // After one failed BN_CTX_get all later ones fail, so the last stands for all.
        guard let product = unsafe BN_CTX_get(context), let less = unsafe BN_CTX_get(context),
            let rest = unsafe BN_CTX_get(context)
        else { throw OpenSSLFailure("checking a private key") }
        guard unsafe BN_num_bits(p) > 1, unsafe BN_num_bits(q) > 1 else { return false }

        guard unsafe BN_mul(product, p, q, context) == 1 else { throw OpenSSLFailure("checking a private key") }
        guard unsafe BN_cmp(product, n) == 0 else { return false }

        let scratch = unsafe (less, rest)
        guard try unsafe isExponent(dP, prime: p, d: d, e: e, scratch: scratch),
            try unsafe isExponent(dQ, prime: q, d: d, e: e, scratch: scratch)
        else { return false }
        guard unsafe BN_mod_mul(rest, inverse, q, p, context) == 1 else {
            throw OpenSSLFailure("checking a private key")
        }
        return unsafe BN_is_one(rest) == 1
    }

    /// Tells whether an exponent is d modulo (prime - 1), and d the inverse of e in the same modulus.
    private func isExponent(
        _ exponent: OpaquePointer,
        prime: OpaquePointer,
        d: OpaquePointer,
        e: OpaquePointer,
        scratch: (OpaquePointer, OpaquePointer)
    ) throws(OpenSSLFailure) -> Bool {
        let (less, rest) = unsafe scratch
        guard unsafe BN_sub(less, prime, BN_value_one()) == 1, unsafe BN_div(nil, rest, d, less, context) == 1 else {
            throw OpenSSLFailure("checking a private key")
        }
        guard unsafe BN_cmp(rest, exponent) == 0 else { return false }
        guard unsafe BN_mod_mul(rest, d, e, less, context) == 1 else { throw OpenSSLFailure("checking a private key") }
        return unsafe BN_is_one(rest) == 1
    }
}
