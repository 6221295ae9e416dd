package import HostSystem
import COpenSSL

extension WipedBytes {
    /// The bytes as UTF-16, high byte first, as Java hashes passwords; bytes that are no UTF-8 count as Latin-1.
    package func utf16BigEndian() throws(OpenSSLFailure) -> WipedBytes {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            var start: UnsafeMutablePointer<UInt8>?
            var count: Int32 = 0
            unsafe withCharacters { characters, length in
                unsafe _ = OPENSSL_utf82uni(characters, length, &start, &count)
            }
            guard let start = unsafe start, count >= 2 else { throw OpenSSLFailure("encoding a password") }
            defer { unsafe copenssl_clear_free(start, Int(count)) }
            // OpenSSL ends the text with a zero character, which Java does not.
            return unsafe WipedBytes(copying: UnsafeBufferPointer(start: start, count: Int(count) - 2))
        }
    }
}
