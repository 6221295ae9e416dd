import COpenSSL

/// Runs one of OpenSSL's DER readers over all of some bytes, and refuses bytes that it leaves over.
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
