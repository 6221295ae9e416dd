import COpenSSL

/// Raises signatures to the public exponent of an RSA key, with libcrypto's own Montgomery multiplication.
///
/// A verification uses no secret, so nothing has to take the same time for all inputs, and what is left of it is a
/// handful of multiplications: no provider, no context to copy for each call, no lock on a shared one. The encoded
/// message is built whole and compared whole (RFC 8017 §8.2.2), so there is no padding to parse.
@safe
package final class RSAPublicOperation: @unchecked Sendable {
    // After the initialiser both are only read: libcrypto's functions below take them as constants.
    private let modulus: OpaquePointer
    private let montgomery: OpaquePointer
    /// How often the base is squared: the exponent is 2^squarings + 1.
    private let squarings: Int
    /// Length of the modulus in bytes.
    let length: Int

    /// Prepares a key; `nil` where it is left to EVP.
    ///
    /// That is so for exponents other than 3, 17 and 65537, for sizes that are no whole number of words, for keys with
    /// which EVP and this come to different results, and where the process is held to a validated module.
    package init?(key: borrowing PKey) throws(OpenSSLFailure) {
        let facts = try key.facts
        guard facts.algorithm == "RSA", facts.modulusIsOdd, facts.bits % 64 == 0, let exponent = facts.exponent,
            let squarings = [3: 1, 17: 4, 65537: 16][exponent], EVP_default_properties_is_fips_enabled(nil) == 0
        else { return nil }
        let raw = unsafe key.raw
        unsafe (modulus, montgomery) = try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
            var modulus: OpaquePointer?
            guard unsafe EVP_PKEY_get_bn_param(raw, OSSL_PKEY_PARAM_RSA_N, &modulus) == 1, let modulus = unsafe modulus
            else { throw OpenSSLFailure("preparing a public key") }
            let context = unsafe BN_CTX_new()
            let montgomery = unsafe BN_MONT_CTX_new()
            defer { unsafe BN_CTX_free(context) }
            guard let context = unsafe context, let montgomery = unsafe montgomery,
                unsafe BN_MONT_CTX_set(montgomery, modulus, context) == 1
            else {
                let failure = OpenSSLFailure("preparing a public key")
                unsafe BN_MONT_CTX_free(montgomery)
                unsafe BN_free(modulus)
                throw failure
            }
            return unsafe (modulus, montgomery)
        }
        self.squarings = squarings
        length = facts.bits / 8
        guard try agrees(with: key) else { return nil }
    }

    deinit {
        unsafe BN_MONT_CTX_free(montgomery)
        unsafe BN_free(modulus)
    }

    /// Tells whether a signature is what the private key makes of an encoded message.
    ///
    /// - Parameters:
    ///   - signature: As many bytes as the modulus has.
    ///   - message: The bytes of the encoded message behind those of `start`.
    ///   - start: What precedes them, as a number with zeros in their place.
    /// - Returns: Whether it is.
    /// - Throws: `OpenSSLFailure` where libcrypto could not decide.
    func isValid(
        _ signature: Span<UInt8>,
        message: Span<UInt8>,
        after start: borrowing EncodedMessagePrefix
    ) throws(OpenSSLFailure) -> Bool {
        try unsafe withNumbers { number, power, context throws(OpenSSLFailure) in
            guard try unsafe raise(signature, number, into: power, context) else { return false }
            // The base is used up: its place takes the message.
            guard unsafe fill(number, message), unsafe BN_add(number, number, start.number) == 1 else {
                throw OpenSSLFailure("verifying")
            }
            return unsafe BN_cmp(power, number) == 0
        }
    }

    private func withNumbers<Answer>(
        _ body: (OpaquePointer, OpaquePointer, OpaquePointer) throws(OpenSSLFailure) -> Answer
    ) throws(OpenSSLFailure) -> Answer {
        guard let context = unsafe ThreadBNContext.context else { throw OpenSSLFailure("verifying") }
        unsafe BN_CTX_start(context)
        defer { unsafe BN_CTX_end(context) }
        // After one failed BN_CTX_get all later ones fail, so the last stands for both.
        guard let number = unsafe BN_CTX_get(context), let power = unsafe BN_CTX_get(context) else {
            throw OpenSSLFailure("verifying")
        }
        return try unsafe body(number, power, context)
    }

    /// Raises a number, which stays in `number`; `false` where it is not below the modulus.
    private func raise(
        _ base: Span<UInt8>,
        _ number: OpaquePointer,
        into power: OpaquePointer,
        _ context: OpaquePointer
    ) throws(OpenSSLFailure) -> Bool {
        guard unsafe fill(number, base) else { throw OpenSSLFailure("verifying") }
        guard unsafe BN_cmp(number, modulus) < 0 else { return false }
        var isDone = unsafe BN_to_montgomery(power, number, montgomery, context) == 1
        for _ in 0..<squarings where isDone {
            isDone = unsafe BN_mod_mul_montgomery(power, power, power, montgomery, context) == 1
        }
        // The one factor that is not in Montgomery form takes the product out of it.
        guard isDone, unsafe BN_mod_mul_montgomery(power, power, number, montgomery, context) == 1 else {
            throw OpenSSLFailure("verifying")
        }
        return true
    }

    private func fill(_ number: OpaquePointer, _ bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBufferPointer {
            unsafe BN_bin2bn($0.baseAddress, Int32(clamping: $0.count), number) != nil
        }
    }

    /// Tells whether a number raised to the public exponent is another one; no number at or above the modulus has a power.
    package func isPower(_ power: Span<UInt8>, of base: Span<UInt8>) throws(OpenSSLFailure) -> Bool {
        try unsafe withNumbers { number, found, context throws(OpenSSLFailure) in
            guard try unsafe raise(base, number, into: found, context) else { return false }
            guard unsafe fill(number, power) else { throw OpenSSLFailure("verifying") }
            return unsafe BN_cmp(found, number) == 0
        }
    }

    /// Tells whether EVP raises some numbers to the same powers.
    private func agrees(with key: borrowing PKey) throws(OpenSSLFailure) -> Bool {
        for pattern: UInt8 in [0x00, 0x01, 0x55, 0x7F] {
            // Odd, below the modulus, whose highest bit is set, and not the same in any two bytes that follow.
            let base = (0..<length).map { $0 == 0 ? pattern : UInt8(truncatingIfNeeded: $0 &* 2 &+ 1) ^ pattern }
            let power = try key.publicPower(of: base.span)
            guard try isPower(power.span, of: base.span) else { return false }
        }
        return true
    }
}

/// The bytes of encoded messages up to what differs from message to message, as a number.
@safe
struct EncodedMessagePrefix: ~Copyable, @unchecked Sendable {
    // Only read after the initialiser.
    let number: OpaquePointer

    /// Takes a start, and how many bytes will follow it.
    init(_ start: [UInt8], following count: Int) throws(OpenSSLFailure) {
        let bytes = start + [UInt8](repeating: 0, count: count)
        guard let number = unsafe BN_bin2bn(bytes, Int32(clamping: bytes.count), nil) else {
            throw OpenSSLFailure("preparing a verification")
        }
        unsafe self.number = number
    }

    deinit {
        unsafe BN_free(number)
    }
}

extension PKey {
    /// A number below the modulus, as many bytes as the modulus has, raised to the public exponent by EVP.
    ///
    /// - Throws: `OpenSSLFailure`, also where the number is not below the modulus.
    package func publicPower(of base: Span<UInt8>) throws(OpenSSLFailure) -> [UInt8] {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("raising to the public exponent")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_encrypt_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1
            else { throw OpenSSLFailure("raising to the public exponent") }
            var isDone = false
            let power = [UInt8](capacity: base.count) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                    var count = buffer.count
                    isDone =
                        unsafe base.withUnsafeBufferPointer { base in
                            unsafe EVP_PKEY_encrypt(
                                context, buffer.baseAddress, &count, base.baseAddress, base.count)
                        } == 1
                    initialized = isDone ? count : 0
                }
            }
            guard isDone else { throw OpenSSLFailure("raising to the public exponent") }
            return power
        }
    }
}
