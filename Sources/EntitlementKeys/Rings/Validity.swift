import EntitlementValues
import OpenSSLBridge

/// When a certificate is valid, by its own account.
///
/// Nothing here enforces it.
typealias Validity = ClosedRange<Timestamp>

extension ClosedRange<Timestamp> {
    /// Reads the dates of a certificate; `nil` where the last is before the first.
    init?(of certificate: Certificate) throws(OpenSSLFailure) {
        let dates = try certificate.validity()
        let (first, last) = (Timestamp(seconds: dates.notBefore), Timestamp(seconds: dates.notAfter))
        guard first <= last else { return nil }
        self = first...last
    }
}

extension Timestamp {
    fileprivate init(seconds: Int64) {
        self = Timestamp(milliseconds: 0) + .seconds(seconds)
    }
}
