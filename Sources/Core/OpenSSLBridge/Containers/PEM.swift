import COpenSSL
package import HostSystem

/// One `-----BEGIN …-----` block of a PEM file (RFC 7468, and RFC 1421 for encrypted ones).
package struct PEMBlock: Sendable {
    /// The words after BEGIN, such as `CERTIFICATE` or `PUBLIC KEY`.
    package let label: String
    /// Whether RFC 1421 headers say that the content is encrypted (`Proc-Type: 4,ENCRYPTED`).
    package let isEncrypted: Bool
    /// How it is encrypted; `nil` if it is not, or if the headers are damaged.
    package let encryption: PEMEncryption?
    package let content: WipedBytes
}

/// Reads the blocks of a PEM file in their order; text around them is skipped.
///
/// Without a complete BEGIN line there are none. Throws if a block is begun and not well-formed.
package func pemBlocks(in text: Span<UInt8>) throws(OpenSSLFailure) -> [PEMBlock] {
    try withCleanErrorQueue { () throws(OpenSSLFailure) in
        // The BIO reads the bytes in place, so it must not outlive the closure that lends them.
        let blocks: Result<[PEMBlock], OpenSSLFailure> = unsafe text.withUnsafeBufferPointer { bytes in
            guard let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return .failure(OpenSSLFailure("reading PEM"))
            }
            defer { unsafe BIO_free_all(source) }
            do throws(OpenSSLFailure) {
                var blocks: [PEMBlock] = []
                while let block = try unsafe nextBlock(source) { blocks.append(block) }
                return .success(blocks)
            } catch {
                return .failure(error)
            }
        }
        return try blocks.get()
    }
}

private func nextBlock(_ source: OpaquePointer) throws(OpenSSLFailure) -> PEMBlock? {
    var label: UnsafeMutablePointer<CChar>?
    var header: UnsafeMutablePointer<CChar>?
    var content: UnsafeMutablePointer<UInt8>?
    var count = 0
    // The secure flag makes OpenSSL wipe its own copies, which may be of a private key.
    let flags = UInt32(PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE)
    guard unsafe PEM_read_bio_ex(source, &label, &header, &content, &count, flags) == 1 else {
        // OpenSSL says "no start line" after the last block.
        if copenssl_is_pem_end(ERR_peek_last_error()) == 1 {
            ERR_clear_error()
            return nil
        }
        throw OpenSSLFailure("reading PEM")
    }
    defer {
        unsafe copenssl_secure_free(label)
        unsafe copenssl_secure_free(header)
        unsafe copenssl_secure_clear_free(content, count)
    }
    guard let label = unsafe label, let content = unsafe content else { throw OpenSSLFailure("reading PEM") }
    let headers = unsafe header.map { unsafe String(cString: $0) } ?? ""
    return unsafe PEMBlock(
        label: String(cString: label),
        isEncrypted: headers.utf8.starts(with: "Proc-Type: 4,ENCRYPTED".utf8),
        encryption: PEMEncryption(headers: headers),
        content: WipedBytes(copying: UnsafeBufferPointer(start: content, count: count))
    )
}

/// Writes PEM to memory that OpenSSL wipes, and copies it to memory that is wiped too.
///
/// `write` writes to a BIO and returns 1, as `PEM_write_bio_…` do. `operation` names the work in the error.
func writePEM(
    _ operation: String,
    _ write: (OpaquePointer) -> Int32
) throws(OpenSSLFailure) -> WipedBytes {
    guard let output = unsafe BIO_new(BIO_s_secmem()) else { throw OpenSSLFailure(operation) }
    defer { unsafe BIO_free_all(output) }
    guard unsafe write(output) == 1 else { throw OpenSSLFailure(operation) }
    return unsafe WipedBytes(writtenTo: output)
}
