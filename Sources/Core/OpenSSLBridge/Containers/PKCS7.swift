import COpenSSL
package import HostSystem

/// Reads the certificates, each in DER, of a PKCS#7 file in DER (`.p7b`; RFC 2315, degenerate SignedData).
///
/// Throws if it is not PKCS#7 with a set of certificates.
package func pkcs7Certificates(der: Span<UInt8>) throws(OpenSSLFailure) -> [WipedBytes] {
    let operation = "reading a PKCS#7 file"
    let raw = try unsafe readDER(
        der, operation, free: { unsafe PKCS7_free(UnsafeMutablePointer($0)) },
        read: { unsafe OpaquePointer(d2i_PKCS7(nil, &$0, $1)) }
    )
    let file = unsafe UnsafeMutablePointer<PKCS7>(raw)
    defer { unsafe PKCS7_free(file) }
    return try withCleanErrorQueue { () throws(OpenSSLFailure) in
        let stack: OpaquePointer? =
            switch unsafe OBJ_obj2nid(file.pointee.type) {
            case NID_pkcs7_signed: unsafe file.pointee.d.sign?.pointee.cert
            case NID_pkcs7_signedAndEnveloped: unsafe file.pointee.d.signed_and_enveloped?.pointee.cert
            default: nil
            }
        guard let stack = unsafe stack else { throw OpenSSLFailure(operation) }
        var certificates: [WipedBytes] = []
        for index in 0..<max(0, unsafe copenssl_certificate_count(stack)) {
            guard let certificate = unsafe copenssl_certificate(stack, index),
                let bytes = unsafe writeDER({ unsafe i2d_X509(certificate, $0) })
            else { throw OpenSSLFailure(operation) }
            certificates.append(bytes)
        }
        return certificates
    }
}
