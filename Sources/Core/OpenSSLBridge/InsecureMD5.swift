import COpenSSL

/// Hashes with MD5, which protects nothing: the broker makes the subscriber's GUID in media tokens with it, and nginx's
/// `secure_link` takes it.
///
/// Throws, for example, where the system's policy forbids MD5.
package func insecureMD5(_ bytes: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
    try withCleanErrorQueue { () throws(OpenSSLFailure) in
        var isDone = false
        let digest = [UInt8](capacity: 16) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                isDone = unsafe EVP_Digest(bytes, bytes.count, buffer.baseAddress, nil, EVP_md5(), nil) == 1
                initialized = isDone ? 16 : 0
            }
        }
        guard isDone else { throw OpenSSLFailure("hashing with MD5") }
        return digest
    }
}
