import Foundation
import TestVectors
import Testing

/// The fingerprint of the 2048-bit key in the vectors.
private let fingerprint = "e53325dace595c4093595e9046607df774bded9d640dcc0ca453846b3ee79379"

@Suite struct KeysInspectTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [
        ("jks", "Java key store (JKS)", 1), ("legacy.p12", "PKCS#12 (PBE-SHA1-RC2-40; PBE-SHA1-3DES)", 2),
        ("traditional-des3.pem", "PEM, PKCS#1 private key (DES-EDE3-CBC)", 1),
        ("pbes2-aes256.der", "DER, PKCS#8 private key (PBES2, AES-256-CBC)", 1),
        ("der.p7b", "PKCS#7, DER", 1), ("spki.pem", "PEM, public key", 1),
    ])
    func `Every reader is there`(_ file: String, _ format: String, _ count: Int) async throws {
        let path = Vectors.key("formats/test-only-2048.\(file)")
        let outcome = try await Tool.run([
            "keys", "inspect", path, "--password-file", folder.password, "--output", "json",
        ])
        #expect(outcome.exitCode == 0)
        let files = outcome.object["files"] as? [[String: Any]] ?? []
        let entries = files.first?["entries"] as? [[String: Any]] ?? []
        #expect(files.count == 1 && files.first?["file"] as? String == path)
        #expect(entries.count == count)
        for entry in entries {
            #expect(entry["format"] as? String == format)
            #expect(entry["bits"] as? Int == 2048 && entry["exponent"] as? Int == 65537)
            #expect(entry["fingerprint"] as? String == fingerprint && entry["weak"] as? Bool == false)
        }
    }

    @Test func `What is weak or out of date is said`() async throws {
        let outcome = try await Tool.run([
            "keys", "inspect", Vectors.key("test-only-issuer-1024.cert-v1.pem"),
            Vectors.key("test-only-issuer-2048.cert-expired.pem"),
            Vectors.key("test-only-issuer-2048.cert-not-yet-valid.pem"),
        ])
        #expect(outcome.exitCode == 0 && outcome.error.isEmpty)
        #expect(outcome.output.contains("1024 bits — weak: below 2048 bits"))
        #expect(outcome.output.contains("2010-01-01T00:00:00Z to 2012-01-01T00:00:00Z — expired"))
        #expect(outcome.output.contains("— not yet valid"))
    }

    @Test func `A bad file is named and the others are listed`() async throws {
        let bad = Vectors.key("bad/test-only-noise.bin")
        for arguments in [[], ["--output", "json"]] {
            let outcome = try await Tool.run(
                [
                    "keys", "inspect", bad, Vectors.key("bad/test-only-ec-p256.cert.pem"),
                    Vectors.key("bad/test-only-rsa-e1.spki.pem"), Tool.publicKey,
                ] + arguments)
            #expect(outcome.exitCode == 78)
            for text in [bad, "unreadable_key", "unsupported_key", "weak_exponent", fingerprint] {
                #expect(outcome.output.contains(text))
            }
        }
        #expect(try await Tool.run(["keys", "inspect", folder.path("none"), Tool.publicKey]).exitCode == 66)
        #expect(try await Tool.run(["keys", "inspect", folder.path("none"), bad]).exitCode == 78)
    }

    @Test func `Folders are listed file by file`() async throws {
        let keys = try TemporaryFolder()
        _ = try keys.copy("test-only-issuer-2048.spki.pem")
        _ = try keys.copy("test-only-issuer-4096.cert-v3.der")
        try FileManager.default.removeItem(atPath: keys.password)
        try FileManager.default.removeItem(atPath: keys.wrongPassword)
        let outcome = try await Tool.run(["keys", "inspect", keys.url.path, "--output", "json"])
        #expect(outcome.exitCode == 0)
        #expect((outcome.object["files"] as? [Any])?.count == 2)
    }

    @Test func `Encrypted keys are listed without a password`() async throws {
        let outcome = try await Tool.run(["keys", "inspect", Vectors.key("formats/test-only-2048.pbes2-aes256.pem")])
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.contains("encrypted private key") && outcome.output.contains("AES-256-CBC"))
    }

    @Test func `Names inside files cannot write to the terminal`() async throws {
        let key = folder.path("key.pem")
        let certificate = folder.path("cert.pem")
        let made = try await openSSL(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-utf8", "-subj",
            "/CN=evil\u{1B}[31m\u{202E}txt")
        try #require(made.exitCode == 0)
        let outcome = try await Tool.run(["keys", "inspect", certificate])
        #expect(outcome.exitCode == 0 && outcome.output.contains("evil"))
        #expect(!outcome.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }
}

@Suite struct KeyPasswordOptionTests {
    private let folder: TemporaryFolder
    private let store = Vectors.key("formats/test-only-2048.jks")

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `Passwords come from files, descriptors and variables`() async throws {
        let inspect = ["keys", "inspect", store]
        #expect(try await Tool.run(inspect + ["--password-fd", "0"], input: "test-only\n").exitCode == 0)
        #expect(
            try await Tool.run(inspect + ["--password-env", "TVE_TEST"], environment: ["TVE_TEST": folder.password])
                .exitCode == 0)
        let unset = try await Tool.run(inspect + ["--password-env", "TVE_TEST_UNSET"])
        #expect(unset.exitCode == 78 && unset.error.contains("$TVE_TEST_UNSET"))
        let missing = try await Tool.run(inspect + ["--password-file", folder.path("5ec2e7")])
        #expect(missing.exitCode == 66 && !missing.error.contains("5ec2e7"))
    }

    @Test(arguments: [
        ["--password", "5ec2e7"], ["--password=5ec2e7"], ["--password-fd", "5ec2e7"], ["--password-fd", "1"],
        ["--password-file", "x", "--password-fd", "3"],
    ])
    func `No password is taken from the command line or shown`(_ arguments: [String]) async throws {
        for command in [["keys", "inspect"], ["doctor", "--keys"], ["keys", "convert"]] {
            let outcome = try await Tool.run(command + [store] + arguments)
            #expect(outcome.exitCode == 64)
            #expect(outcome.output.isEmpty && !outcome.error.contains("5ec2e7"))
        }
    }

    @Test func `Wrong and missing passwords are told apart`() async throws {
        for file in ["jks", "legacy.p12", "traditional-des3.pem", "pbes2-aes256.pem"] {
            let key = Vectors.key("formats/test-only-2048.\(file)")
            let convert = ["keys", "convert", key]
            let missing = try await Tool.run(convert)
            #expect(missing.exitCode == 78 && missing.output.isEmpty)
            #expect(missing.error.contains("password_required") && missing.error.contains("--password-file"))
            let wrong = try await Tool.run(convert + ["--password-file", folder.wrongPassword])
            #expect(wrong.exitCode == 78 && wrong.output.isEmpty)
            #expect(wrong.error.contains("bad_password") && wrong.error.contains(key))
            #expect(!wrong.error.contains("5ec2e7"))
        }
        // A password for a plain file is not needed and does no harm.
        #expect(
            try await Tool.run(["keys", "inspect", Tool.publicKey, "--password-file", folder.password]).exitCode == 0)
    }

    @Test func `Verify and issue take passwords too`() async throws {
        let key = Vectors.key("formats/test-only-2048.traditional-des3.pem")
        let issued = try await Tool.run([
            "issue", "media-token", "--key", key, "--password-file", folder.password, "--requestor", "A",
            "--resource", "B",
        ])
        #expect(issued.exitCode == 0)
        let verify = ["verify", "-", "--requestor", "A", "--resource", "B", "--keys", store]
        let outcome = try await Tool.run(verify + ["--password-file", folder.password], input: issued.bytes)
        #expect(outcome.exitCode == 0)
        #expect(try await Tool.run(verify, input: issued.bytes).exitCode == 78)
        #expect(try await Tool.run(verify + ["--password-fd", "0"], input: issued.bytes).exitCode == 64)
    }
}

@Suite struct KeysMatchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func match(_ certificate: String, _ key: String, _ arguments: String...) async throws -> Tool.Outcome {
        try await Tool.run(
            ["keys", "match", Vectors.key(certificate), Vectors.key(key), "--password-file", folder.password]
                + arguments)
    }

    @Test func `What belongs together matches`() async throws {
        for key in ["pkcs8.pem", "legacy.p12", "traditional-des3.pem", "pbes2-scrypt.der"] {
            for certificate in ["cert.pem", "spki.der", "jks", "pem.p7b"] {
                let outcome = try await match("formats/test-only-2048.\(certificate)", "formats/test-only-2048.\(key)")
                #expect(outcome.exitCode == 0)
                #expect(outcome.output.contains(fingerprint))
            }
        }
        #expect(try await match("test-only-ca-and-leaf.pem", "test-only-ca-2048.pkcs8.pem").exitCode == 0)
    }

    @Test func `Different keys do not`() async throws {
        let outcome = try await match(
            "formats/test-only-1024.cert.pem", "test-only-other-2048.pkcs8.pem", "--output", "json")
        #expect(outcome.exitCode == 1)
        #expect(outcome.object["match"] as? Bool == false)
        #expect(try await match("test-only-issuer-2048.cert-v3.pem", "test-only-other-2048.pkcs8.pem").exitCode == 1)
    }

    @Test func `Bad files are named`() async throws {
        let good = "test-only-issuer-2048.cert-v3.pem"
        // A certificate does not prove that its key is there.
        for (certificate, key, code) in [
            (good, good, "unsupported_key"), ("test-only-issuer-2048.pkcs8.pem", good, "unsupported_key"),
            ("bad/test-only-ec-p256.cert.pem", "bad/test-only-ec-p256.pkcs8.pem", "unsupported_key"),
            (good, "formats/bad/test-only-wrong-d.pem", "unreadable_key"),
            (good, "bad/test-only-rsa-512.pkcs8.pem", "key_too_small"),
        ] {
            let outcome = try await match(certificate, key, "--output", "json")
            #expect(outcome.exitCode == 78 && outcome.output.isEmpty)
            #expect((outcome.report["error"] as? [String: Any])?["code"] as? String == code)
        }
        #expect(try await match(good, "none").exitCode == 66)
    }
}

@Suite struct KeysConvertTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [
        "jks", "legacy.p12", "modern.p12", "der.p7b", "cert.der", "spki.der", "pkcs1-public.pem",
        "traditional-des3.pem", "pbes2-aes256.der", "pkcs1.der",
    ])
    func `Public keys are those that OpenSSL writes`(_ file: String) async throws {
        let outcome = try await Tool.run([
            "keys", "convert", Vectors.key("formats/test-only-2048.\(file)"), "--password-file", folder.password,
        ])
        #expect(outcome.exitCode == 0 && outcome.error.isEmpty)
        #expect(outcome.output == (try folder.text(Tool.publicKey)))
    }

    @Test func `Authorities of a chain are left out`() async throws {
        let outcome = try await Tool.run(["keys", "convert", Vectors.key("test-only-ca-and-leaf.pem")])
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.components(separatedBy: "-----BEGIN PUBLIC KEY-----").count == 2)
        #expect(outcome.output != (try folder.text(Vectors.key("test-only-ca-2048.spki.pem"))))
    }

    @Test func `Private keys are encrypted`() async throws {
        let new = folder.path("new.txt")
        try folder.write("another one\n", to: new)
        let out = folder.path("out.pem")
        let convert = [
            "keys", "convert", Vectors.key("formats/test-only-1024.legacy.p12"), "--password-file", folder.password,
            "--private", "--new-password-file", new,
        ]
        let shown = try await Tool.run(convert)
        #expect(shown.exitCode == 0 && shown.output.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----"))
        let outcome = try await Tool.run(convert + ["--out", out])
        #expect(outcome.exitCode == 0 && outcome.output.isEmpty && outcome.error.isEmpty)
        #expect(try folder.permissions(of: out) == 0o600)
        let read = try await openSSL("pkey", "-in", out, "-passin", "file:\(new)", "-pubout")
        #expect(read.output == (try folder.text(Vectors.key("formats/test-only-1024.spki.pem"))))
        #expect(try await openSSL("pkey", "-in", out, "-passin", "pass:test-only", "-noout").exitCode != 0)
    }

    @Test func `Without encryption only when and where told to`() async throws {
        let out = folder.path("plain.pem")
        let convert = ["keys", "convert", Vectors.key("formats/test-only-2048.pkcs1.der"), "--private"]
        let unsaid = try await Tool.run(convert + ["--out", out])
        #expect(unsaid.exitCode == 64 && unsaid.error.contains("--new-password-file"))
        #expect(!FileManager.default.fileExists(atPath: out))
        let shown = try await Tool.run(convert + ["--unencrypted"])
        #expect(shown.exitCode == 64 && shown.output.isEmpty)
        #expect(try await Tool.run(convert + ["--unencrypted", "--out", out]).exitCode == 0)
        #expect(try folder.permissions(of: out) == 0o600)
        #expect(try await openSSL("pkey", "-in", out, "-pubout").output == (try folder.text(Tool.publicKey)))
        // Never over something that is there.
        let before = try folder.text(out)
        let again = try await Tool.run(convert + ["--unencrypted", "--out", out])
        #expect(again.exitCode == 74 && again.error.contains(out))
        #expect(try folder.text(out) == before)
    }

    @Test func `Private keys go to pipes and not to terminals`() async throws {
        let convert = ["keys", "convert", Tool.privateKey, "--private"]
        let plain = convert + ["--unencrypted", "--out", "-"]
        let piped = try await Tool.run(
            ["-c", "\"$0\" \"$@\" | cat", Tool.executable.path] + plain, executable: URL(filePath: "/bin/sh"))
        #expect(piped.exitCode == 0 && piped.error.isEmpty)
        let file = folder.path("piped.pem")
        try folder.write(piped.output, to: file)
        #expect(try await openSSL("pkey", "-in", file, "-pubout").output == (try folder.text(Tool.publicKey)))

        let terminal = try Terminal()
        let encrypted = convert + ["--new-password-file", folder.password]
        for arguments in [plain, encrypted, encrypted + ["--out", "-"]] {
            let outcome = try await Tool.run(arguments, output: terminal.device)
            #expect(outcome.exitCode == 64)
            #expect(outcome.error.contains("--out FILE") && outcome.error.contains("[usage]"), "\(outcome.error)")
            #expect(terminal.text().isEmpty)
        }
        let shown = try await Tool.run(["keys", "convert", Tool.privateKey], output: terminal.device)
        #expect(shown.exitCode == 0 && terminal.text().hasPrefix("-----BEGIN PUBLIC KEY-----"))
    }

    @Test func `Bad input writes nothing`() async throws {
        let out = folder.path("out.pem")
        for file in [
            "bad/test-only-ec-p256.spki.pem", "bad/test-only-rsa-1016.spki.pem", "bad/test-only-empty.pem",
            "bad/test-only-bundle-good-and-small.pem", "formats/bad/test-only-store.jceks",
        ] {
            let outcome = try await Tool.run([
                "keys", "convert", Vectors.key(file), "--password-file", folder.password, "--out", out,
            ])
            #expect(outcome.exitCode == 78 && outcome.error.contains(file))
            #expect(!FileManager.default.fileExists(atPath: out))
        }
        let outcome = try await Tool.run([
            "keys", "convert", Tool.publicKey, "--private", "--unencrypted", "--out", out,
        ])
        #expect(outcome.exitCode == 78 && outcome.error.contains("only a public key"))
        #expect(try await Tool.run(["keys", "convert", Tool.publicKey, "--unencrypted", "--out", out]).exitCode == 64)
    }
}

@Suite struct KeysGenerateTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Such a key is sound, and not damaged; it is another kind than the two primes that are checked here.
    @Test func `A key of three primes is unsupported and not damaged`() async throws {
        let key = folder.path("three.pem")
        let made = try await openSSL("genrsa", "-primes", "3", "-out", key, "2048")
        try #require(made.exitCode == 0)
        let inspected = try await Tool.run(["keys", "inspect", key])
        #expect(inspected.output.contains("more than two primes") && inspected.output.contains("[unsupported_key]"))
        let signed = try await Tool.run(["sign", "requestor-id", "REF30", "--key", key])
        #expect(signed.exitCode == 78 && signed.error.contains("unsupported_key"))
        let decrypted = try await Tool.run(["decrypt", "AAAA", "--keys", key])
        #expect(decrypted.exitCode == 78 && decrypted.error.contains("unsupported_key"))
    }

    @Test func `OpenSSL accepts key, request and certificate`() async throws {
        let (key, request, certificate) = (folder.path("key.pem"), folder.path("a.csr"), folder.path("cert.pem"))
        let outcome = try await Tool.run([
            "keys", "generate", "--out", key, "--bits", "3072", "--new-password-file", folder.password,
            "--request", request, "--certificate", certificate, "--days", "30", "--common-name", "Ünït, a+b",
            "--organization", "Org", "--country", "DE", "--output", "json",
        ])
        #expect(outcome.exitCode == 0 && outcome.error.isEmpty)
        #expect(outcome.object["bits"] as? Int == 3072 && outcome.object["encrypted"] as? Bool == true)
        #expect(try folder.permissions(of: key) == 0o600)
        #expect(try folder.text(key).hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----"))

        let password = "file:\(folder.password)"
        let checked = try await openSSL("pkey", "-in", key, "-passin", password, "-check", "-pubout")
        #expect(checked.exitCode == 0 && checked.output.contains("Key is valid"))
        // 600,000 rounds of PBKDF2, in hexadecimal digits.
        #expect(try await openSSL("asn1parse", "-in", key).output.contains("INTEGER           :0927C0"))
        let publicKey = try await openSSL("pkey", "-in", key, "-passin", password, "-pubout").output
        let names = ["-noout", "-subject", "-nameopt", "RFC2253,-esc_msb"]
        let req = try await openSSL("req", "-in", request, "-verify", names[0], names[1], names[2], names[3])
        #expect(req.exitCode == 0 && req.output.contains("CN=Ünït\\, a\\+b,O=Org,C=DE"))
        #expect(try await openSSL("req", "-in", request, "-noout", "-pubkey").output == publicKey)
        let x509 = try await openSSL("x509", "-in", certificate, names[0], names[1], names[2], names[3])
        #expect(x509.output.contains("CN=Ünït\\, a\\+b,O=Org,C=DE"))
        #expect(try await openSSL("x509", "-in", certificate, "-noout", "-pubkey").output == publicKey)
        #expect(try await openSSL("verify", "-CAfile", certificate, certificate).exitCode == 0)
        #expect(try await openSSL("x509", "-in", certificate, "-noout", "-checkend", "\(29 * 86_400)").exitCode == 0)
        #expect(try await openSSL("x509", "-in", certificate, "-noout", "-checkend", "\(31 * 86_400)").exitCode == 1)
        #expect(
            try await Tool.run(["keys", "match", certificate, key, "--password-file", folder.password]).exitCode == 0)
    }

    @Test func `Nothing is overwritten and nothing half made`() async throws {
        let (key, certificate) = (folder.path("key.pem"), folder.path("cert.pem"))
        try folder.write("mine", to: certificate)
        let generate = ["keys", "generate", "--unencrypted", "--common-name", "n", "--certificate", certificate]
        let outcome = try await Tool.run(generate + ["--out", key])
        #expect(outcome.exitCode == 74 && outcome.error.contains(certificate))
        #expect(try folder.text(certificate) == "mine")
        #expect(!FileManager.default.fileExists(atPath: key))
        #expect(
            try await Tool.run(["keys", "generate", "--unencrypted", "--out", folder.path("no/key.pem")]).exitCode == 74
        )
    }

    @Test func `Encryption is left out only when told to`() async throws {
        let key = folder.path("key.pem")
        let unsaid = try await Tool.run(["keys", "generate", "--out", key])
        #expect(unsaid.exitCode == 64 && !FileManager.default.fileExists(atPath: key))
        let empty = folder.path("empty.txt")
        try folder.write("\n", to: empty)
        #expect(try await Tool.run(["keys", "generate", "--out", key, "--new-password-file", empty]).exitCode == 78)
        #expect(!FileManager.default.fileExists(atPath: key))
        let outcome = try await Tool.run(["keys", "generate", "--out", key, "--unencrypted"])
        #expect(outcome.exitCode == 0 && outcome.output.contains("not encrypted"))
        #expect(try folder.permissions(of: key) == 0o600)
        #expect(try await openSSL("pkey", "-in", key, "-check", "-noout").exitCode == 0)
        #expect(!outcome.output.contains("BEGIN"))
    }

    @Test(arguments: [
        ["--bits", "1024"], ["--bits", "2049"], ["--days", "10"], ["--common-name", "n"], ["--request", "r"],
        ["--certificate", "c", "--common-name", ""], ["--certificate", "c", "--common-name", "a\nb"],
        ["--certificate", "c", "--common-name", "n", "--days", "0"],
        ["--certificate", "c", "--common-name", "n", "--country", "de"],
        ["--certificate", "k", "--common-name", "n"], ["--new-password-file", "f"],
    ])
    func `Wrong command lines are refused`(_ arguments: [String]) async throws {
        #expect(try await Tool.run(["keys", "generate", "--out", "k", "--unencrypted"] + arguments).exitCode == 64)
    }
}

/// Where people put the password itself instead of the name of its file.
@Suite struct MisplacedPasswordTests {
    @Test(arguments: ["text", "json"]) func `A password in the variable is not shown`(_ form: String) async throws {
        let path = Vectors.key("test-only-issuer-2048.pkcs8.pem")
        for command in ["keys inspect \(path)", "doctor --key \(path)"] {
            let outcome = try await Tool.run(
                command.split(separator: " ").map(String.init) + [
                    "--password-env", "TVE_TEST_PASSWORD", "--output", form,
                ],
                environment: ["TVE_TEST_PASSWORD": "sesame123"])
            #expect(outcome.exitCode == 66)
            #expect(!(outcome.output + outcome.error).contains("sesame"))
            #expect((outcome.output + outcome.error).contains("$TVE_TEST_PASSWORD"))
        }
    }
}

@Suite struct HalfWrittenKeysTests {
    @Test func `A key whose request cannot be written is not left behind`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tve-generate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let outcome = try await Tool.run([
            "keys", "generate", "--out", folder.appending(path: "key.pem").path, "--unencrypted",
            "--request", folder.appending(path: "missing/request.csr").path, "--common-name", "x",
        ])
        #expect(outcome.exitCode == 74)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
