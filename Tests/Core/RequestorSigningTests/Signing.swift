import EntitlementKeys
import EntitlementValues
import Foundation
import RequestorSigning
import Synchronization
import TestVectors

/// Keys by file, cached because reading one takes longer than signing with it.
enum TestKeys {
    private static let signing = Mutex<[String: SigningKey]>([:])
    private static let verification = Mutex<[[String]: VerificationKeys]>([:])

    static func signingKey(_ name: String) throws -> SigningKey {
        try signing.withLock { cache in
            if let key = cache[name] { return key }
            let key = try SigningKey(contentsOfFile: Vectors.key(name), allowingWeakKeys: true)
            cache[name] = key
            return key
        }
    }

    static func verificationKeys(_ names: [String]) throws -> VerificationKeys {
        try verification.withLock { cache in
            if let keys = cache[names] { return keys }
            let keys = try VerificationKeys(contentsOf: names.map(Vectors.key))
            cache[names] = keys
            return keys
        }
    }

    static let issuer = "test-only-issuer-2048.pkcs8.pem"
    static let issuerPublic = "test-only-issuer-2048.spki.pem"
}

/// The code of an outcome, as the vectors name it.
func code<Success>(_ result: Result<Success, RequestorSigningError>) -> String {
    switch result {
    case .success: "valid"
    case .failure(let error): error.code
    }
}

extension Expectation<String> {
    /// `null` in a vector means unchecked.
    init(stated: [String]?) {
        self = stated.map { $0.count == 1 ? .exactly($0[0]) : .anyOf($0) } ?? .unchecked
    }
}

extension Expectation<RequestorID> {
    /// `null` in a vector means unchecked.
    init(stated: [String]?) {
        self = stated.map { .anyOf($0.map { RequestorID($0) }) } ?? .unchecked
    }
}

/// Bytes of a vector, given as text or in hexadecimal digits.
func bytes(_ text: String?, _ hexadecimal: String?) -> [UInt8] {
    text.map { Array($0.utf8) } ?? Vectors.bytes(hexadecimal: hexadecimal ?? "")
}
