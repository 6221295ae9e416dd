#if CLI
import ArgumentParser
import EntitlementKeys
import HostSystem
import MetadataDecryption
import RowBatches

/// The kind of rows: with named fields, or response bodies of a service.
enum RowKind: String, ExpressibleByArgument, CaseIterable {
    case rows, profiles, usermetadata
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
    @Option(name: .long, help: "What a line is: rows, profiles (REST v2) or usermetadata (v1).")
    var input = RowKind.rows

    @Option(name: .long, parsing: .upToNextOption, help: "Fields of --input rows to decrypt: zip, user.zip …")
    var field: [String] = []

    @Flag(name: .long, help: "Write a text that is a JSON array or object as JSON, not as a string.")
    var parse = false

    @Option(
        name: .long, help: "Write a keyed hash (HMAC-SHA-256) instead of each text; the file is the key.",
        completion: .file())
    var pseudonymise: String?

    @Option(name: .long, help: "What becomes of failed rows: emit, skip, or fail (end the run).")
    var onError = FailedRowPolicy.emit

    @Option(name: .long, help: "A new file for failed rows and why they failed.", completion: .file())
    var errorsTo: String?

    @Option(name: .long, help: "Pass on the key before the JSON of each line, up to a tab (Hadoop streaming).")
    var keyPrefix: KeyPrefix?

    @Flag(name: .long, help: "Answer row by row instead of several rows at once: slower, for interactive use.")
    var lineBuffered = false

    @Option(name: .long, help: "How many rows to decrypt at once (default: all cores).")
    var jobs: Int?

    @Option(name: .long, help: "How many values to remember, so that repeats cost little; 0 for none.")
    var memo = 100_000

    @Option(name: .long, help: "Seconds between lines of progress on standard error.")
    var logEvery: Int?

    @Flag(name: .long, help: "Exit with 2 if a row failed.")
    var strict = false

    func validate(batch: Bool) throws {
        guard batch else {
            let isUntouched =
                input == .rows && field.isEmpty && !parse && pseudonymise == nil && onError == .emit
                && errorsTo == nil && keyPrefix == nil && !lineBuffered && jobs == nil && memo == 100_000
                && logEvery == nil && !strict
            guard isUntouched else {
                throw ValidationError("These options go with --batch; see tve decrypt --help.")
            }
            return
        }
        guard (input == .rows) != field.isEmpty else {
            throw ValidationError(
                input == .rows ? "Give --field NAME (or --input)." : "--field goes with --input rows.")
        }
        for path in field where FieldPath(path) == nil {
            throw ValidationError("--field '\(path)' has an empty name, or a \\ that is not before . * or \\")
        }
        guard input == .rows || !parse else {
            throw ValidationError("--parse goes with --input rows; the others write values of their own types.")
        }
        try BatchJobs.validate(jobs)
        guard memo >= 0 else { throw ValidationError("--memo takes a number, or 0 for none.") }
        guard logEvery.map({ $0 > 0 }) ?? true else { throw ValidationError("--log-every takes seconds above 0.") }
    }
}

extension DecryptBatchOptions {
    /// Refuses fields that are files.
    ///
    /// `--field` takes every argument up to the next option: in `--field zip rows.ndjson` the file is part of the list.
    /// Rows are read from standard input, so the file would be ignored, and the run would look successful.
    ///
    /// - Throws: `CommandFailure`.
    func refuseFileNames() throws(CommandFailure) {
        for name in field {
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
    /// - Parameters:
    ///   - decrypter: Decrypts the values.
    ///   - attribute: The attribute of all values, if the fields do not name it.
    ///   - form: How a row that ends the run is reported.
    /// - Throws: `CommandFailure` or `ExitCode`.
    func run(_ decrypter: MetadataDecrypter, attribute: MetadataAttribute?, form: OutputForm) throws {
        let pseudonyms = try pseudonymise.map(Pseudonyms.init(contentsOfFile:))
        let values = ValueDecrypter(
            decrypter: decrypter, form: PlainTextForm(parses: parse, pseudonyms: pseudonyms))
        let rows = DecryptRows(
            reader: reader(values, attribute),
            policy: onError,
            hasKeyPrefix: keyPrefix != nil,
            recordsFailedRows: errorsTo != nil,
            // A decryption takes most of a millisecond: a few rows keep a core busy, and short pieces spread the last
            // rows over all cores.
            limits: LineCutter.Limits(maximumLineLength: 1 << 24, maximumLines: lineBuffered ? 1 : 32)
        )
        var batch = BatchRun(rows: rows, jobs: jobs, form: form)
        batch.logInterval = logEvery
        batch.errors = try errorsTo.map(failedRows)
        let summary = try awaiting { [batch] in try await batch.run() }
        if strict, summary.rows > summary.good { throw ExitCode(2) }
    }

    private func reader(_ values: ValueDecrypter, _ attribute: MetadataAttribute?) -> any RowReader {
        switch input {
        case .rows: FieldRows(fields: field.compactMap { FieldPath($0) }, attribute: attribute, values: values)
        case .profiles: ResponseRows(body: .profiles, values: values)
        case .usermetadata: ResponseRows(body: .userMetadata, values: values)
        }
    }

    private func failedRows(_ path: String) throws(CommandFailure) -> PrivateFile {
        try NewFile.refuseExisting([path])
        do throws(FileFailure) {
            return try PrivateFile(path)
        } catch {
            throw CommandFailure(writing: path, error)
        }
    }
}

extension Pseudonyms {
    /// Reads the key from a file: all its bytes, including a line end.
    fileprivate init(contentsOfFile path: String) throws(CommandFailure) {
        do throws(SecretFileFailure) {
            self.init(key: try SecretFile.key(path))
        } catch {
            switch error {
            case .unreadable(let failure) where failure.isMissing:
                throw CommandFailure(missing: "key", option: "--pseudonymise", code: "unreadable_key")
            case .unreadable:
                throw CommandFailure("unreadable_key", "\(path): \(error)", file: path, exitCode: .badConfiguration)
            case .keyTooSmall:
                throw CommandFailure("key_too_small", "\(path): \(error)", file: path, exitCode: .badConfiguration)
            }
        }
    }
}
#endif
