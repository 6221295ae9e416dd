import COpenSSL

/// Says that libcrypto could not do what it was asked, as opposed to answering "no".
///
/// The records are OpenSSL's own words about the operation; they hold no input.
package struct OpenSSLFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let operation: String
    package let records: [String]

    /// Takes all records off the calling thread's error queue, so that none is left to be misread later.
    init(_ operation: String) {
        self.operation = operation
        var records: [String] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            if let reason = unsafe ERR_reason_error_string(code) {
                unsafe records.append(String(cString: reason))
            } else {
                records.append("error \(String(code, radix: 16))")
            }
        }
        self.records = records
    }

    package var description: String {
        records.isEmpty ? "\(operation) failed" : "\(operation) failed: \(records.joined(separator: "; "))"
    }
}

/// Runs one sequence of libcrypto calls with an empty error queue before and after it.
///
/// The queue belongs to the thread, so the sequence is synchronous by construction: no `await` fits in.
func withCleanErrorQueue<Success: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Success
) throws(Failure) -> Success {
    clearErrorQueue()
    defer { clearErrorQueue() }
    return try body()
}

/// Empties the queue where it is not empty, which it nearly always is: asking costs a tenth of emptying.
private func clearErrorQueue() {
    if ERR_peek_last_error() != 0 { ERR_clear_error() }
}

/// Whether libcrypto offers what everything here needs: RSA keys and SHA-256.
///
/// A configuration file (`OPENSSL_CONF`) can leave either out; then every key fails to load, whatever is in its file.
package let openSSLOffersRSA: Bool = {
    defer { ERR_clear_error() }
    guard let management = unsafe EVP_KEYMGMT_fetch(nil, "RSA", nil) else { return false }
    unsafe EVP_KEYMGMT_free(management)
    guard let digest = unsafe EVP_MD_fetch(nil, "SHA256", nil) else { return false }
    unsafe EVP_MD_free(digest)
    return true
}()

/// Names the libcrypto in use, for people: `OpenSSL 3.0.19 27 Jan 2026`.
package var openSSLVersion: String {
    guard let text = unsafe OpenSSL_version(OPENSSL_VERSION) else { return "unknown" }
    return unsafe String(cString: text)
}
