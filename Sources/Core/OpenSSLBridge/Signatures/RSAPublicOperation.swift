import CLibrary
import COpenSSL

/// Raises signatures to the public exponent of an RSA key (RSAVP1, RFC 8017 §5.2.2), with libcrypto's Montgomery
/// multiplication.
///
/// A verification uses no secret, so its time may depend on its input, and a handful of multiplications is enough: no
/// provider, no context to copy for each call, no lock on a shared one. The encoded message is compared as a whole
/// (RFC 8017 §8.2.2), so no padding has to be parsed.
@safe
package final class RSAPublicOperation: @unchecked Sendable {
    // Only the initialiser changes them: the functions of libcrypto that are called below take them as constants.
    private let modulus: OpaquePointer
    private let montgomery: OpaquePointer
    /// The number of squarings: the public exponent is 2^squarings + 1.
    private let squarings: Int
    /// Length of the modulus in bytes.
    let length: Int

    /// Prepares a key of any algorithm; `nil` if the key is left to EVP.
    ///
    /// EVP keeps keys with exponents other than 3, 17 and 65537, keys whose size is not a multiple of 64 bits, keys for
    /// which the two implementations give different results, and all keys if the process must use a FIPS module.
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

    /// Tells whether a signature, raised to the public exponent, is the encoded message that ends with a digest.
    ///
    /// The signature has as many bytes as the modulus; `prefix` is the encoded message before the digest. Throws if
    /// libcrypto could not decide.
    func isValid(
        _ signature: Span<UInt8>,
        digest: Span<UInt8>,
        after prefix: borrowing EncodedMessagePrefix
    ) throws(OpenSSLFailure) -> Bool {
        try unsafe withNumbers { number, power, context throws(OpenSSLFailure) in
            guard try unsafe raise(signature, in: number, into: power, context: context) else { return false }
            // The signature is not needed any more: its place takes the encoded message.
            guard unsafe fill(number, digest), unsafe BN_add(number, number, prefix.number) == 1 else {
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

    /// Raises a signature to the public exponent; `false` if it is not below the modulus.
    private func raise(
        _ signature: Span<UInt8>,
        in number: OpaquePointer,
        into power: OpaquePointer,
        context: OpaquePointer
    ) throws(OpenSSLFailure) -> Bool {
        guard unsafe fill(number, signature) else { throw OpenSSLFailure("verifying") }
        guard unsafe BN_cmp(number, modulus) < 0 else { return false }
        var isDone = unsafe BN_to_montgomery(power, number, montgomery, context) == 1
        for _ in 0..<squarings where isDone {
            isDone = unsafe BN_mod_mul_montgomery(power, power, power, montgomery, context) == 1
        }
        // One factor is not in Montgomery form, so the product is not either.
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

    /// Tells whether RSAVP1 of a signature representative gives a message representative.
    ///
    /// `false` for a signature that is not below the modulus. Throws if libcrypto could not decide.
    package func isMessageRepresentative(
        _ message: [UInt8],
        of signature: [UInt8]
    ) throws(OpenSSLFailure) -> Bool {
        let (message, signature) = (message[...], signature[...])
        return try unsafe withNumbers { number, power, context throws(OpenSSLFailure) in
            guard try unsafe raise(signature.span, in: number, into: power, context: context) else { return false }
            guard unsafe fill(number, message.span) else { throw OpenSSLFailure("verifying") }
            return unsafe BN_cmp(power, number) == 0
        }
    }

    /// Tells whether EVP gives the same results for some numbers.
    private func agrees(with key: borrowing PKey) throws(OpenSSLFailure) -> Bool {
        for pattern: UInt8 in [0x00, 0x01, 0x55, 0x7F] {
            // Odd, below the modulus, whose highest bit is set, and with neighbouring bytes that differ.
            let signature = (0..<length).map { $0 == 0 ? pattern : UInt8(truncatingIfNeeded: $0 &* 2 &+ 1) ^ pattern }
            let message = try key.messageRepresentative(of: signature)
            guard try isMessageRepresentative(message, of: signature) else { return false }
        }
        return true
    }
}

/// The encoded message (EMSA-PKCS1-v1_5, RFC 8017 §9.2) before its digest, as a number with zeros for the digest.
@safe
struct EncodedMessagePrefix: ~Copyable, @unchecked Sendable {
    // Only the initialiser changes it.
    let number: OpaquePointer

    /// Encodes the prefix for one digest and one length of the modulus in bytes.
    init(digest: Digest, length: Int) throws(OpenSSLFailure) {
        let filling = max(0, length - 3 - digest.digestInfoPrefix.count - digest.length)
        let bytes =
            [0x00, 0x01] + [UInt8](repeating: 0xFF, count: filling) + [0x00] + digest.digestInfoPrefix
            + [UInt8](repeating: 0, count: digest.length)
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
    /// Raises a number to the public exponent with EVP: RSAVP1, which is RSAEP under another name (RFC 8017 §5).
    ///
    /// The number has as many bytes as the modulus, and so has the result. Throws also if the number is not below the
    /// modulus.
    package func messageRepresentative(of signature: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        let operation = "raising to the public exponent"
        return try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure(operation)
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_encrypt_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1
            else { throw OpenSSLFailure(operation) }
            guard let message = unsafe encrypted(signature, capacity: signature.count, in: context) else {
                throw OpenSSLFailure(operation)
            }
            return message
        }
    }
}

/// Gives each thread its own scratch memory for big numbers (`BN_CTX`).
///
/// Making one for each verification would take a twelfth of a verification with 1024 bits. Threads share nothing, so
/// threads share neither a lock nor a cache line. The numbers left in it are public: signatures and their powers.
@safe
private enum ThreadBNContext {
    /// The calling thread's `BN_CTX`; `nil` if memory ran out.
    static var context: OpaquePointer? {
        guard let slot else { return nil }
        if let kept = unsafe pthread_getspecific(slot) { return OpaquePointer(kept) }
        guard let context = unsafe BN_CTX_new() else { return nil }
        guard unsafe pthread_setspecific(slot, UnsafeRawPointer(context)) == 0 else {
            unsafe BN_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    /// The key under which each thread keeps its own; freed with the thread.
    private static let slot: pthread_key_t? = {
        var slot = pthread_key_t()
        return unsafe pthread_key_create(&slot) { unsafe BN_CTX_free(OpaquePointer($0)) } == 0 ? slot : nil
    }()
}
