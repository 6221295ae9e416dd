// Compares the two implementations of RSA verification: libcrypto's multiplication, and EVP.

import EntitlementKeys
import Foundation
import OpenSSLBridge

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// One key pair under both implementations, with one good signature.
private final class Subject: Sendable {
    let key: PKey
    let operation: RSAPublicOperation
    let byOperation: SignatureVerifier
    let byEVP: SignatureVerifier
    let length: Int
    let digest: [UInt8]
    let signature: [UInt8]

    init(_ name: String) throws {
        let folder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let text = try String(contentsOfFile: "\(folder)/Vectors/keys/\(name).pkcs8.pem", encoding: .utf8)
        let body = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let der = Array(Data(base64Encoded: body) ?? Data())
        key = try PKey(pkcs8PrivateKey: der.span)
        guard let operation = try RSAPublicOperation(key: key) else { fatalError("\(name) is left to EVP") }
        self.operation = operation
        byOperation = try SignatureVerifier(key: key, digest: .sha256)
        byEVP = try SignatureVerifier(key: key, digest: .sha256, allowingRSAPublicOperation: false)
        length = try key.signatureLength
        let digest = [UInt8](repeating: 0x5A, count: 32)
        signature = try key.sign(digest, as: .sha256)
        self.digest = digest
    }
}

/// 1024 bits mostly: the smaller the key, the more inputs in a minute.
private let subjects: [Subject] = {
    do {
        return try ["1024", "1024", "1024", "2048", "2048-e3"].map { try Subject("test-only-issuer-\($0)") }
    } catch {
        fatalError("\(error)")
    }
}()

/// The first byte chooses the key, and whether the rest is a number, or changes to a good signature or its digest.
private func check(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let subject = subjects[Int(first) % subjects.count]
    let rest = Array(input.dropFirst())
    do {
        if first < 128 {
            try compareRepresentatives(subject, rest)
        } else {
            try compareVerdicts(subject, rest)
        }
    } catch {
        fatalError("\(error)")
    }
}

private func compareRepresentatives(_ subject: Subject, _ bytes: [UInt8]) throws {
    let number = Array(bytes.suffix(subject.length))
    let signature = [UInt8](repeating: 0, count: subject.length - number.count) + number
    guard let message = try? subject.key.messageRepresentative(of: signature) else {
        // At or above the modulus: no number is its message representative.
        require(
            try !subject.operation.isMessageRepresentative(signature, of: signature),
            "a number above the modulus is refused")
        return
    }
    require(
        try subject.operation.isMessageRepresentative(message, of: signature), "the same representative")
    let digest = subject.digest
    require(
        try subject.byOperation.isValid(signature.span, digest: digest.span)
            == subject.byEVP.isValid(signature.span, digest: digest.span), "the same verdict on a number")
}

/// Every three bytes are one change, its place and its bits; without any, the signature stays good.
private func compareVerdicts(_ subject: Subject, _ changes: [UInt8]) throws {
    var signature = subject.signature
    var digest = subject.digest
    for index in stride(from: 0, to: changes.count - 2, by: 3) {
        let position = Int(changes[index]) << 8 | Int(changes[index + 1])
        if position & 0x8000 != 0 {
            digest[position % digest.count] ^= changes[index + 2]
        } else {
            signature[position % signature.count] ^= changes[index + 2]
        }
    }
    let isUntouched = signature == subject.signature && digest == subject.digest
    let verdict = try subject.byOperation.isValid(signature.span, digest: digest.span)
    require(try verdict == subject.byEVP.isValid(signature.span, digest: digest.span), "the same verdict")
    require(verdict == isUntouched, "a good signature is good, and a changed one is not")
}

private func require(_ holds: Bool, _ claim: StaticString) {
    if !holds { fatalError("broken: \(claim)") }
}
