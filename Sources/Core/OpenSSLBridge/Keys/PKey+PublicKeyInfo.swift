import COpenSSL

extension PKey {
    /// The public half as SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) in DER.
    package var subjectPublicKeyInfo: [UInt8] {
        get throws(OpenSSLFailure) {
            try withCleanErrorQueue { () throws(OpenSSLFailure) in
                try unsafe EVP_PKEY_is_a(raw, "RSA") == 1 ? rsaPublicKeyInfo() : encodedPublicKeyInfo()
            }
        }
    }

    /// The numbers of an RSA key, big-endian and without leading zeros, as a JSON Web Key has them (RFC 7518 §6.3.1).
    package var rsaPublicNumbers: (modulus: [UInt8], exponent: [UInt8]) {
        get throws(OpenSSLFailure) {
            try withCleanErrorQueue { () throws(OpenSSLFailure) in
                let modulus = try bytes(of: OSSL_PKEY_PARAM_RSA_N), exponent = try bytes(of: OSSL_PKEY_PARAM_RSA_E)
                return (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
            }
        }
    }

    /// Writes an RSA key as OpenSSL would (RFC 3279 §2.3.1).
    ///
    /// OpenSSL would first set up all of its encoders, which takes as long as everything else that is done with a key
    /// before its first use.
    private func rsaPublicKeyInfo() throws(OpenSSLFailure) -> [UInt8] {
        let key = der(0x30, try integer(OSSL_PKEY_PARAM_RSA_N) + integer(OSSL_PKEY_PARAM_RSA_E))
        let rsaEncryption: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        // The leading zero byte of a bit string says that its last byte has no unused bits.
        return der(0x30, rsaEncryption + der(0x03, [0x00] + key))
    }

    private func encodedPublicKeyInfo() throws(OpenSSLFailure) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PUBKEY(raw, &start)
        guard count > 0, let bytes = unsafe start else { throw OpenSSLFailure("writing a public key") }
        defer { unsafe copenssl_free(bytes) }
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// Writes one of the key's numbers as INTEGER.
    private func integer(_ parameter: String) throws(OpenSSLFailure) -> [UInt8] { der(0x02, try bytes(of: parameter)) }

    /// Reads one of the key's public numbers as big-endian bytes: as many as are wanted, or so many that the first bit is
    /// zero.
    func bytes(of parameter: String, count wanted: Int? = nil) throws(OpenSSLFailure) -> [UInt8] {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(raw, parameter, &number) == 1, let number = unsafe number else {
            throw OpenSSLFailure("reading a number of a key")
        }
        defer { unsafe BN_free(number) }
        // One bit more than the number has, for the sign, which is positive.
        let count = wanted ?? Int(unsafe BN_num_bits(number)) / 8 + 1
        var isWritten = false
        let bytes = [UInt8](capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                isWritten = unsafe BN_bn2binpad(number, buffer.baseAddress, Int32(clamping: count)) == Int32(count)
                initialized = isWritten ? count : 0
            }
        }
        guard isWritten else { throw OpenSSLFailure("writing a public key") }
        return bytes
    }
}

/// Puts tag and length before some content (X.690 §8.1.3); the length has as few bytes as possible.
func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count
    guard length > 0x7F else { return [tag, UInt8(length)] + content }
    let bytes = (0..<(Int.bitWidth - length.leadingZeroBitCount + 7) / 8).reversed().map {
        UInt8(truncatingIfNeeded: length >> ($0 * 8))
    }
    return [tag, 0x80 | UInt8(bytes.count)] + bytes + content
}
