#if CLI
import ArgumentParser
import EntitlementKeys
import HostSystem
import MetadataDecryption
import OpenSSLBridge
import RowBatches
import ServiceResponses
import TextCodecs

struct Decrypt: ParsableCommand, OutputChoosing {
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
              tve decrypt --batch --keys keys/ --input csv --optional-field zip \\
                  --max-failures 0.5% < rows.csv > plain.csv
              tve decrypt --batch --keys keys/ --input csv --quoting backslash \\
                  --field zip < spark.csv > plain.csv
              tve decrypt --batch --keys keys/ --input tsv --quoting none \\
                  --optional-field zip --null NULL < mysql.tsv > plain.tsv
              tve decrypt --batch --keys keys/ --input profiles < in > out
              tve decrypt --batch --keys keys/ --field zip \\
                  --pseudonymise join.key < in > out

            Keys are tried in the order given, so name the newest first. tve help rows describes the rows of --batch \
            and the codes of failures.

            Exit codes: 0 decrypted (or batch done); 20 not decrypted (batch: a row, with --on-error fail); 2 too \
            many failed rows (all, --strict, --max-failures), or rows that may be lost within values; 64 usage; 66 no such file; 69 \
            could not decide; 74 input or output failed; 78 bad key; 143 or 130 ended by a signal.
            """
    )

    @Argument(help: "The value in Base64; - or nothing reads it from standard input.")
    var value: String?

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp("Your private keys, the newest first: files or folders.", valueName: "path"),
        completion: .file())
    var keys: [String]

    @OptionGroup var password: PasswordOptions

    @Flag(name: .long, help: "Admit keys of 1024 to 2047 bits, as on the wire.")
    var allowWeakKeys = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How values were padded: pkcs1, oaep-sha1, oaep-sha256, or oaep-sha256-mgf1-sha1 (Java).",
            valueName: "padding")
    )
    var padding = MetadataPadding.insecurePKCS1v15

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The attribute, such as zip or maxRating (with --batch, default: the name of the field).", valueName: "name"
        ))
    var attribute: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The form of an attribute that is not in the documents: text.", valueName: "kind"))
    var attributeShape: AttributeShape?

    @Flag(name: .long, help: "Decrypt many values: one JSON object per line.")
    var batch = false

    @OptionGroup(title: "Options with --batch") var batchOptions: DecryptBatchOptions

    @Option(name: .long, help: ArgumentHelp("How to show the text and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        try batchOptions.validate(batch: batch)
        guard !batch || value == nil || value == "-" else {
            throw ValidationError("With --batch, rows are read from standard input.")
        }
        guard !batch || batchOptions.input.hasFields || attribute == nil else {
            throw ValidationError("--attribute goes with a single value, or with --input rows, csv or tsv.")
        }
        guard password.descriptor != 0 || (!batch && value != nil && value != "-") else {
            throw ValidationError("--password-fd 0 is standard input, which the value or the rows come from.")
        }
        guard attribute != "" else { throw ValidationError("--attribute is empty.") }
        try checkAttribute()
    }

    /// A mistyped name would pass for an attribute that any text fits.
    private func checkAttribute() throws {
        guard attribute != nil || attributeShape == nil else {
            throw ValidationError("--attribute-shape goes with --attribute.")
        }
        let known = MetadataAttribute.documented.map(\.rawValue)
        guard let attribute, attributeShape == nil, !known.contains(attribute) else { return }
        let meant = Suggestion.nearest(to: attribute, among: known)
        // The documented names are ASCII, and what was typed shows where it is not.
        let typed = String.quotedApart([attribute], [meant].compactMap(\.self)).one.joined()
        throw ValidationError(
            "--attribute \(typed): the documents have no such attribute.\(meant.map { " Did you mean \($0)?" } ?? "") "
                + "If it is one of yours, add --attribute-shape text.")
    }

    func run() throws {
        try batchOptions.refuseFileNames()
        var paths = KeyPaths(paths: keys)
        let trailing = value == nil && !batch ? paths.takeValue() : nil
        let keys = try paths.readDecryptionKeys(try password.read(), allowingWeakKeys: allowWeakKeys)
        if batch {
            let memo = batchOptions.memo > 0 ? MetadataMemo(capacity: batchOptions.memo) : nil
            let decrypter = MetadataDecrypter(keys: keys, padding: padding, memo: memo)
            try batchOptions.run(decrypter, attribute: attribute.map(MetadataAttribute.init), form: output)
        } else {
            try decryptOne(value ?? trailing, with: MetadataDecrypter(keys: keys, padding: padding))
        }
    }

    private func decryptOne(_ value: String?, with decrypter: MetadataDecrypter) throws {
        let bytes = try TokenInput.bytes(value)
        let plain = try decrypter.decrypt(bytes, of: attribute.map(MetadataAttribute.init))
        try Console.show(plain.text + "\n", in: output) { object in
            object.member("text", plain.text)
            if let attribute {
                let value = AttributeValue(text: plain.text, of: MetadataAttribute(attribute))
                object.member("value", raw: try PlainTextForm().json(value))
            }
            object.member("key", plain.key.label)
        }
    }
}

/// The form of the texts of an attribute.
enum AttributeShape: String, ExpressibleByArgument, CaseIterable {
    case text
}

extension KeyPaths {
    /// Removes the value from the end of the list, if it was given right after `--keys`.
    fileprivate mutating func takeValue() -> String? {
        guard paths.count > 1, let last = paths.last, last == "-" || Self.isValue(last) else { return nil }
        paths.removeLast()
        return last
    }

    /// Whether a path looks like the Base64 of an RSA block: long, and not the name of a file, nor PEM.
    ///
    /// It may have been wrapped, or percent-encoded, which decrypting it tells.
    private static func isValue(_ path: String) -> Bool {
        path.utf8.count > 160
            && path.utf8.allSatisfy { $0.isURLSafe || $0.isWhiteSpace || "+/=%".utf8.contains($0) }
            && !path.contains("-----") && !Files.canBeName(path) && !Files.exists(path)
    }

    fileprivate func readDecryptionKeys(
        _ opener: KeyOpener,
        allowingWeakKeys allowWeakKeys: Bool
    ) throws -> DecryptionKeys {
        if paths.contains(where: Self.isValue) {
            throw CommandFailure.usage("--keys takes file names, but one of them is an encrypted value")
        }
        return try opener.openOfferingWeakKeys(of: "--keys") { password throws(KeyError) in
            try DecryptionKeys(contentsOf: paths, password: password, allowingWeakKeys: allowWeakKeys)
        }
    }
}
#endif
