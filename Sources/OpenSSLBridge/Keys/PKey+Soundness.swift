import COpenSSL

/// The primes below 2048: a modulus that one of them divides is no product of two large primes.
private let tinyPrimes: [UInt] = {
    var isComposite = [Bool](repeating: false, count: 2048)
    for factor in 2..<46 where !isComposite[factor] {
        for multiple in stride(from: factor * factor, to: 2048, by: factor) { isComposite[multiple] = true }
    }
    return (2..<2048).filter { !isComposite[Int($0)] }
}()

extension PKey {
    /// A prime below 2048 that divides the modulus of an RSA key; `nil` where there is none.
    ///
    /// Costs some 0.1 ms. A full primality test would take a thousand times as long, and needs the private key.
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

    /// Tells whether the numbers of a private RSA key belong together.
    ///
    /// OpenSSL signs rightly with a wrong dP, dQ or qInv (it checks its own result and takes the slow way), so a
    /// signature proves nothing about them; its own check tests the primes as well, which takes long.
    /// A key that holds no primes answers `true`: a trial signature is all that can be asked of it.
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

        guard try unsafe isExponent(dP, modulo: p, d, e, less, rest),
            try unsafe isExponent(dQ, modulo: q, d, e, less, rest)
        else { return false }
        guard unsafe BN_mod_mul(rest, inverse, q, p, context) == 1 else {
            throw OpenSSLFailure("checking a private key")
        }
        return unsafe BN_is_one(rest) == 1
    }

    /// Tells whether an exponent is d modulo (prime - 1), and d the inverse of e there; the last two are scratch.
    private func isExponent(
        _ exponent: OpaquePointer,
        modulo prime: OpaquePointer,
        _ d: OpaquePointer,
        _ e: OpaquePointer,
        _ less: OpaquePointer,
        _ rest: OpaquePointer
    ) throws(OpenSSLFailure) -> Bool {
        guard unsafe BN_sub(less, prime, BN_value_one()) == 1, unsafe BN_div(nil, rest, d, less, context) == 1 else {
            throw OpenSSLFailure("checking a private key")
        }
        guard unsafe BN_cmp(rest, exponent) == 0 else { return false }
        guard unsafe BN_mod_mul(rest, d, e, less, context) == 1 else { throw OpenSSLFailure("checking a private key") }
        return unsafe BN_is_one(rest) == 1
    }
}
