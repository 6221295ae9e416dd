import COpenSSL

/// Says that libcrypto could not do what it was asked, as opposed to answering "no".
///
/// The records are OpenSSL's own words about the operation; they hold no input.
package struct OpenSSLFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let operation: String
    package let records: [String]

    /// Takes all records off the calling thread's error queue, so that none is left to be misread later.
    package init(_ operation: String) {
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

/// Runs a sequence of libcrypto calls with an empty error queue before and after it.
///
/// The queue belongs to the thread, so the sequence must not suspend; the closure is synchronous, so it cannot.
package func withCleanErrorQueue<Success: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Success
) throws(Failure) -> Success {
    clearErrorQueue()
    defer { clearErrorQueue() }
    return try body()
}

/// Empties the queue if it is not empty: it nearly always is, and asking costs a tenth of emptying.
private func clearErrorQueue() {
    if ERR_peek_last_error() != 0 { ERR_clear_error() }
}

/// Takes records off the error queue up to one that says that memory ran out.
func hasAllocationFailure() -> Bool {
    while true {
        let code = ERR_get_error()
        if code == 0 { return false }
        if copenssl_is_allocation_failure(code) == 1 { return true }
    }
}
