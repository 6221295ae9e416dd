import COpenSSL
package import HostSystem
import TextCodecs

/// One attribute of a distinguished name.
package struct NamePart: Sendable {
    /// OpenSSL's short name of the attribute, such as `CN`.
    package let attribute: String
    package let value: String

    package init(_ attribute: String, _ value: String) {
        self.attribute = attribute
        self.value = value
    }
}

extension PKey {
    /// Writes a certificate request (PKCS#10, RFC 2986) in PEM, signed with SHA-256.
    ///
    /// An error names the part of the subject that OpenSSL refused.
    package func certificateRequestPEM(subject: [NamePart]) throws(OpenSSLFailure) -> WipedBytes {
        let operation = "writing a certificate request"
        return try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let request = unsafe X509_REQ_new() else { throw OpenSSLFailure(operation) }
            defer { unsafe X509_REQ_free(request) }
            let name = try unsafe newName(subject, for: operation)
            defer { unsafe X509_NAME_free(name) }
            guard unsafe X509_REQ_set_version(request, Int(X509_REQ_VERSION_1)) == 1,
                unsafe X509_REQ_set_subject_name(request, name) == 1,
                unsafe X509_REQ_set_pubkey(request, raw) == 1,
                unsafe X509_REQ_sign(request, raw, EVP_sha256()) > 0
            else { throw OpenSSLFailure(operation) }
            return try unsafe writePEM(operation) { unsafe PEM_write_bio_X509_REQ($0, request) }
        }
    }

    /// Writes a self-signed X.509 v3 certificate (RFC 5280) in PEM, signed with SHA-256.
    ///
    /// The times are the first and the last second of validity, in seconds since the Unix epoch. The subject is the
    /// issuer too. An error names the part of it that OpenSSL refused.
    package func selfSignedCertificatePEM(
        subject: [NamePart],
        notBefore: Int64,
        notAfter: Int64
    ) throws(OpenSSLFailure) -> WipedBytes {
        let operation = "writing a certificate"
        return try withCleanErrorQueue { () throws(OpenSSLFailure) in
            guard let certificate = unsafe X509_new() else { throw OpenSSLFailure(operation) }
            defer { unsafe X509_free(certificate) }
            let name = try unsafe newName(subject, for: operation)
            defer { unsafe X509_NAME_free(name) }
            guard unsafe X509_set_version(certificate, Int(X509_VERSION_3)) == 1,
                unsafe setRandomSerial(certificate),
                unsafe X509_set_subject_name(certificate, name) == 1,
                unsafe X509_set_issuer_name(certificate, name) == 1,
                unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(notBefore)) != nil,
                unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(notAfter)) != nil,
                unsafe X509_set_pubkey(certificate, raw) == 1,
                // It certifies only its own key, which signs and to which others encrypt.
                unsafe add(NID_basic_constraints, "critical,CA:FALSE", to: certificate),
                unsafe add(NID_key_usage, "critical,digitalSignature,keyEncipherment", to: certificate),
                unsafe add(NID_subject_key_identifier, "hash", to: certificate),
                unsafe X509_sign(certificate, raw, EVP_sha256()) > 0
            else { throw OpenSSLFailure(operation) }
            return try unsafe writePEM(operation) { unsafe PEM_write_bio_X509($0, certificate) }
        }
    }

    /// Sets a serial number of 127 random bits: positive, and unique without a register.
    private func setRandomSerial(_ certificate: OpaquePointer) -> Bool {
        guard let number = unsafe BN_new() else { return false }
        defer { unsafe BN_free(number) }
        guard unsafe BN_rand(number, 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1,
            unsafe BN_set_bit(number, 126) == 1
        else { return false }
        return unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private func add(_ identifier: Int32, _ value: String, to certificate: OpaquePointer) -> Bool {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
        guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
        defer { unsafe X509_EXTENSION_free(made) }
        return unsafe X509_add_ext(certificate, made, -1) == 1
    }

    private func newName(_ parts: [NamePart], for operation: String) throws(OpenSSLFailure) -> OpaquePointer {
        guard let name = unsafe X509_NAME_new() else { throw OpenSSLFailure(operation) }
        for part in parts {
            let added = part.value.withBytes { value in
                unsafe value.withUnsafeBufferPointer { value in
                    unsafe X509_NAME_add_entry_by_txt(
                        name, part.attribute, copenssl_utf8(), value.baseAddress, Int32(clamping: value.count), -1, 0)
                }
            }
            guard added == 1 else {
                let failure = OpenSSLFailure("\(operation): its \(part.attribute)")
                unsafe X509_NAME_free(name)
                throw failure
            }
        }
        return unsafe name
    }
}
