import Foundation
import TestVectors
import Testing

@Suite struct DoctorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private struct Report {
        let outcome: Tool.Outcome

        /// What was found about one check, as `severity detail`.
        func findings(_ check: String) -> [String] {
            let findings = outcome.object["findings"] as? [[String: Any]] ?? []
            return findings.filter { $0["check"] as? String == check }
                .map { "\($0["severity"] as? String ?? "") \($0["detail"] as? String ?? "")" }
        }

        var problems: Int {
            let findings = outcome.object["findings"] as? [[String: Any]] ?? []
            return findings.count { $0["severity"] as? String == "problem" }
        }
    }

    private func doctor(_ arguments: String..., environment: [String: String] = [:]) async throws -> Report {
        let outcome = try await Tool.run(
            ["doctor", "--allow-test-keys"] + arguments + ["--output", "json"], environment: environment)
        #expect(outcome.error.isEmpty)
        #expect(outcome.object["healthy"] as? Bool == (outcome.exitCode == 0))
        return Report(outcome: outcome)
    }

    /// A certificate made by `openssl` with the vectors' 2048-bit key.
    private func certificate(days: Int) async throws -> String {
        let path = folder.path("\(days).pem")
        let made = try await openSSL(
            "req", "-x509", "-key", Tool.privateKey, "-days", "\(days)", "-subj", "/CN=test", "-out", path)
        try #require(made.exitCode == 0)
        return path
    }

    @Test func `A sound set-up is healthy`() async throws {
        let key = try folder.copy("formats/test-only-2048.pbes2-aes256.pem")
        let report = try await doctor(
            "--keys", Vectors.key("formats/test-only-2048.jks"), Tool.publicKey, "--key", key, "--certificate",
            try await certificate(days: 365), "--password-file", folder.password)
        #expect(report.outcome.exitCode == 0)
        for (check, count) in [("openssl", 1), ("legacy", 1), ("clock", 1), ("keys", 2), ("key", 1), ("match", 1)] {
            #expect(report.findings(check).count == count)
            #expect(report.findings(check).allSatisfy { $0.hasPrefix("ok ") })
        }
        #expect(!report.outcome.output.contains("test-only\n") && !report.outcome.output.contains("BEGIN"))
    }

    @Test func `Text has one finding per line`() async throws {
        let outcome = try await Tool.run(["doctor", "--keys", Vectors.key("bad/test-only-ec-p256.spki.pem")])
        #expect(outcome.exitCode == 78)
        #expect(outcome.lines.count == 4)
        #expect(outcome.lines.allSatisfy { ["ok ", "warning ", "problem "].contains(where: $0.hasPrefix) })
        #expect(outcome.lines.last?.contains("unsupported_key") == true)
    }

    @Test func `The key of a simulated broker is a warning`() async throws {
        let path = folder.path("simulator.pem")
        let made = try await openSSL(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder.path("simulator.key"), "-days", "365",
            "-subj", "/CN=simulator.invalid", "-out", path)
        try #require(made.exitCode == 0)
        let report = try await doctor("--keys", path)
        #expect(report.findings("keys").count { $0.hasPrefix("warning ") && $0.contains("a key of tve simulate") } == 1)
        #expect(report.outcome.exitCode == 0)
        let other = try await doctor("--keys", try await certificate(days: 365))
        #expect(!other.findings("keys").contains { $0.contains("tve simulate") })
    }

    /// Both keys are sound in all other respects, and let everybody sign.
    @Test func `A key that everybody can sign with is a problem`() async throws {
        for arguments in [["--keys", Tool.publicKey], ["--key", try folder.copy("test-only-other-2048.pkcs8.pem")]] {
            let published = try await Tool.run(["doctor"] + arguments)
            #expect(published.exitCode == 78)
            #expect(published.lines.count { $0.hasPrefix("problem ") && $0.contains("published") } == 1)
        }
        // A prime of 2048 bits and 65537, which OpenSSL's own command writes as a key without complaint.
        let prime = try await openSSL("prime", "-generate", "-bits", "2048", "-hex").output.filter { !$0.isWhitespace }
        try folder.write(
            """
            asn1=SEQUENCE:key
            [key]
            algorithm=SEQUENCE:algorithm
            key=BITWRAP,SEQUENCE:numbers
            [algorithm]
            oid=OID:rsaEncryption
            parameters=NULL
            [numbers]
            modulus=INTEGER:0x\(prime)
            exponent=INTEGER:65537

            """, to: folder.path("prime.cnf"))
        let made = try await openSSL(
            "asn1parse", "-noout", "-genconf", folder.path("prime.cnf"), "-out", folder.path("p.der"))
        try #require(made.exitCode == 0)
        let report = try await doctor("--keys", folder.path("p.der"))
        #expect(report.outcome.exitCode == 78 && report.problems == 1)
        #expect(report.findings("keys").contains { $0.hasPrefix("problem ") && $0.contains("prime") })
    }

    /// The probe says what a decryption then does.
    @Test func `The probe of decryption is right`() async throws {
        let block = folder.path("block.bin")
        try Data([UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0x5A, count: 248)).write(to: URL(filePath: block))
        let decrypted = try await openSSL(
            "pkeyutl", "-decrypt", "-inkey", Tool.privateKey, "-in", block, "-pkeyopt", "rsa_padding_mode:pkcs1")
        let findings = try await doctor("--key", Tool.privateKey).findings("decryption")
        #expect(findings.count == 1)
        #expect(findings[0].hasPrefix(decrypted.exitCode == 0 ? "ok " : "warning "))
    }

    /// Who only verifies cannot do anything about it.
    @Test func `How a decryption fails is checked with a private key only`() async throws {
        #expect(try await doctor().findings("decryption").isEmpty)
        #expect(try await doctor("--keys", Tool.publicKey).findings("decryption").isEmpty)
        let key = try folder.copy("test-only-other-2048.pkcs8.pem")
        #expect(try await doctor("--key", key).findings("decryption").count == 1)
    }

    @Test func `A missing legacy provider is named`() async throws {
        let report = try await doctor(environment: ["OPENSSL_MODULES": folder.url.path])
        #expect(report.outcome.exitCode == 0)
        #expect(report.findings("legacy").first?.contains(folder.path("legacy.so")) == true)
        let needed = try await doctor(
            "--keys", Vectors.key("formats/test-only-2048.legacy.p12"), "--password-file", folder.password,
            environment: ["OPENSSL_MODULES": folder.url.path])
        #expect(needed.outcome.exitCode == 78)
        #expect(needed.findings("keys").first?.contains("needs_legacy_provider") == true)
    }

    @Test func `An OpenSSL without RSA is a problem`() async throws {
        let configuration = folder.path("openssl.cnf")
        try folder.write(
            """
            openssl_conf = start
            [start]
            providers = providers
            [providers]
            base = base
            [base]
            activate = 1

            """, to: configuration)
        let report = try await doctor(environment: ["OPENSSL_CONF": configuration])
        #expect(report.outcome.exitCode == 78)
        #expect(report.findings("openssl").first?.hasPrefix("problem ") == true)
    }

    @Test func `Dates count in a certificate and not in trusted keys`() async throws {
        let expired = Vectors.key("test-only-issuer-2048.cert-expired.pem")
        let early = Vectors.key("test-only-issuer-2048.cert-not-yet-valid.pem")
        let trusted = try await doctor("--keys", expired, early)
        #expect(trusted.outcome.exitCode == 0)
        #expect(trusted.findings("keys").count { $0.hasPrefix("warning ") } == 2)
        for (file, text) in [(expired, "expired on"), (early, "not yet valid")] {
            let own = try await doctor("--certificate", file)
            #expect(own.outcome.exitCode == 78 && own.problems == 1)
            #expect(own.findings("certificate").contains { $0.hasPrefix("problem ") && $0.contains(text) })
        }
        let soon = try await doctor("--certificate", try await certificate(days: 20))
        #expect(soon.outcome.exitCode == 0)
        #expect(soon.findings("certificate").contains { $0.hasPrefix("warning ") && $0.contains("expires in") })
        let later = try await doctor("--certificate", try await certificate(days: 40))
        #expect(later.findings("certificate").allSatisfy { $0.hasPrefix("ok ") })
    }

    @Test func `Another key's certificate is a problem`() async throws {
        let key = try folder.copy("test-only-other-2048.pkcs8.pem")
        let report = try await doctor("--key", key, "--certificate", try await certificate(days: 365))
        #expect(report.outcome.exitCode == 78 && report.problems == 1)
        #expect(report.findings("match").first?.hasPrefix("problem ") == true)
    }

    @Test func `Private files open to others are a problem`() async throws {
        let key = try folder.copy("test-only-other-2048.pkcs8.pem", permissions: 0o640)
        let report = try await doctor("--key", key)
        #expect(report.outcome.exitCode == 78 && report.problems == 1)
        #expect(report.findings("key").contains { $0.hasPrefix("problem ") && $0.contains("others") })
        // Encrypted it is less bad, but its password must be closed.
        let encrypted = try folder.copy("formats/test-only-2048.pbes2-aes256.pem", permissions: 0o644)
        let warned = try await doctor("--key", encrypted, "--password-file", folder.password)
        #expect(warned.outcome.exitCode == 0)
        #expect(warned.findings("key").contains { $0.hasPrefix("warning ") && $0.contains("others") })
        try folder.setPermissions(0o644, of: folder.password)
        let open = try await doctor(
            "--key", encrypted, "--password-env", "TVE_TEST", environment: ["TVE_TEST": folder.password])
        #expect(open.outcome.exitCode == 78 && open.findings("password").count == 1)
        // A private key that lies among the trusted ones.
        try folder.write(
            try folder.text(Tool.publicKey) + folder.text(Tool.privateKey), to: folder.path("both.pem"),
            permissions: 0o644)
        #expect(try await doctor("--keys", folder.path("both.pem")).outcome.exitCode == 78)
    }

    @Test func `Bad keys are problems`() async throws {
        for (arguments, code) in [
            (["--key", Vectors.key("formats/test-only-2048.traditional-des3.pem")], "password_required"),
            (
                [
                    "--key", Vectors.key("formats/test-only-2048.traditional-des3.pem"), "--password-file",
                    folder.wrongPassword,
                ], "bad_password"
            ),
            (["--key", try folder.copy("bad/test-only-ec-p256.pkcs8.pem")], "unsupported_key"),
            (["--key", Tool.publicKey], "unsupported_key"), (["--certificate", Tool.publicKey], "unsupported_key"),
            (["--key", try folder.copy("test-only-issuer-1024.pkcs8.pem")], "below 2048"),
            (["--keys", folder.path("none")], "no_such_file"),
        ] {
            let outcome = try await Tool.run(["doctor"] + arguments)
            #expect(outcome.exitCode == 78)
            #expect(outcome.output.contains(code) && !outcome.output.contains("5ec2e7"))
        }
        let weak = try await doctor("--keys", Vectors.key("test-only-issuer-1024.cert-v1.pem"))
        #expect(weak.outcome.exitCode == 0 && weak.findings("keys").contains { $0.hasPrefix("warning ") })
    }

    @Test func `The clock is compared with a reference`() async throws {
        // The tool reads its clock some time after this, so a reference of the future is an hour away.
        let now = Int(Date.now.timeIntervalSince1970 * 1000)
        let same = try await doctor("--time", "\(now)", "--tolerance", "3600")
        #expect(same.findings("clock").first?.hasPrefix("ok ") == true)
        let fast = try await doctor("--time", "\(now - 300_000)")
        #expect(fast.outcome.exitCode == 78 && fast.findings("clock").first?.contains("later than") == true)
        let slow = try await doctor("--time", "\(now + 3_600_000)")
        #expect(slow.outcome.exitCode == 78 && slow.findings("clock").first?.contains("earlier than") == true)
        #expect(try await doctor("--time", "\(now + 3_600_000)", "--tolerance", "3700").outcome.exitCode == 0)
        #expect(try await Tool.run(["doctor", "--tolerance", "5"]).exitCode == 64)
        #expect(try await Tool.run(["doctor", "--time", "now"]).exitCode == 64)
    }
}
