import COpenSSL
import Synchronization

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
            guard let code = nextRecord() else { break }
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
    while ERR_peek_last_error() != 0, nextRecord() != nil {}
}

/// How often libcrypto has said in this process that memory ran out.
///
/// A failure means nothing if the number has grown meanwhile: what was read may be as good as ever.
package var allocationFailureCount: Int { allocationFailures.load(ordering: .relaxed) }

private let allocationFailures = Atomic(0)

/// Takes the oldest record off the error queue; `nil` if it is empty.
func nextRecord() -> UInt? {
    let code = ERR_get_error()
    guard code != 0 else { return nil }
    if copenssl_is_allocation_failure(code) == 1 { allocationFailures.add(1, ordering: .relaxed) }
    return code
}

/// Takes records off the error queue up to one that says that memory ran out.
func hasAllocationFailure() -> Bool {
    while let code = nextRecord() {
        if copenssl_is_allocation_failure(code) == 1 { return true }
    }
    return false
}
