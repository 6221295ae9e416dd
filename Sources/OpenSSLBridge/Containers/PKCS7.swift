package import HostSystem
import COpenSSL

/// Reads the certificates of a PKCS#7 file in DER (`.p7b`), all of it; each comes out in DER.
///
/// - Throws: `OpenSSLFailure` where it is no PKCS#7 with certificates.
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
                let bytes = unsafe certificateBytes(certificate)
            else { throw OpenSSLFailure(operation) }
            certificates.append(bytes)
        }
        return certificates
    }
}
