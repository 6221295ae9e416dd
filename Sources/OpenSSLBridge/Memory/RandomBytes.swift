import COpenSSL

/// Draws bytes that nobody can predict.
package func randomBytes(_ count: Int) throws(OpenSSLFailure) -> [UInt8] {
    guard count >= 0, let length = Int32(exactly: count) else { throw OpenSSLFailure("drawing \(count) random bytes") }
    return try withCleanErrorQueue { () throws(OpenSSLFailure) in
        var isDone = false
        let bytes = [UInt8](capacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                isDone = unsafe RAND_bytes(buffer.baseAddress, length) == 1
                initialized = isDone ? count : 0
            }
        }
        guard isDone else { throw OpenSSLFailure("drawing random bytes") }
        return bytes
    }
}
