import COpenSSL
package import HostSystem

/// Signs and verifies with one key of the curve P-256: ECDSA with SHA-256 (FIPS 186-5 §6).
///
/// Everything that does not depend on the text is prepared once. Threads share no lock: each operation copies a prepared
/// context.
package final class P256: Sendable {
    private let verifying: SignatureContext
    /// `nil` for a public key.
    private let signing: SignatureContext?

    /// Prepares a key whose `p256Fault` is `nil`.
    package init(_ key: borrowing PKey, isPrivate: Bool) throws(OpenSSLFailure) {
        verifying = try SignatureContext(key: key, digest: .sha256, padding: nil, for: .verifying)
        signing = isPrivate ? try SignatureContext(key: key, digest: .sha256, padding: nil, for: .signing) : nil
    }

    /// Signs a text, in 64 bytes: r and s, of which s is not above half the order of the curve; `nil` for a public key.
    package func sign(_ text: [UInt8]) throws(OpenSSLFailure) -> P256Signature? {
        let made = try signing?.sign(Digest.sha256.hash(text), length: P256Signature.maximumLengthInDER)
        guard let made else { return nil }
        guard let signature = P256Signature(der: made) else { throw OpenSSLFailure("reading a new signature") }
        return signature.withLowS
    }

    /// Tells whether the key made a signature of a text; throws if libcrypto could not decide.
    package func isValid(_ signature: P256Signature, of text: [UInt8]) throws(OpenSSLFailure) -> Bool {
        let (der, digest) = (signature.der[...], try Digest.sha256.hash(text)[...])
        return try verifying.isValid(der.span, digest: digest.span)
    }
}

/// A signature of ECDSA with P-256: two numbers from 1 to the order of the curve, which is not among them.
package struct P256Signature: Sendable, Hashable {
    /// r and s, big-endian in 32 bytes each (RFC 7518 §3.4, RFC 9053 §2.1).
    package let concatenated: [UInt8]

    /// Takes 64 bytes; `nil` if they are others, or a number is out of its range.
    package init?(concatenated bytes: [UInt8]) {
        guard bytes.count == 64,
            [bytes[..<32], bytes[32...]].allSatisfy({ number in
                number.contains { $0 != 0 } && number.lexicographicallyPrecedes(Self.order)
            })
        else { return nil }
        concatenated = bytes
    }

    /// Reads an ECDSA-Sig-Value (RFC 3279 §2.2.3) in DER; `nil` for every other encoding of it, such as in BER.
    package init?(der: [UInt8]) {
        var numbers: [UInt8] = []
        var position = 2
        for _ in 0..<2 {
            guard position + 1 < der.count else { return nil }
            let end = position + 2 + Int(der[position + 1])
            guard end <= der.count else { return nil }
            let number = der[(position + 2)..<end].drop { $0 == 0 }
            guard number.count <= 32 else { return nil }
            numbers += [UInt8](repeating: 0, count: 32 - number.count) + number
            position = end
        }
        self.init(concatenated: numbers)
        // This looks at what was skipped, too: tags, the length of the whole, signs, superfluous zeros, and bytes after it.
        guard self.der == der else { return nil }
    }

    static let maximumLengthInDER = 72

    /// The signature as ECDSA-Sig-Value in DER, 8 to 72 bytes.
    package var der: [UInt8] { OpenSSLBridge.der(0x30, integer(concatenated[..<32]) + integer(concatenated[32...])) }

    private func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let number = bytes.drop { $0 == 0 }
        // A first bit that is set would be a sign.
        return OpenSSLBridge.der(0x02, number.first.map { $0 < 0x80 } ?? false ? Array(number) : [0] + number)
    }

    /// Whether s is at most half the order of the curve: with each signature, another one is good, whose s is the order less
    /// this one.
    package var hasLowS: Bool { !Self.halfOrder.lexicographicallyPrecedes(concatenated[32...]) }

    /// The one of the two good signatures that has a low s.
    fileprivate var withLowS: P256Signature {
        guard !hasLowS else { return self }
        var copy = concatenated
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(Self.order[index]) - Int(copy[32 + index]) - borrow
            copy[32 + index] = UInt8(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        return P256Signature(concatenated: copy) ?? self
    }

    /// The order of the curve (SP 800-186 §3.2.1.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    /// Half of it, without its fraction.
    private static let halfOrder: [UInt8] = [
        0x7F, 0xFF, 0xFF, 0xFF, 0x80, 0x00, 0x00, 0x00, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xDE, 0x73, 0x7D, 0x56, 0xD3, 0x8B, 0xCF, 0x42, 0x79, 0xDC, 0xE5, 0x61, 0x7E, 0x31, 0x92, 0xA8,
    ]
}

/// Why an EC key is not used.
package enum P256Fault: Sendable, Hashable {
    /// Its curve is not P-256, or described by its numbers instead of its name; with OpenSSL's name of it, if it has one.
    case otherCurve(String?)
    /// The point is not one of the curve, or the private half does not belong to it.
    case damaged
}

extension PKey {
    /// What is wrong with an EC key; `nil` for a sound one of the named curve P-256.
    ///
    /// A point may be uncompressed, compressed or hybrid (SEC 1 §2.3.4); the point at infinity is no key.
    package func p256Fault(isPrivate: Bool) throws(OpenSSLFailure) -> P256Fault? {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            var isExplicit: Int32 = 0
            guard unsafe EVP_PKEY_get_int_param(raw, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &isExplicit) == 1
            else { throw OpenSSLFailure("reading the curve of a key") }
            let name = isExplicit == 0 ? groupName : nil
            guard name == "prime256v1" else { return .otherCurve(name) }
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, raw, nil) else {
                throw OpenSSLFailure("checking a key")
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            if unsafe (isPrivate ? EVP_PKEY_check(context) : EVP_PKEY_public_check(context)) == 1 { return nil }
            if hasAllocationFailure() { throw OpenSSLFailure("finding memory to check a key") }
            return .damaged
        }
    }

    /// OpenSSL's name of the curve of an EC key; `nil` if it has none.
    private var groupName: String? {
        var count = 0
        var name = [CChar](repeating: 0, count: 80)
        guard unsafe EVP_PKEY_get_group_name(raw, &name, name.count, &count) == 1 else { return nil }
        return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The public point of a P-256 key, big-endian in 32 bytes each.
    package var p256Coordinates: (x: [UInt8], y: [UInt8]) {
        get throws(OpenSSLFailure) {
            try withCleanErrorQueue { () throws(OpenSSLFailure) in
                (
                    try bytes(of: OSSL_PKEY_PARAM_EC_PUB_X, count: 32),
                    try bytes(of: OSSL_PKEY_PARAM_EC_PUB_Y, count: 32)
                )
            }
        }
    }

    /// The private number of a P-256 key, big-endian in 32 bytes, which are wiped when released.
    package var p256PrivateNumber: WipedBytes {
        get throws(OpenSSLFailure) {
            try withCleanErrorQueue { () throws(OpenSSLFailure) in
                var number: OpaquePointer?
                guard unsafe EVP_PKEY_get_bn_param(raw, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1,
                    let number = unsafe number
                else { throw OpenSSLFailure("reading a private key") }
                defer { unsafe BN_clear_free(number) }
                let bytes = unsafe WipedBytes(
                    capacity: 32, writtenBy: { unsafe BN_bn2binpad(number, $0.baseAddress, 32) == 32 ? 32 : nil })
                guard let bytes else { throw OpenSSLFailure("reading a private key") }
                return bytes
            }
        }
    }
}
