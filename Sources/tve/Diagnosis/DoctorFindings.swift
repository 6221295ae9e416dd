#if CLI
import TextCodecs
import HostSystem
import EntitlementKeys
import EntitlementValues
import OpenSSLBridge

/// One thing that was looked at.
struct Finding {
    /// How bad it is.
    enum Severity: String {
        case ok, warning, problem
    }

    let severity: Severity
    /// What was looked at: a stable name.
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

/// Looks at what a service will run with.
struct Examination {
    let opener: KeyOpener
    let now: Timestamp
    private(set) var findings: [Finding] = []

    init(opener: KeyOpener, now: Timestamp) {
        self.opener = opener
        self.now = now
    }

    mutating func checkOpenSSL() {
        if openSSLOffersRSA {
            add(.ok, "openssl", openSSLVersion)
        } else {
            add(
                .problem, "openssl", "\(openSSLVersion) offers no RSA or SHA-256 in this process",
                advice: "look at the file that OPENSSL_CONF names, and at its providers")
        }
        if rejectsImplicitly {
            add(
                .ok, "decryption",
                "a wrong key or damaged text gives made-up bytes, not an error (PKCS#1 v1.5, implicit rejection)")
        } else {
            add(
                .warning, "decryption", "a wrong key or damaged text gives an error (PKCS#1 v1.5)",
                advice: "tell no client why a decryption failed; OpenSSL 3.2 and later do not tell either")
        }
        if let file = missingLegacyProvider() {
            add(
                .warning, "legacy", "OpenSSL's legacy provider is missing (\(file))",
                advice: "old PKCS#12 files need it; install it (Debian 13: openssl-provider-legacy)")
        } else {
            add(.ok, "legacy", "OpenSSL's legacy provider is there for old PKCS#12 files")
        }
    }

    mutating func checkClock(reference: Timestamp?, tolerance: TimeToLive) {
        guard let reference else {
            add(.ok, "clock", "it is \(now) here; compare it with --time TIME")
            return
        }
        let distance = max(now, reference).since(min(now, reference))
        let text = "\(distance) \(now < reference ? "behind" : "ahead of") the reference time"
        if distance <= tolerance {
            add(.ok, "clock", text)
        } else {
            add(
                .problem, "clock", "\(text) (\(tolerance) are tolerated)",
                advice: "set the clock (NTP): tokens will expire early or late, or be refused as not yet valid")
        }
    }

    mutating func add(_ finding: Finding) {
        findings.append(finding)
    }

    mutating func checkPasswordFile(_ file: String) {
        checkPermissions(file, "password", isEncrypted: false)
    }

    /// Looks at keys to verify with.
    mutating func checkTrusted(_ path: String) {
        do throws(KeyError) {
            for file in try KeyInventory.files(at: path) { checkTrusted(file: file) }
        } catch {
            add(error, "keys")
        }
    }

    private mutating func checkTrusted(file: String) {
        do throws(KeyError) {
            let keys = try opener.open { password throws(KeyError) in
                try VerificationKeys(contentsOfFile: file, password: password)
            }
            for key in keys.keys {
                add(
                    key.isWeak ? .warning : .ok, "keys", file,
                    "\(file): \(key)\(key.isWeak ? ", weak: below 2048 bits" : "")",
                    advice: key.isWeak ? "accepted, since real tokens use them; ask for a longer one" : nil)
                // A trusted key counts because it was configured, whatever its certificate says of its dates.
                if let validity = key.validity { checkDates(validity, "keys", file, isEnforced: false) }
            }
            checkPermissions(ofPrivateKeysIn: file, "keys")
        } catch {
            add(error, "keys")
        }
    }

    /// Looks at a private key for signing or decrypting.
    mutating func checkPrivate(_ file: String) {
        // Permissions count even where the key cannot be read.
        checkPermissions(ofPrivateKeysIn: file, "key")
        do throws(KeyError) {
            let keys = try opener.inventory(file, needsPrivateKeys: true).entries.filter { $0.kind == .privateKey }
            if keys.isEmpty {
                throw .unsupported(
                    file: file, found: "no private key", advice: "give a public key or certificate with --keys")
            }
            for key in keys {
                if let problem = key.problem { throw problem }
                let name = "\(file): \(key.summary)"
                if key.isWeak {
                    add(
                        .problem, "key", file, "\(name): refused for signing and decrypting below 2048 bits",
                        advice: "make a new one (tve keys generate), or admit it with --allow-weak-keys")
                } else {
                    add(.ok, "key", file, name)
                }
            }
        } catch {
            add(error, "key")
        }
    }

    /// Looks at the certificate that others have of the private key.
    mutating func checkCertificate(_ file: String) {
        do throws(KeyError) {
            let entries = try opener.inventory(file, needsPrivateKeys: false).entries
            let certificates = entries.filter { $0.kind == .certificate }
            if certificates.isEmpty {
                throw .unsupported(
                    file: file, found: "no certificate", advice: "--certificate takes the certificate of --key")
            }
            for certificate in certificates {
                if let problem = certificate.problem { throw problem }
                add(
                    certificate.isWeak ? .warning : .ok, "certificate", file, "\(file): \(certificate.summary)",
                    advice: certificate.isWeak ? "weak, below 2048 bits: make a new key" : nil)
                if let validity = certificate.validity {
                    checkDates(validity, "certificate", file, isEnforced: true)
                } else {
                    add(
                        .problem, "certificate", file, "\(file): its last day is before its first",
                        advice: "ask its authority for a new one")
                }
            }
        } catch {
            add(error, "certificate")
        }
    }

    /// Looks whether the two belong together; what is wrong with one of them was found before.
    mutating func checkMatch(certificate: String, key: String) {
        guard let match = try? KeyMatch(certificate: certificate, key: key, opener) else { return }
        if match.isMatch {
            add(.ok, "match", certificate, "\(certificate) and \(key) belong together")
        } else {
            add(
                .problem, "match", certificate, "\(certificate) is for another key than \(key)",
                advice: "find the right one with tve keys match")
        }
    }

    private mutating func checkDates(
        _ validity: ClosedRange<Timestamp>,
        _ check: String,
        _ file: String,
        isEnforced: Bool
    ) {
        let bad = isEnforced ? Finding.Severity.problem : .warning
        let effect = isEnforced ? "others refuse it" : "dates of trusted keys do not count here"
        if validity.upperBound < now {
            add(
                bad, check, file, "\(file): expired on \(validity.upperBound)",
                advice: "\(effect); get the next one from its owner")
        } else if now < validity.lowerBound {
            add(
                bad, check, file, "\(file): not yet valid, only from \(validity.lowerBound)",
                advice: "\(effect); look at the clock, or wait")
        } else if validity.upperBound < now + .hours(24 * 30) {
            add(
                .warning, check, file,
                "\(file): expires in \(validity.upperBound.since(now)), on \(validity.upperBound)",
                advice: "get the next one now")
        }
    }

    private mutating func checkPermissions(ofPrivateKeysIn file: String, _ check: String) {
        // What can be read without a password is open to whoever has the file.
        let open = try? KeyInventory(contentsOfFile: file).entries
        let entries = (try? open ?? KeyInventory(contentsOfFile: file, password: opener.password).entries) ?? []
        guard entries.contains(where: { $0.kind == .privateKey || $0.kind == .encryptedPrivateKey }) else { return }
        let isPlain = open?.contains { $0.kind == .privateKey } ?? false
        checkPermissions(file, check, isEncrypted: !isPlain)
    }

    private mutating func checkPermissions(_ file: String, _ check: String, isEncrypted: Bool) {
        // A pipe has no permissions to speak of; what cannot be read is told elsewhere.
        guard (try? Files.kind(of: file)) == .regular, (try? Files.isOpenToOthers(file)) == true else { return }
        add(
            isEncrypted ? .warning : .problem, check, file,
            "\(file): others than its owner may read or change it\(isEncrypted ? " (it is encrypted)" : "")",
            advice: "chmod 600")
    }

    private mutating func add(_ error: KeyError, _ check: String) {
        findings.append(
            Finding(severity: .problem, check: check, file: error.file, detail: "\(error) [\(error.code)]"))
    }

    private mutating func add(
        _ severity: Finding.Severity,
        _ check: String,
        _ detail: String,
        advice: String? = nil
    ) {
        findings.append(Finding(severity: severity, check: check, detail: detail, advice: advice))
    }

    private mutating func add(
        _ severity: Finding.Severity,
        _ check: String,
        _ file: String,
        _ detail: String,
        advice: String? = nil
    ) {
        findings.append(Finding(severity: severity, check: check, file: file, detail: detail, advice: advice))
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
#endif
