#if CLI
import EntitlementKeys
import EntitlementValues
import OpenSSLBridge
import TextCodecs

/// Checks what a service will run with.
struct Examination {
    let opener: KeyOpener
    let now: Timestamp
    /// Whether keys of this software's own test vectors are admitted.
    let allowsTestKeys: Bool
    private(set) var findings: [Finding] = []

    init(opener: KeyOpener, now: Timestamp, allowsTestKeys: Bool) {
        (self.opener, self.now, self.allowsTestKeys) = (opener, now, allowsTestKeys)
    }

    /// Checks which algorithms OpenSSL offers.
    mutating func checkOpenSSL() {
        if openSSLOffersRSA {
            add(.ok, check: "openssl", detail: openSSLVersion)
        } else {
            add(
                .problem, check: "openssl", detail: "\(openSSLVersion) offers no RSA or SHA-256 in this process",
                advice: "check the file that OPENSSL_CONF names, and its providers")
        }
        if let file = missingLegacyProvider() {
            add(
                .warning, check: "legacy", detail: "OpenSSL's legacy provider is missing (\(file))",
                advice: "old PKCS#12 files need it; install it (Debian 13: openssl-provider-legacy)")
        } else {
            add(.ok, check: "legacy", detail: "OpenSSL's legacy provider is installed, for old PKCS#12 files")
        }
    }

    /// Checks how decryption fails, which matters to those who have a private key.
    mutating func checkDecryption() {
        if rejectsImplicitly {
            add(
                .ok, check: "decryption",
                detail:
                    "a wrong key or damaged text gives made-up bytes, not an error (PKCS#1 v1.5, implicit rejection)")
        } else {
            add(
                .warning, check: "decryption", detail: "a wrong key or damaged text gives an error (PKCS#1 v1.5)",
                advice: "never tell a client why a decryption failed; OpenSSL 3.2 and later do not either")
        }
    }

    /// Compares the clock with a time that is known to be right.
    mutating func checkClock(reference: Timestamp?, tolerance: TimeToLive) {
        guard let reference else {
            add(.ok, check: "clock", detail: "it shows \(now); compare it with --time TIME")
            return
        }
        let distance = max(now, reference).since(min(now, reference))
        let text = "\(distance) \(now < reference ? "earlier than" : "later than") the reference time"
        if distance <= tolerance {
            add(.ok, check: "clock", detail: text)
        } else {
            add(
                .problem, check: "clock", detail: "\(text) (tolerance: \(tolerance))",
                advice: "set the clock (NTP): tokens will expire early or late, or be refused as not yet valid")
        }
    }

    mutating func add(_ finding: Finding) {
        findings.append(finding)
    }

    mutating func add(
        _ severity: Finding.Severity,
        check: String,
        file: String? = nil,
        detail: String,
        advice: String? = nil
    ) {
        add(Finding(severity: severity, check: check, file: file, detail: detail, advice: advice))
    }
}

/// The result of one check.
struct Finding {
    /// How bad it is.
    enum Severity: String {
        case ok, warning, problem
    }

    let severity: Severity
    /// A stable name of what was checked.
    let check: String
    /// The file that it is about, if any.
    var file: String?
    let detail: String
    /// What to do.
    var advice: String?

    var object: JSONWriter {
        var object = JSONWriter()
        object.member("severity", severity.rawValue)
        object.member("check", check)
        if let file { object.member("file", file) }
        object.member("detail", detail)
        if let advice { object.member("advice", advice) }
        return object
    }

    var line: String {
        let name = severity.rawValue.padded(to: 9) + check.padded(to: 13)
        return name + (advice.map { "\(detail); \($0)" } ?? detail).printable + "\n"
    }
}
#endif
