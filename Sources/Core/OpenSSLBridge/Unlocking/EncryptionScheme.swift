import COpenSSL

/// How a key is encrypted under a password (PKCS#5, RFC 8018; PKCS#12, RFC 7292), and what trying a password costs.
package struct EncryptionScheme: Sendable, Hashable {
    /// The name for people: `PBES2, AES-256-CBC`.
    package let name: String
    /// Whether OpenSSL keeps the algorithm in its legacy provider.
    package let usesOldCipher: Bool
    /// How many iterations the key derivation takes.
    let iterations: Int
    /// How many bytes of memory the key derivation uses; 0 if it is not scrypt.
    let memory: Int

    init(name: String, usesOldCipher: Bool, iterations: Int = 1, memory: Int = 0) {
        self.name = name
        self.usesOldCipher = usesOldCipher
        self.iterations = iterations
        self.memory = memory
    }

    /// Reads an algorithm identifier with its parameters.
    ///
    /// Throws `.damaged`, or `.unsupported` with the name of an unknown algorithm.
    init(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(UnlockFailure) {
        guard let algorithm = unsafe algorithm else { throw .damaged }
        let identifier = unsafe OBJ_obj2nid(algorithm.pointee.algorithm)
        if identifier == NID_pbes2 {
            self = try unsafe Self.pbes2(algorithm.pointee.parameter)
            return
        }
        guard let (name, usesOldCipher) = pbes1Names[identifier] else {
            throw .unsupported(unsafe objectName(algorithm.pointee.algorithm))
        }
        guard let raw = unsafe ASN1_TYPE_unpack_sequence(PBEPARAM_it(), algorithm.pointee.parameter) else {
            throw .damaged
        }
        let parameters = unsafe raw.assumingMemoryBound(to: PBEPARAM.self)
        defer { unsafe PBEPARAM_free(parameters) }
        self.init(name: name, usesOldCipher: usesOldCipher, iterations: try unsafe number(parameters.pointee.iter))
    }

    private static func pbes2(_ encoded: UnsafePointer<ASN1_TYPE>?) throws(UnlockFailure) -> EncryptionScheme {
        guard let raw = unsafe ASN1_TYPE_unpack_sequence(PBE2PARAM_it(), encoded) else { throw .damaged }
        let parameters = unsafe raw.assumingMemoryBound(to: PBE2PARAM.self)
        defer { unsafe PBE2PARAM_free(parameters) }
        guard let derivation = unsafe parameters.pointee.keyfunc, let cipher = unsafe parameters.pointee.encryption
        else { throw .damaged }
        let cipherName = unsafe objectName(cipher.pointee.algorithm)
        let usesOldCipher = isOldCipher(cipherName)
        let cost = try unsafe KeyDerivationCost(of: derivation)
        let name = cost.memory == 0 ? "PBES2, \(cipherName)" : "PBES2, scrypt, \(cipherName)"
        return EncryptionScheme(
            name: name, usesOldCipher: usesOldCipher, iterations: cost.iterations, memory: cost.memory)
    }
}

/// What a key derivation of PBES2 or PBMAC1 costs.
struct KeyDerivationCost {
    let iterations: Int
    /// Bytes of memory; 0 if it is not scrypt.
    let memory: Int

    init(of derivation: UnsafePointer<X509_ALGOR>) throws(UnlockFailure) {
        switch unsafe OBJ_obj2nid(derivation.pointee.algorithm) {
        case NID_id_pbkdf2:
            guard let raw = unsafe ASN1_TYPE_unpack_sequence(PBKDF2PARAM_it(), derivation.pointee.parameter) else {
                throw .damaged
            }
            let parameters = unsafe raw.assumingMemoryBound(to: PBKDF2PARAM.self)
            defer { unsafe PBKDF2PARAM_free(parameters) }
            iterations = try unsafe number(parameters.pointee.iter)
            memory = 0
        case NID_id_scrypt:
            guard let raw = unsafe ASN1_TYPE_unpack_sequence(SCRYPT_PARAMS_it(), derivation.pointee.parameter) else {
                throw .damaged
            }
            let parameters = unsafe raw.assumingMemoryBound(to: SCRYPT_PARAMS.self)
            defer { unsafe SCRYPT_PARAMS_free(parameters) }
            let (cost, block, parallel) = (
                try unsafe number(parameters.pointee.costParameter), try unsafe number(parameters.pointee.blockSize),
                try unsafe number(parameters.pointee.parallelizationParameter)
            )
            // RFC 7914 §2: 128 * r * N bytes, filled p times over; the time grows with all three.
            var size = 128
            for factor in [cost, block, parallel] {
                let (product, overflow) = size.multipliedReportingOverflow(by: factor)
                size = overflow ? .max : product
            }
            iterations = 1
            memory = size
        default:
            throw .unsupported(unsafe objectName(derivation.pointee.algorithm))
        }
    }
}

/// The schemes of PKCS#5 version 1 (RFC 8018 appendix A.3) and PKCS#12 (RFC 7292 appendix C), and whether each needs
/// the legacy provider.
private let pbes1Names: [Int32: (name: String, usesOldCipher: Bool)] = [
    NID_pbeWithMD5AndDES_CBC: ("PBES1, MD5 and DES", true),
    NID_pbeWithMD5AndRC2_CBC: ("PBES1, MD5 and RC2", true),
    NID_pbeWithSHA1AndDES_CBC: ("PBES1, SHA-1 and DES", true),
    NID_pbeWithSHA1AndRC2_CBC: ("PBES1, SHA-1 and RC2", true),
    NID_pbe_WithSHA1And3_Key_TripleDES_CBC: ("PBE-SHA1-3DES", false),
    NID_pbe_WithSHA1And2_Key_TripleDES_CBC: ("PBE-SHA1-2DES", false),
    NID_pbe_WithSHA1And128BitRC2_CBC: ("PBE-SHA1-RC2-128", true),
    NID_pbe_WithSHA1And40BitRC2_CBC: ("PBE-SHA1-RC2-40", true),
    NID_pbe_WithSHA1And128BitRC4: ("PBE-SHA1-RC4-128", true),
    NID_pbe_WithSHA1And40BitRC4: ("PBE-SHA1-RC4-40", true),
]

/// Tells whether OpenSSL keeps a cipher in its legacy provider, by OpenSSL's name for it.
func isOldCipher(_ name: String) -> Bool {
    ["DES-CBC", "RC2-", "RC4", "RC5-", "BF-", "CAST5-", "IDEA-", "SEED-"].contains { name.utf8.starts(with: $0.utf8) }
}

/// Reads a positive number; an absent one is 1, the default for iterations (RFC 7292 §4).
func number(_ value: UnsafePointer<ASN1_INTEGER>?) throws(UnlockFailure) -> Int {
    guard let value = unsafe value else { return 1 }
    var number: Int64 = 0
    guard unsafe ASN1_INTEGER_get_int64(&number, value) == 1 else {
        ERR_clear_error()
        // A number that does not fit is larger than every limit.
        return .max
    }
    guard number > 0, let number = Int(exactly: number) else { throw .damaged }
    return number
}

/// OpenSSL's short name of an object identifier, or its dotted numbers.
func objectName(_ object: OpaquePointer?) -> String {
    guard let object = unsafe object else { return "an unnamed algorithm" }
    let identifier = unsafe OBJ_obj2nid(object)
    if identifier != NID_undef, let name = unsafe OBJ_nid2sn(identifier) { return unsafe String(cString: name) }
    let bytes = [CChar](capacity: 80) { output in
        unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
            let length = unsafe OBJ_obj2txt(buffer.baseAddress, Int32(buffer.count), object, 1)
            initialized = min(max(0, Int(length)), buffer.count - 1)
        }
    }
    return "algorithm " + String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
