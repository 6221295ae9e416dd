#if CLI
import HostSystem
import ArgumentParser
import MetadataDecryption
import RowBatches

/// What a line of a batch is.
enum RowKind: String, ExpressibleByArgument, CaseIterable {
    case rows, profiles, usermetadata
}

/// What stands before the JSON of a line.
enum KeyPrefix: String, ExpressibleByArgument, CaseIterable {
    case tab

    init?(argument: String) {
        guard ["tab", "\t", "\\t"].contains(argument.lowercased()) else { return nil }
        self = .tab
    }
}

/// How many rows are decrypted.
struct DecryptBatchOptions: ParsableArguments {
    @Option(name: .long, help: "What a line is: rows, profiles (REST v2) or usermetadata (v1).")
    var input = RowKind.rows

    @Option(name: .long, parsing: .upToNextOption, help: "Fields of --input rows to decrypt: zip, user.zip …")
    var field: [String] = []

    @Flag(name: .long, help: "Write a text that is a JSON array or object as such.")
    var parse = false

    @Option(
        name: .long, help: "Write a keyed hash (HMAC-SHA-256) in place of each text; the file is the key.",
        completion: .file())
    var pseudonymise: String?

    @Option(name: .long, help: "What becomes of failed rows: emit, skip, or fail (end the run).")
    var onError = FailedRowPolicy.emit

    @Option(name: .long, help: "A new file for failed rows and why they failed.", completion: .file())
    var errorsTo: String?

    @Option(name: .long, help: "Pass on what stands before the JSON of each line: tab (Hadoop streaming).")
    var keyPrefix: KeyPrefix?

    @Flag(name: .long, help: "Answer row by row instead of some rows at once: slower, for a slow reader.")
    var lineBuffered = false

    @Option(name: .long, help: "How many rows to decrypt at once (default: all cores).")
    var jobs: Int?

    @Option(name: .long, help: "How many values to remember, so that repeats cost little; 0 for none.")
    var memo = 100_000

    @Option(name: .long, help: "Write a line on the progress to standard error every so many seconds.")
    var logEvery: Int?

    @Flag(name: .long, help: "Exit with 2 where a row failed.")
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
            throw ValidationError("--field '\(path)' has an empty name, or a \\ before something else than . * \\")
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
    /// Decrypts standard input.
    func run(_ decrypter: MetadataDecrypter, attribute: MetadataAttribute?, _ form: OutputForm) throws {
        let pseudonyms = try pseudonymise.map { try Pseudonyms(contentsOfFile: $0, form) }
        let values = ValueDecrypter(
            decrypter: decrypter, form: PlainTextForm(parses: parse, pseudonyms: pseudonyms))
        let rows = DecryptRows(
            reader: reader(values, attribute),
            policy: onError,
            hasKeyPrefix: keyPrefix != nil,
            keepsFailedRows: errorsTo != nil,
            // A decryption takes most of a millisecond: few rows are enough to keep a core busy, and the last ones
            // are spread over all of them.
            limits: LineCutter.Limits(maximumLineLength: 1 << 24, maximumLines: lineBuffered ? 1 : 32)
        )
        var pipeline = BatchPipeline(rows: rows, jobs: jobs, form: form)
        pipeline.logInterval = logEvery
        pipeline.errors = try errorsTo.map { try failedRows($0, form) }
        let summary = try awaiting { [pipeline] in try await pipeline.run() }
        if strict, summary.rows > summary.good { throw ExitCode(2) }
    }

    private func reader(_ values: ValueDecrypter, _ attribute: MetadataAttribute?) -> any RowReader {
        switch input {
        case .rows: FieldRows(fields: field.compactMap { FieldPath($0) }, attribute: attribute, values: values)
        case .profiles: ResponseRows(body: .profiles, values: values)
        case .usermetadata: ResponseRows(body: .userMetadata, values: values)
        }
    }

    private func failedRows(_ path: String, _ form: OutputForm) throws -> PrivateFile {
        try NewFile.refuseExisting([path], form)
        do throws(FileFailure) {
            return try PrivateFile(path)
        } catch {
            throw Console.fail("io", file: path, "\(path): \(error.reason)", form, .io)
        }
    }
}
#endif
