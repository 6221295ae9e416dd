import COpenSSL
package import HostSystem

/// A certificate or key taken out of a container.
package struct ContainedEntry: Sendable {
    package enum Content: Sendable {
        /// A certificate in DER.
        case certificate(WipedBytes)
        /// A PKCS#8 PrivateKeyInfo in DER.
        case privateKey(WipedBytes)
        /// A private key that was not asked for, and was left encrypted.
        case lockedPrivateKey
    }

    package let content: Content
    /// The name inside the container (`friendlyName`, RFC 2985 §5.5.1); `nil` if it has none.
    package let alias: String?
}

/// The certificates and keys of a PKCS#12 file.
package struct PKCS12Content: Sendable {
    package let entries: [ContainedEntry]
    /// The names of the encryption schemes found, without repetitions.
    package let schemes: [String]
}

/// Owns a PKCS#12 file (RFC 7292).
@safe
package struct PKCS12File: ~Copyable {
    private let encoded: WipedBytes

    /// Takes bytes in DER with the structure of a PKCS#12 file, and nothing after it; nothing is decrypted yet.
    package init(der: Span<UInt8>) throws(OpenSSLFailure) {
        let raw = try unsafe readDER(der, "reading a PKCS#12 file", free: { unsafe PKCS12_free($0) }) {
            unsafe d2i_PKCS12(nil, &$0, $1)
        }
        unsafe PKCS12_free(raw)
        encoded = WipedBytes(der)
    }

    /// Checks the integrity code and takes the entries out, in the order of the file.
    ///
    /// Without a password, the empty one is tried. Private keys are decrypted only if they are asked for.
    package func content(
        by unlocker: Unlocker,
        takingPrivateKeys: Bool
    ) throws(UnlockFailure) -> PKCS12Content {
        try withCleanErrorQueue { () throws(UnlockFailure) in
            let file = try unsafe open(in: nil)
            defer { unsafe PKCS12_free(file) }
            let password = try unsafe checkIntegrity(of: file, by: unlocker)
            var unpacking = PKCS12Unpacking(
                unlocker: unlocker, password: password, takesPrivateKeys: takingPrivateKeys)
            guard try unsafe unpacking.needsLegacyProvider(file) else {
                try unsafe unpacking.unpack(file)
                return unpacking.content
            }
            // A structure keeps the library context it was read in, so it is read again in the one with the legacy provider.
            let again = try unsafe open(in: unlocker.oldCipherContext())
            defer { unsafe PKCS12_free(again) }
            try unsafe unpacking.unpack(again)
            return unpacking.content
        }
    }

    private func open(in context: OldCipherContext?) throws(UnlockFailure) -> OpaquePointer {
        var raw: OpaquePointer? = unsafe PKCS12_init_ex(NID_pkcs7_data, context?.raw, nil)
        guard unsafe raw != nil else { throw .failed(OpenSSLFailure("reading a PKCS#12 file")) }
        let read = encoded.withSpan { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                // On failure this frees the structure and sets `raw` to nil.
                return unsafe d2i_PKCS12(&raw, &position, bytes.count) != nil
            }
        }
        guard read, let raw = unsafe raw else { throw .damaged }
        return unsafe raw
    }

    /// Finds out whether the password is right by the integrity code: the cheapest way, and one that every file allows.
    private func checkIntegrity(of file: OpaquePointer, by unlocker: Unlocker) throws(UnlockFailure) -> PKCS12Password {
        guard unsafe PKCS12_mac_present(file) == 1 else { throw .noIntegrityCode }
        do throws(UnlockFailure) {
            return try unsafe password(of: file, by: unlocker)
        } catch {
            guard case .unsupported(let algorithm) = error else { throw error }
            throw .unsupportedIntegrityCode(algorithm)
        }
    }

    private func password(of file: OpaquePointer, by unlocker: Unlocker) throws(UnlockFailure) -> PKCS12Password {
        let scheme = try unsafe macScheme(file)
        // Tools encode the empty password in two ways: as two zero bytes
        // (RFC 7292 appendix B.1), or as none.
        let isEmpty = unlocker.password.map { $0.count == 0 } ?? true
        let candidates: [PKCS12Password] =
            isEmpty ? [.empty, .absent] : [.given(try unlocker.usablePassword())]
        for candidate in candidates {
            try unlocker.charge(scheme)
            let answer = unsafe candidate.withCharacters { unsafe PKCS12_verify_mac(file, $0, $1) }
            if answer == 1 { return candidate }
            let failure = unlocker.failure(opening: scheme)
            guard failure == .badPassword else { throw failure }
        }
        throw unlocker.password == nil ? .passwordRequired : .badPassword
    }

    private func macScheme(_ file: OpaquePointer) throws(UnlockFailure) -> EncryptionScheme {
        var algorithm: UnsafePointer<X509_ALGOR>?
        var iterations: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, &algorithm, nil, &iterations, file)
        guard let algorithm = unsafe algorithm else { throw .damaged }
        let name = unsafe objectName(algorithm.pointee.algorithm)
        guard unsafe OBJ_obj2nid(algorithm.pointee.algorithm) == NID_pbmac1 else {
            return EncryptionScheme(name: name, usesOldCipher: false, iterations: try unsafe number(iterations))
        }
        // PBMAC1 (RFC 9579): before 3.4, OpenSSL would call every password wrong.
        guard OpenSSL_version_num() >= 0x3040_0000 else { throw .unsupported(name) }
        guard let raw = unsafe ASN1_TYPE_unpack_sequence(PBE2PARAM_it(), algorithm.pointee.parameter) else {
            throw .damaged
        }
        let parameters = unsafe raw.assumingMemoryBound(to: PBE2PARAM.self)
        defer { unsafe PBE2PARAM_free(parameters) }
        guard let derivation = unsafe parameters.pointee.keyfunc else { throw .damaged }
        let cost = try unsafe KeyDerivationCost(of: derivation)
        return EncryptionScheme(name: name, usesOldCipher: false, iterations: cost.iterations, memory: cost.memory)
    }
}

/// A password in the forms that PKCS#12 distinguishes.
enum PKCS12Password {
    case given(WipedBytes)
    case empty
    case absent

    func withCharacters<Success>(_ body: (UnsafePointer<CChar>?, Int32) -> Success) -> Success {
        switch self {
        case .given(let password): unsafe password.withCharacters { unsafe body($0, $1) }
        case .empty: unsafe body("", 0)
        case .absent: body(nil, 0)
        }
    }
}
