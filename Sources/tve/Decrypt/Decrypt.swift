#if CLI
import TextCodecs
import HostSystem
import ArgumentParser
import EntitlementKeys
import MetadataDecryption
import OpenSSLBridge
import ServiceResponses

struct Decrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Decrypt user metadata: one value, or a field of every row.",
        discussion: """
            Examples:
              tve decrypt - --keys new.pem old.pem --attribute zip < value.txt
              tve decrypt --batch --keys keys/ --field zip \\
                  < rows.ndjson > plain.ndjson
              tve decrypt --batch --keys keys/ --field user.zip 'devices.*.zip' \\
                  --on-error skip --errors-to failed.ndjson < in > out
              tve decrypt --batch --keys keys/ --input profiles < in > out
              tve decrypt --batch --keys keys/ --field zip \\
                  --pseudonymise join.key < in > out

            Keys are tried in the order given: the newest first.

            With --batch, each line is a JSON object, and goes out with each --field replaced by its text and \
            "_tve": {"ok": true, "key": "…"} as its last member; everything else stays byte for byte. A field is \
            a name, or several with dots between them: a number names an element of an array, * all of them; \
            \\. is a dot in a name. A row that fails goes out unchanged but for "_tve": {"ok": false, "code": "…", \
            "field": "…"}. What is no JSON object goes out as {"_tve": {"ok": false, "code": "bad_row", "detail": \
            "…", "raw": "the line"}}. Lines are at most 16 MiB long, bodies of a \
            service 8 MiB.

            --input profiles takes a REST v2 body, or one profile, per line: each attribute with the state enc \
            gets its value, of its own type, and the state decrypted (pseudonymised); "_tve" lists "failures", \
            each with path and code. --input usermetadata takes bodies of v1 and strikes what was decrypted off \
            their list "encrypted".

            Codes of failed values: undecryptable (all that takes a key to find out), not_base64, wrong_length \
            (another key size, or cut), is_jwe, foreign_scheme, missing_field, not_a_string, unknown_state, \
            encrypted_not_text, already_decrypted (with --pseudonymise), internal.

            --pseudonymise hashes each text as it is: the zip 90210 and the list ["90210"] have hashes of their \
            own. With --input profiles or usermetadata, or --parse, it hashes the elements of lists one by one. \
            What came in clear stays so; an attribute with the state decrypted, of an earlier run, is a failure.

            SIGTERM and Ctrl-C end the reading; the rows read are still answered.

            Exit codes: 0 decrypted (or batch done); 20 not decrypted (batch: a row, with --on-error fail); 2 \
            failed rows with --strict; 64 usage; 66 no such file; 69 could not decide; 74 input or output failed; \
            78 bad key; 143 or 130 ended by a signal.
            """
    )

    @Argument(help: "The value in Base64; - or nothing reads it from standard input.")
    var value: String?

    @Option(
        name: .long, parsing: .upToNextOption, help: "Your private keys, the newest first: files or folders.",
        completion: .file())
    var keys: [String]

    @OptionGroup var password: PasswordOptions

    @Flag(name: .long, help: "Admit keys of 1024 to 2047 bits, as on the wire.")
    var allowWeakKeys = false

    @Option(
        name: .long, help: "How values were padded: pkcs1, oaep-sha1, oaep-sha256, or oaep-sha256-mgf1-sha1 (Java)."
    )
    var padding = MetadataPadding.insecurePKCS1v15

    @Option(
        name: .long,
        help: "What the value is of, such as zip or maxRating (with --batch: default the name of the field).")
    var attribute: String?

    @Flag(name: .long, help: "Decrypt many values: one JSON object per line.")
    var batch = false

    @OptionGroup(title: "Options with --batch") var batchOptions: DecryptBatchOptions

    @Option(name: .long, help: "How to show the text and failures: text or json.")
    var output = OutputForm.text

    func validate() throws {
        try batchOptions.validate(batch: batch)
        guard !batch || value == nil || value == "-" else {
            throw ValidationError("With --batch, rows are read from standard input.")
        }
        guard !batch || batchOptions.input == .rows || attribute == nil else {
            throw ValidationError("--attribute goes with a single value or with --input rows.")
        }
        guard password.descriptor != 0 || (!batch && value != nil && value != "-") else {
            throw ValidationError("--password-fd 0 is standard input, where the value or the rows come from.")
        }
        guard attribute != "" else { throw ValidationError("--attribute is empty.") }
    }

    func run() throws {
        var paths = KeyPaths(paths: keys)
        let trailing = value == nil && !batch ? paths.takeValue() : nil
        let keys = try paths.readDecryptionKeys(try password.read(output), allowWeakKeys, output)
        if batch {
            let memo = batchOptions.memo > 0 ? MetadataMemo(capacity: batchOptions.memo) : nil
            let decrypter = MetadataDecrypter(keys: keys, padding: padding, memo: memo)
            try batchOptions.run(decrypter, attribute: attribute.map(MetadataAttribute.init), output)
        } else {
            try decryptOne(value ?? trailing, with: MetadataDecrypter(keys: keys, padding: padding))
        }
    }

    private func decryptOne(_ value: String?, with decrypter: MetadataDecrypter) throws {
        let bytes = try TokenInput.bytes(value, output)
        let plain: DecryptedMetadata
        do throws(MetadataDecryptionError) {
            plain = try decrypter.decrypt(bytes.span, of: attribute.map(MetadataAttribute.init))
        } catch {
            throw Console.fail(error.code, file: nil, error.description, output, error.exitCode)
        }
        switch output {
        case .text:
            try Console.write(plain.text + "\n")
        case .json:
            var object = JSONWriter()
            object.member("text", plain.text)
            if let attribute {
                let value = AttributeValue(text: plain.text, of: MetadataAttribute(attribute))
                object.member("value", raw: try PlainTextForm.asItIs.json(value))
            }
            object.member("key", plain.key.label)
            try Console.write(object.finished + [UInt8(ascii: "\n")], .json)
        }
    }
}

extension MetadataDecryptionError {
    /// What a single value ends with.
    fileprivate var exitCode: ExitCode { if case .undecided = self { .undecided } else { .undecryptable } }
}

extension KeyPaths {
    /// Takes a value off the end of the list, where it stands behind `--keys`.
    fileprivate mutating func takeValue() -> String? {
        guard paths.count > 1, let last = paths.last, last == "-" || Self.isValue(last) else { return nil }
        paths.removeLast()
        return last
    }

    /// Whether a path is Base64 of an RSA block, which no file is called.
    private static func isValue(_ path: String) -> Bool {
        path.utf8.count > 160 && !Files.exists(path)
    }

    fileprivate func readDecryptionKeys(
        _ opener: KeyOpener,
        _ allowWeakKeys: Bool,
        _ form: OutputForm
    ) throws -> DecryptionKeys {
        if paths.contains(where: Self.isValue) {
            throw Console.fail("usage", file: nil, "--keys takes file names; a value stands there", form, .usage)
        }
        return try opener.open(form, mayAllowWeakKeys: true) { password throws(KeyError) in
            try DecryptionKeys(contentsOf: paths, password: password, allowingWeakKeys: allowWeakKeys)
        }
    }
}
#endif
