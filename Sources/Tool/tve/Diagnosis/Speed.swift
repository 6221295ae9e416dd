#if CLI
import ArgumentParser
import EntitlementKeys
import HostSystem
import TextCodecs

struct Speed: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "speed",
        abstract: "Compare the speed of verification and decryption with OpenSSL's own calls.",
        discussion: """
            Examples:
              tve speed verify
              tve speed verify --key programmer.key --seconds 10
              tve speed verify --bits 1024 --bits 2048 --output json
              tve speed decrypt --key programmer.key

            The calls that are compared take turns on one core, and processor time is measured, so that other \
            programs hardly affect the ratio.
            """,
        subcommands: [SpeedVerify.self, SpeedDecrypt.self]
    )
}

/// The options of every measurement.
struct SpeedOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Size of the throw-away keys: 1024, 2048, 3072, 4096 or 8192; may be repeated (default: 1024, 2048 and 4096).",
            valueName: "n"))
    var bits: [Int] = []

    @OptionGroup var key: SigningKeyOptions

    @Option(
        name: .long,
        help: ArgumentHelp("How long to measure each key, in seconds: above 0, up to 3600.", valueName: "seconds"))
    var seconds = 2.0

    @Option(name: .long, help: ArgumentHelp("How to show the result and failures: text or json.", valueName: "form"))
    var output = OutputForm.text

    func validate() throws {
        guard bits.allSatisfy({ [1024, 2048, 3072, 4096, 8192].contains($0) }) else {
            throw ValidationError("--bits takes 1024, 2048, 3072, 4096 or 8192.")
        }
        guard seconds > 0, seconds <= 3600 else {
            throw ValidationError("--seconds takes a number above 0, up to 3600.")
        }
        guard key.key == nil || bits.isEmpty else {
            throw ValidationError("--bits is for throw-away keys and does not go with --key FILE.")
        }
    }

    /// Measures with the key that was given, or with a throw-away key of each size, and writes the results.
    func run(_ measure: (SigningKey) throws -> SpeedResult) throws {
        let results =
            key.key == nil
            ? try (bits.isEmpty ? [1024, 2048, 4096] : bits).map {
                try measure(try SigningKey.generated(bits: $0, named: "throw-away"))
            }
            : [try measure(try key.read())]
        try SpeedResult.write(results, in: output)
    }

    /// The failure if OpenSSL cannot do what is to be measured.
    static let failed = CommandFailure("internal", "OpenSSL failed", exitCode: .undecided)

}

/// The result for one key.
struct SpeedResult {
    let operation: String
    let bits: Int
    let ours: SpeedRounds.Time
    let floor: SpeedRounds.Time
    /// A third way of doing it, with its name.
    let other: (name: String, time: SpeedRounds.Time)

    var ratio: Double { ours.median / floor.median }

    /// Writes all results.
    static func write(_ results: [SpeedResult], in form: OutputForm) throws {
        let rows = [results.first?.heading ?? []] + results.map(\.cells)
        let lines = rows.map { row in
            row.enumerated().map { column, text in
                let width = rows.map { $0[column].count }.max() ?? 0
                let padding = String(repeating: " ", count: width - text.count)
                return column == 0 ? text + padding : padding + text
            }.joined(separator: "  ")
        }
        try Console.show(lines.joined(separator: "\n") + "\n", in: form) {
            $0.member("results", results.map(\.object))
        }
    }

    private var object: JSONWriter {
        var object = JSONWriter()
        object.member("operation", operation)
        object.member("bits", bits)
        object.member("ours_us", raw: decimal(ours.median).utf8)
        object.member("ours_us_p10", raw: decimal(ours.spread.lowerBound).utf8)
        object.member("ours_us_p90", raw: decimal(ours.spread.upperBound).utf8)
        object.member("floor_us", raw: decimal(floor.median).utf8)
        object.member("\(other.name)_us", raw: decimal(other.time.median).utf8)
        object.member("ratio", raw: decimal(ratio, digits: 3).utf8)
        return object
    }

    private var heading: [String] {
        ["operation", "bits", "ours µs (p10 – p90)", "floor µs", "\(other.name) µs", "ours ÷ floor"]
    }

    private var cells: [String] {
        [
            operation, String(bits),
            "\(decimal(ours.median)) (\(decimal(ours.spread.lowerBound)) – \(decimal(ours.spread.upperBound)))",
            decimal(floor.median), decimal(other.time.median), decimal(ratio, digits: 3),
        ]
    }
}

/// Writes a number with a fixed number of digits after the point.
private func decimal(_ number: Double, digits: Int = 2) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((number * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    return "\(scaled / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
}

/// Measures several ways of doing one thing in turns, so that a busy machine slows all of them alike.
struct SpeedRounds {
    /// Microseconds of processor time for one operation.
    struct Time {
        let median: Double
        /// The tenth and the ninetieth percentile of the rounds.
        let spread: ClosedRange<Double>
    }

    let seconds: Double
    /// How many times an operation does the thing in one call; times are for one.
    var each = 1

    /// Measures operations: one time for each, or `nil` if one failed.
    ///
    /// Each operation returns whether it succeeded.
    func times(_ operations: [() -> Bool]) -> [Time]? {
        // The first round warms the caches, and finds how many operations take about a millisecond.
        var repetitions = 1
        while true {
            guard let elapsed = elapsed(operations[0], repetitions: repetitions) else { return nil }
            if elapsed > 1_000_000 { break }
            repetitions *= 2
        }
        var samples = [[Double]](repeating: [], count: operations.count)
        let budget = Int64(seconds * 1_000_000_000)
        var spent: Int64 = 0
        while spent < budget || samples[0].count < 11 {
            for (index, operation) in operations.enumerated() {
                guard let elapsed = elapsed(operation, repetitions: repetitions) else { return nil }
                samples[index].append(Double(elapsed) / Double(repetitions * each) / 1000)
                spent += elapsed
            }
        }
        return samples.map { samples in
            let sorted = samples.sorted()
            let last = sorted.count - 1
            return Time(median: sorted[last / 2], spread: sorted[last / 10]...sorted[last * 9 / 10])
        }
    }

    private func elapsed(_ operation: () -> Bool, repetitions: Int) -> Int64? {
        let start = SystemClock.threadProcessorNanoseconds
        for _ in 0..<repetitions where !operation() { return nil }
        return SystemClock.threadProcessorNanoseconds - start
    }
}
#endif
