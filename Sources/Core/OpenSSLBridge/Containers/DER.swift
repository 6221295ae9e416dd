import COpenSSL
import HostSystem

/// Runs one of OpenSSL's DER decoders (`d2i_…`) over some bytes, and refuses bytes that it leaves unread.
///
/// `read` calls the decoder, which moves the pointer past what it read. `free` frees a decoded structure that is
/// followed by other bytes; the caller frees one that is returned. `operation` names the work in the error.
func readDER(
    _ der: Span<UInt8>,
    _ operation: String,
    free: (OpaquePointer) -> Void,
    read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
) throws(OpenSSLFailure) -> OpaquePointer {
    try unsafe withCleanErrorQueue { () throws(OpenSSLFailure) in
        var leftOver = 0
        let value = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let start = bytes.baseAddress else { return nil }
            var position: UnsafePointer<UInt8>? = unsafe start
            let value = unsafe read(&position, bytes.count)
            leftOver = unsafe position.map { unsafe bytes.count - (start.distance(to: $0)) } ?? 0
            return unsafe value
        }
        guard let value = unsafe value else { throw OpenSSLFailure(operation) }
        guard leftOver == 0 else {
            unsafe free(value)
            throw OpenSSLFailure(operation)
        }
        return unsafe value
    }
}

/// Runs one of OpenSSL's DER encoders (`i2d_…`) twice: for the length, and for the bytes.
///
/// `encode` calls it with the place to write to, which is `nil` the first time. Returns `nil` if the encoder failed.
///
/// What libcrypto made in a library context of its own must not outlive that context; bytes may.
func writeDER(
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
) -> WipedBytes? {
    let length = Int(encode(nil))
    guard length > 0 else { return nil }
    return unsafe WipedBytes(
        capacity: length,
        writtenBy: { buffer in
            var position = buffer.baseAddress
            return unsafe Int(encode(&position)) == length ? length : nil
        })
}
