#if CLI
import EntitlementKeys
import EntitlementValues
import HostSystem

extension Examination {
    /// Checks who can read the file with the password.
    mutating func checkPasswordFile(_ file: String) {
        checkPermissions(of: file, check: "password", isEncrypted: false)
    }

    /// Checks keys to verify with.
    mutating func checkTrusted(_ path: String) {
        noting("keys") { examination throws(KeyError) in
            for file in try KeyInventory.files(at: path) {
                examination.noting("keys") { examination throws(KeyError) in try examination.readTrusted(file) }
            }
        }
    }

    private mutating func readTrusted(_ file: String) throws(KeyError) {
        let keys = try opener.open { password throws(KeyError) in
            try VerificationKeys(contentsOfFile: file, password: password)
        }
        for key in keys.keys {
            add(
                key.isWeak ? .warning : .ok, check: "keys", file: file,
                detail: "\(file): \(key)\(key.isWeak ? ", weak: below 2048 bits" : "")",
                advice: key.isWeak ? "accepted, since real tokens use them; ask for a longer one" : nil)
            // A trusted key is used because it was configured; the dates of its certificate are not checked.
            try checkSecrecy(of: key, file: file)
            if let validity = key.validity { checkDates(validity, check: "keys", file: file, isEnforced: false) }
        }
        checkPermissions(ofPrivateKeysIn: file, check: "keys")
        checkSimulator(file)
    }

    /// Finds keys whose private half everybody has, or can calculate.
    private mutating func checkSecrecy(of key: VerificationKey, file: String) throws(KeyError) {
        checkPublished(key.fingerprint, of: key.label, check: "keys", file: file)
        if try key.hasPrimeModulus {
            add(
                .problem, check: "keys", file: file,
                detail: "\(file): \(key.label) has a prime as its modulus, so its private half can be calculated",
                advice: "anybody can sign with it: ask its owner for a new one")
        }
    }

    private mutating func checkPublished(_ fingerprint: String, of label: String, check: String, file: String) {
        guard !allowsTestKeys, PublishedTestKeys.contain(fingerprint) else { return }
        add(
            .problem, check: check, file: file,
            detail: "\(file): \(label) is a test key whose private half is published with this software",
            advice: "never use it in production: anybody can sign and decrypt with it (--allow-test-keys admits it)")
    }

    /// Warns of the key of a simulated broker: with it, anyone at that machine makes valid tokens.
    private mutating func checkSimulator(_ file: String) {
        let entries = (try? opener.inventory(file, needsPrivateKeys: false).entries) ?? []
        guard entries.contains(where: { $0.subject == "CN=simulator.invalid" }) else { return }
        add(
            .warning, check: "keys", file: file, detail: "\(file): a key of tve simulate, not of the broker",
            advice: "never trust it in production: take the broker's key instead")
    }

    /// Checks a private key for signing or decrypting.
    mutating func checkPrivate(_ file: String) {
        // The permissions matter even if the key cannot be read.
        checkPermissions(ofPrivateKeysIn: file, check: "key")
        noting("key") { examination throws(KeyError) in try examination.readPrivate(file) }
    }

    private mutating func readPrivate(_ file: String) throws(KeyError) {
        let keys = try opener.inventory(file, needsPrivateKeys: true).entries.filter { $0.kind == .privateKey }
        if keys.isEmpty {
            throw .unsupported(
                file: file, found: "no private key", advice: "give a public key or certificate with --keys")
        }
        for key in keys {
            if let problem = key.problem { throw problem }
            if let fingerprint = key.fingerprint {
                checkPublished(fingerprint, of: key.label, check: "key", file: file)
            }
            let name = "\(file): \(key.summary)"
            if key.isWeak {
                add(
                    .problem, check: "key", file: file,
                    detail: "\(name): refused for signing and decrypting below 2048 bits",
                    advice: "make a new one (tve keys generate), or admit it with --allow-weak-keys")
            } else {
                add(.ok, check: "key", file: file, detail: name)
            }
        }
    }

    /// Checks the certificate of the private key, as others have it.
    mutating func checkCertificate(_ file: String) {
        noting("certificate") { examination throws(KeyError) in try examination.readCertificate(file) }
    }

    private mutating func readCertificate(_ file: String) throws(KeyError) {
        let entries = try opener.inventory(file, needsPrivateKeys: false).entries
        let certificates = entries.filter { $0.kind == .certificate }
        if certificates.isEmpty {
            throw .unsupported(
                file: file, found: "no certificate", advice: "--certificate takes the certificate of --key")
        }
        for certificate in certificates {
            if let problem = certificate.problem { throw problem }
            add(
                certificate.isWeak ? .warning : .ok, check: "certificate", file: file,
                detail: "\(file): \(certificate.summary)",
                advice: certificate.isWeak ? "weak, below 2048 bits: make a new key" : nil)
            if let validity = certificate.validity {
                checkDates(validity, check: "certificate", file: file, isEnforced: true)
            } else {
                add(
                    .problem, check: "certificate", file: file, detail: "\(file): its last day is before its first",
                    advice: "ask its authority for a new one")
            }
        }
    }

    /// Checks that the two belong together; other checks find what is wrong with one of them.
    mutating func checkMatch(certificate: String, key: String) {
        guard let match = try? KeyMatch(certificate: certificate, key: key, opener: opener) else { return }
        if match.isMatch {
            add(.ok, check: "match", file: certificate, detail: "\(certificate) and \(key) belong together")
        } else {
            add(
                .problem, check: "match", file: certificate, detail: "\(certificate) is for another key than \(key)",
                advice: "find the right one with tve keys match")
        }
    }

    private mutating func checkDates(
        _ validity: ClosedRange<Timestamp>,
        check: String,
        file: String,
        isEnforced: Bool
    ) {
        let bad = isEnforced ? Finding.Severity.problem : .warning
        let effect = isEnforced ? "others refuse it" : "dates of trusted keys do not count here"
        if validity.upperBound < now {
            add(
                bad, check: check, file: file, detail: "\(file): expired on \(validity.upperBound)",
                advice: "\(effect); get the next one from its owner")
        } else if now < validity.lowerBound {
            add(
                bad, check: check, file: file, detail: "\(file): not yet valid, only from \(validity.lowerBound)",
                advice: "\(effect); check the clock, or wait")
        } else if validity.upperBound < now + .hours(24 * 30) {
            add(
                .warning, check: check, file: file,
                detail: "\(file): expires in \(validity.upperBound.since(now)), on \(validity.upperBound)",
                advice: "get the next one now")
        }
    }

    private mutating func checkPermissions(ofPrivateKeysIn file: String, check: String) {
        // A key that can be read without a password is open to everyone who can read the file.
        let open = try? KeyInventory(contentsOfFile: file).entries
        let entries = (try? open ?? KeyInventory(contentsOfFile: file, password: opener.password).entries) ?? []
        guard entries.contains(where: { $0.kind == .privateKey || $0.kind == .encryptedPrivateKey }) else { return }
        let isPlain = open?.contains { $0.kind == .privateKey } ?? false
        checkPermissions(of: file, check: check, isEncrypted: !isPlain)
    }

    private mutating func checkPermissions(of file: String, check: String, isEncrypted: Bool) {
        // Permissions of a pipe mean little; a file that cannot be read is reported by other checks.
        guard (try? Files.kind(of: file)) == .regular, (try? Files.isOpenToOthers(file)) == true else { return }
        add(
            isEncrypted ? .warning : .problem, check: check, file: file,
            detail: "\(file): others besides its owner can read or change it\(isEncrypted ? " (it is encrypted)" : "")",
            advice: "chmod 600")
    }

    /// Makes a check, which ends with a finding where a file cannot be used.
    private mutating func noting(_ check: String, _ make: (inout Examination) throws(KeyError) -> Void) {
        do throws(KeyError) {
            try make(&self)
        } catch {
            add(.problem, check: check, file: error.file, detail: "\(error) [\(error.code)]")
        }
    }
}
#endif
