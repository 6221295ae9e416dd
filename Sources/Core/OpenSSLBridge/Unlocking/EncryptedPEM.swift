import COpenSSL
package import HostSystem

/// How a traditional PEM block is encrypted: its `DEK-Info` header (RFC 1421 §4.6.1.3).
package struct PEMEncryption: Sendable, Hashable {
    /// The cipher, as the header names it: `DES-EDE3-CBC`.
    package let cipher: String
    private let vector: [UInt8]

    /// Whether OpenSSL keeps the cipher in its legacy provider.
    package var usesOldCipher: Bool { isOldCipher(cipher) }

    /// Reads the headers of a block; `nil` without a well-formed `DEK-Info`.
    init?(headers: String) {
        let prefix = "DEK-Info: "
        let lines = headers.utf8.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
        guard let line = lines.first(where: { $0.starts(with: prefix.utf8) }) else { return nil }
        let parts = line.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: ","))
        guard parts.count == 2, parts[0].allSatisfy({ 0x21...0x7E ~= $0 }), parts[0].count <= 40 else { return nil }
        cipher = String(decoding: parts[0], as: UTF8.self)
        let digits = parts[1].compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == parts[1].count, digits.count % 2 == 0 else { return nil }
        vector = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Decrypts the content of a block.
    ///
    /// libcrypto's own function is not used: it knows only the default context, in which single DES looks like a wrong
    /// password. One wrong password in 256 passes, because its padding looks right; what comes out is then not a key.
    package func decrypt(_ content: Span<UInt8>, by unlocker: Unlocker) throws(UnlockFailure) -> WipedBytes {
        let password = try unlocker.usablePassword()
        return try withCleanErrorQueue { () throws(UnlockFailure) in
            let scheme = EncryptionScheme(name: cipher, usesOldCipher: usesOldCipher)
            let context = try unsafe unlocker.context(for: scheme)
            guard let algorithm = unsafe EVP_CIPHER_fetch(context, cipher, nil) else {
                throw .unsupported(cipher)
            }
            defer { unsafe EVP_CIPHER_free(algorithm) }
            // Encrypted PEM has block ciphers in CBC mode only; the salt is the first eight bytes of the vector.
            guard unsafe EVP_CIPHER_get_mode(algorithm) == EVP_CIPH_CBC_MODE, vector.count >= 8,
                unsafe EVP_CIPHER_get_iv_length(algorithm) == Int32(vector.count)
            else { throw .unsupported(cipher) }
            guard let key = unsafe derivedKey(for: algorithm, password: password) else {
                throw .failed(OpenSSLFailure("deriving a key"))
            }
            let opened = unsafe decrypt(content, algorithm: algorithm, key: key)
            guard let opened else { throw unlocker.failure(opening: scheme) }
            return opened
        }
    }

    /// Derives the key as OpenSSL always has: one round of MD5 (EVP_BytesToKey(3)).
    private func derivedKey(for algorithm: OpaquePointer, password: WipedBytes) -> WipedBytes? {
        let length = Int(unsafe EVP_CIPHER_get_key_length(algorithm))
        return unsafe WipedBytes(
            capacity: Int(EVP_MAX_KEY_LENGTH),
            writtenBy: { key in
                password.withSpan { password in
                    unsafe password.withUnsafeBufferPointer { password in
                        unsafe vector.withUnsafeBufferPointer { vector in
                            // Without an address for the password the function only returns the length.
                            var nothing: UInt8 = 0
                            return unsafe withUnsafePointer(to: &nothing) { nothing in
                                let count = unsafe EVP_BytesToKey(
                                    algorithm, EVP_md5(), vector.baseAddress, password.baseAddress ?? nothing,
                                    Int32(clamping: password.count), 1, key.baseAddress, nil)
                                return count > 0 ? length : nil
                            }
                        }
                    }
                }
            })
    }

    private func decrypt(_ content: Span<UInt8>, algorithm: OpaquePointer, key: WipedBytes) -> WipedBytes? {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        return unsafe WipedBytes(
            capacity: content.count + Int(EVP_MAX_BLOCK_LENGTH),
            writtenBy: { output in
                unsafe content.withUnsafeBufferPointer { content in
                    key.withSpan { key in
                        unsafe key.withUnsafeBufferPointer { key in
                            var first: Int32 = 0
                            var last: Int32 = 0
                            guard unsafe EVP_DecryptInit_ex2(context, algorithm, key.baseAddress, vector, nil) == 1,
                                let start = output.baseAddress,
                                unsafe EVP_DecryptUpdate(
                                    context, start, &first, content.baseAddress, Int32(clamping: content.count)) == 1,
                                unsafe EVP_DecryptFinal_ex(context, start + Int(first), &last) == 1
                            else { return nil }
                            return Int(first) + Int(last)
                        }
                    }
                }
            })
    }
}
