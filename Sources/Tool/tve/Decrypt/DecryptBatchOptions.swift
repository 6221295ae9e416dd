#if CLI
import ArgumentParser
import EntitlementKeys
import EntitlementValues
import HostSystem
import MetadataDecryption
import RowBatches

/// The kind of rows: JSON or separated values with named fields, or response bodies of a service.
enum RowKind: String, ExpressibleByArgument, CaseIterable {
    case rows, csv, tsv, profiles, usermetadata

    /// How values are separated, if no option says otherwise; `nil` for JSON.
    var separated: SeparatedForm? {
        switch self {
        case .csv: .csv
        case .tsv: .tsv
        case .rows, .profiles, .usermetadata: nil
        }
    }
    /// Whether the user names the fields.
    var hasFields: Bool { self == .rows || separated != nil }
}

/// The separator between a key and the JSON of a line.
enum KeyPrefix: String, ExpressibleByArgument, CaseIterable {
    case tab

    init?(argument: String) {
        guard ["tab", "\t", "\\t"].contains(argument.lowercased()) else { return nil }
        self = .tab
    }
}

/// Options for decrypting many rows.
struct DecryptBatchOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "What a line is: rows (JSON), csv or tsv (with a header), profiles (REST v2) or usermetadata (v1).",
            valueName: "kind"))
    var input = RowKind.rows

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp("Fields or columns to decrypt: zip, user.zip …", valueName: "name"))
    var field: [String] = []

    @Option(
        name: .long, parsing: .upToNextOption,
        help: ArgumentHelp("The same for fields that a row may lack, or hold null or nothing in.", valueName: "name"))
    var optionalField: [String] = []

    @OptionGroup var separation: SeparatedOptions

    @Flag(name: .long, help: "Write a text that is a JSON array or object as JSON, not as a string.")
    var parse = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write a keyed hash (HMAC-SHA-256) instead of each text; the file is the key.", valueName: "file"),
        completion: .file())
    var pseudonymise: String?

    @Option(
        name: .long,
        help: ArgumentHelp("What becomes of failed rows: emit, skip, or fail (end the run).", valueName: "policy"))
    var onError = FailedRowPolicy.emit

    @Option(
        name: .long,
        help: ArgumentHelp("A new file, or /dev/stderr, for failed rows and why they failed.", valueName: "file"),
        completion: .file())
    var errorsTo: String?

    @Flag(name: .long, help: "With --errors-to, add to a file that is there.")
    var force = false

    @Option(name: .long, help: "Pass on the key before the JSON of each line, up to a tab (Hadoop streaming).")
    var keyPrefix: KeyPrefix?

    @Flag(name: .long, help: "Answer row by row instead of several rows at once: slower, for interactive use.")
    var lineBuffered = false

    @Option(
        name: .long,
        help: ArgumentHelp("How many values to remember, so that repeats cost little, 0 or more.", valueName: "n"))
    var memo = 100_000

    @Flag(
        name: .long, help: "Leave rows as they are that an earlier run has decrypted: their _tve says so.")
    var resume = false

    @OptionGroup var rows: RowOptions

    func validate(batch: Bool) throws {
        guard batch else {
            let isUntouched =
                input == .rows && field.isEmpty && optionalField.isEmpty && separation.isUntouched && !parse
                && pseudonymise == nil && onError == .emit
                && errorsTo == nil && !force && keyPrefix == nil && !lineBuffered && memo == 100_000 && !resume
                && rows.isUntouched
            guard isUntouched else {
                throw ValidationError("These options go with --batch; see tve decrypt --help.")
            }
            return
        }
        let names = field + optionalField
        guard input.hasFields != names.isEmpty else {
            throw ValidationError(
                input.hasFields
                    ? "Give --field NAME or --optional-field NAME (or --input)."
                    : "--field and --optional-field go with --input rows, csv and tsv.")
        }
        for name in field where optionalField.contains(name) {
            throw ValidationError("\(name) is both a --field and an --optional-field.")
        }
        if input == .rows {
            for path in names where FieldPath(path) == nil {
                throw ValidationError("--field '\(path)' has an empty name, or a \\ that is not before . * or \\")
            }
        }
        guard input == .rows || !parse else {
            throw ValidationError("--parse goes with --input rows.")
        }
        guard input.separated != nil || separation.isUntouched else {
            throw ValidationError("--quoting, --delimiter and --null go with --input csv and tsv.")
        }
        guard input.separated == nil || keyPrefix == nil else {
            throw ValidationError("--key-prefix goes with JSON; with --input \(input.rawValue), keep keys in a column.")
        }
        guard !resume || pseudonymise == nil else {
            throw ValidationError(
                "--resume does not go with --pseudonymise: what an earlier run has written may be plain text.")
        }
        guard !force || errorsTo != nil else { throw ValidationError("--force goes with --errors-to.") }
        guard errorsTo != "-" else {
            throw ValidationError("--errors-to - would mix them with the rows; say --errors-to /dev/stderr.")
        }
        guard memo >= 0 else { throw ValidationError("--memo takes a number, or 0 for none.") }
    }
}

extension DecryptBatchOptions {
    /// Refuses fields that are files.
    ///
    /// `--field` takes every argument up to the next option: in `--field zip rows.ndjson` the file is part of the list.
    /// Rows are read from standard input, so the file would be ignored, and the run would look successful.
    func refuseFileNames() throws(CommandFailure) {
        for name in field + optionalField {
            if name == "-" {
                throw .usage("--field: - is not a field; leave it out, because rows always come from standard input")
            }
            guard let kind = try? Files.kind(of: name), kind != .folder else { continue }
            throw .usage(
                "--field: \(name) is a file; read rows from it with: < \(name) (if the rows do have a field of this "
                    + "name, run tve in another folder)",
                file: name)
        }
    }

    /// Decrypts standard input.
    ///
    /// `attribute` is that of all values, if the fields do not name it. `form` is how a row that ends the run is
    /// reported. Throws `CommandFailure` or `ExitCode`.
    func run(_ decrypter: MetadataDecrypter, attribute: MetadataAttribute?, form: OutputForm) throws {
        let pseudonyms = try pseudonymise.map(Pseudonyms.init(contentsOfFile:))
        let errors = try errorsTo.map { try FailedRowsFile($0, mayExist: force) }
        let values = ValueDecrypter(
            decrypter: decrypter, form: PlainTextForm(parses: parse, pseudonyms: pseudonyms))
        let separated = separation.form(of: input)
        // A decryption takes most of a millisecond: a few rows keep a core busy, and short pieces spread the last rows
        // over all cores.
        let limits = LineCutter.Limits(
            maximumLineLength: 1 << 24, maximumLines: lineBuffered ? 1 : 32, form: separated)
        var lines: LineReader?
        var heading: [UInt8] = []
        let format: any RowFormat
        if let separated {
            BatchRun<DecryptRows>.announce()
            var reader = LineReader(limits: limits) { UnusableInput(signatureOf: $0) }
            let header = try header(from: &reader, separated, attribute)
            (lines, heading) = (reader, header.line)
            // Who says how values are quoted says that such values of many lines are meant.
            format = SeparatedRows(
                under: header, values: values, nulls: separation.null, trustsMarks: separation.quoting != nil,
                resumes: resume)
        } else {
            format = ObjectRows(reader: reader(values, attribute), resumes: resume)
        }
        let decrypting = DecryptRows(
            format: format,
            policy: onError,
            hasKeyPrefix: keyPrefix != nil,
            recordsFailedRows: errors != nil,
            // A star may select nothing.
            needsValue: !resume && field.contains { !$0.contains("*") },
            limits: limits)
        var batch = BatchRun(rows: decrypting, options: rows, form: form)
        // A line that begins with a key says nothing of the JSON after it.
        batch.names = keyPrefix == nil ? firstNames : []
        (batch.lines, batch.heading, batch.errors) = (lines, heading, errors)
        try awaiting { [batch] in try await batch.run() }
    }

    /// The names that members of rows have, as far as the fields tell.
    private var firstNames: [String] {
        (field + optionalField).map { String($0.prefix { $0 != "." }) }
    }

    private func header(
        from lines: inout LineReader,
        _ form: SeparatedForm,
        _ attribute: MetadataAttribute?
    ) throws(CommandFailure) -> SeparatedHeader {
        let first = try lines.firstLine()
        if case .tooLong(let head)? = first?.content, !head.contains(UInt8(ascii: "\n")),
            head.contains(UInt8(ascii: "\r"))
        {
            throw CommandFailure(.lineEndsAreCR, form)
        }
        guard let piece = first, piece.openMark == nil, case .lines(let line) = piece.content else {
            throw CommandFailure(headerOpenedIn: first?.openMark, form)
        }
        return try rethrowing(
            SeparatedHeader(line, form, fields: field, optionalFields: optionalField, attribute: attribute)
        ) { (error: SeparatedHeaderError) in CommandFailure(error, form) }
    }

    private func reader(_ values: ValueDecrypter, _ attribute: MetadataAttribute?) -> any RowReader {
        switch input {
        case .profiles: ResponseRows(body: .profiles, values: values)
        case .usermetadata: ResponseRows(body: .userMetadata, values: values)
        case .rows, .csv, .tsv: FieldRows(fields: paths, attribute: attribute, values: values)
        }
    }

    private var paths: [FieldPath] {
        field.compactMap { FieldPath($0) } + optionalField.compactMap { FieldPath($0, isOptional: true) }
    }
}

extension Pseudonyms {
    /// Reads the key from a file: all its bytes, including a line end.
    ///
    /// Throws `CommandFailure`.
    fileprivate init(contentsOfFile path: String) throws {
        guard Files.exists(path) else { throw CommandFailure(missing: "key", option: "--pseudonymise") }
        self.init(key: try concerning(path, file: path) { try SecretFile.key(path) })
    }
}
#endif
