import COpenSSL
package import HostSystem

/// Seals and opens with AES-256-GCM (NIST SP 800-38D): the bytes cannot be read, and not be changed, without the key.
///
/// Whatever else must be right when it is opened, such as the place where it is kept, is the context: it is bound to the
/// sealed bytes without being part of them.
package enum AuthenticatedCipher {
    /// How many bytes a key has.
    package static let keyLength = 32
    /// How many bytes a nonce has.
    package static let nonceLength = 12
    /// How many bytes the sealed bytes are longer than the message.
    package static let tagLength = 16

    /// Seals a message and binds it to a context: returns as many bytes as the message has, and the tag.
    ///
    /// The key has 32 bytes. The nonce has 12 bytes, and never meets the same key twice. Throws also for a key or nonce
    /// of another length.
    package static func seal(
        _ message: Span<UInt8>,
        key: Span<UInt8>,
        nonce: Span<UInt8>,
        binding context: Span<UInt8>
    ) throws(OpenSSLFailure) -> [UInt8] {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            let operation = try CipherOperation(.seal, key: key, nonce: nonce, binding: context)
            let sealed = try [UInt8](capacity: message.count + tagLength) { output throws(OpenSSLFailure) in
                try operation.write(message, to: &output)
                guard try operation.finish() else { throw OpenSSLFailure("sealing") }
                try operation.writeTag(to: &output)
            }
            guard sealed.count == message.count + tagLength else { throw OpenSSLFailure("sealing") }
            return sealed
        }
    }

    /// Opens what was sealed.
    ///
    /// - Parameters:
    ///   - sealed: The bytes that `seal` made.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    ///   - context: What the message was bound to.
    /// - Returns: The message; `nil` if the key, the nonce, the context or a byte is another one. What was decrypted by
    ///   then is wiped.
    /// - Throws: `OpenSSLFailure` if libcrypto could not decide (out of memory), and for a key or nonce of another
    ///   length; never for sealed bytes.
    package static func open(
        _ sealed: Span<UInt8>,
        key: Span<UInt8>,
        nonce: Span<UInt8>,
        binding context: Span<UInt8>
    ) throws(OpenSSLFailure) -> WipedBytes? {
        guard sealed.count >= tagLength else { return nil }
        let end = sealed.count - tagLength
        do throws(OpeningFailure) {
            return try withCleanErrorQueue { () throws(OpeningFailure) in
                let operation = try OpeningFailure.mapping { () throws(OpenSSLFailure) in
                    let operation = try CipherOperation(.open, key: key, nonce: nonce, binding: context)
                    try operation.expect(tag: sealed.extracting(end..<sealed.count))
                    return operation
                }
                return try WipedBytes(capacity: end) { output throws(OpeningFailure) in
                    let isOpen = try OpeningFailure.mapping { () throws(OpenSSLFailure) in
                        try operation.write(sealed.extracting(0..<end), to: &output)
                        return try operation.finish()
                    }
                    guard isOpen else { throw .wrongTag }
                }
            }
        } catch {
            guard case .libcrypto(let failure) = error else { return nil }
            throw failure
        }
    }
}

/// Why nothing was opened.
private enum OpeningFailure: Error {
    case wrongTag
    case libcrypto(OpenSSLFailure)

    static func mapping<Success>(
        _ body: () throws(OpenSSLFailure) -> Success
    ) throws(OpeningFailure) -> Success {
        do throws(OpenSSLFailure) {
            return try body()
        } catch {
            throw .libcrypto(error)
        }
    }
}

/// One sealing or opening (`EVP_CIPHER_CTX`), for one thread.
@safe
private final class CipherOperation {
    enum Direction: Int32 { case open = 0, seal = 1 }

    private let context: OpaquePointer

    init(
        _ direction: Direction,
        key: Span<UInt8>,
        nonce: Span<UInt8>,
        binding bound: Span<UInt8>
    ) throws(OpenSSLFailure) {
        guard key.count == AuthenticatedCipher.keyLength, nonce.count == AuthenticatedCipher.nonceLength else {
            throw OpenSSLFailure("sealing with a key of \(key.count) bytes and a nonce of \(nonce.count)")
        }
        guard let boundLength = Int32(exactly: bound.count), let context = unsafe EVP_CIPHER_CTX_new() else {
            throw OpenSSLFailure("preparing to seal")
        }
        unsafe self.context = context
        // Key and nonce have the lengths that libcrypto reads.
        let isPrepared = unsafe key.withUnsafeBufferPointer { key in
            unsafe nonce.withUnsafeBufferPointer { nonce in
                unsafe EVP_CipherInit_ex2(
                    context, fetchedAES256GCM.pointer, key.baseAddress, nonce.baseAddress, direction.rawValue, nil) == 1
            }
        }
        guard isPrepared else { throw OpenSSLFailure("preparing to seal") }
        guard boundLength > 0 else { return }
        var count: Int32 = 0
        let isBound = unsafe bound.withUnsafeBufferPointer { bytes in
            unsafe EVP_CipherUpdate(context, nil, &count, bytes.baseAddress, boundLength) == 1
        }
        guard isBound, count == boundLength else { throw OpenSSLFailure("binding what is sealed") }
    }

    deinit {
        // Wipes the key, too.
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Encrypts or decrypts all bytes at once; there must be room for as many.
    func write(_ input: Span<UInt8>, to output: inout OutputSpan<UInt8>) throws(OpenSSLFailure) {
        guard let length = Int32(exactly: input.count), output.freeCapacity >= input.count else {
            throw OpenSSLFailure("sealing \(input.count) bytes")
        }
        guard length > 0 else { return }
        var count: Int32 = 0
        var isDone = false
        unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
            guard let start = buffer.baseAddress else { return }
            isDone = unsafe input.withUnsafeBufferPointer { input in
                unsafe EVP_CipherUpdate(context, start + initialized, &count, input.baseAddress, length) == 1
            }
            // Also after a failure, so that what was written is wiped.
            initialized += input.count
        }
        guard isDone, count == length else { throw OpenSSLFailure("sealing") }
    }

    /// States the tag that must come out of opening.
    func expect(tag: Span<UInt8>) throws(OpenSSLFailure) {
        var bytes = tag.indices.map { tag[$0] }
        let isSet = unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(bytes.count), &bytes) == 1
        guard isSet else { throw OpenSSLFailure("stating the tag") }
    }

    /// Ends the operation, and tells whether the tag is the expected one; in sealing it always is.
    func finish() throws(OpenSSLFailure) -> Bool {
        // GCM is a stream: there is nothing left to write.
        var rest = [UInt8](repeating: 0, count: Int(EVP_MAX_BLOCK_LENGTH))
        var count: Int32 = 0
        let isRight = unsafe EVP_CipherFinal_ex(context, &rest, &count) == 1
        guard count == 0 else { throw OpenSSLFailure("ending a sealed message") }
        // 0 is "no", unless libcrypto ran out of memory on the way.
        if !isRight, hasAllocationFailure() { throw OpenSSLFailure("finding memory to open") }
        return isRight
    }

    func writeTag(to output: inout OutputSpan<UInt8>) throws(OpenSSLFailure) {
        var tag = [UInt8](repeating: 0, count: AuthenticatedCipher.tagLength)
        guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1 else {
            throw OpenSSLFailure("reading the tag")
        }
        for byte in tag { output.append(byte) }
    }
}

/// Keeps the fetched algorithm for the life of the process; `nil` if the fetch failed, which every use reports.
@safe
private struct FetchedCipher: @unchecked Sendable {
    // An EVP_CIPHER never changes after the fetch, so all threads may use one.
    let pointer: OpaquePointer?

    init(_ name: String) {
        unsafe pointer = EVP_CIPHER_fetch(nil, name, nil)
        ERR_clear_error()
    }
}

private let fetchedAES256GCM = FetchedCipher("AES-256-GCM")
