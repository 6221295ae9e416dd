#if CLI
    import ArgumentParser

    struct Speed: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "speed",
            abstract: "Measure this machine against OpenSSL's own calls, in the same run.",
            discussion: """
                Examples:
                  tve speed verify
                  tve speed verify --key programmer.key --seconds 10
                  tve speed verify --bits 1024 --bits 2048 --output json

                All ways of doing a thing take turns on one core, and processor time is counted, so other programs on \
                the machine disturb the ratio little.
                """,
            subcommands: [SpeedVerify.self]
        )
    }

    /// What every measurement takes.
    struct SpeedOptions: ParsableArguments {
        @Option(name: .long, help: "Size of the throw-away keys; may be repeated (default: 1024, 2048 and 4096).")
        var bits: [Int] = []

        @Option(name: .long, help: "Seconds for each key.")
        var seconds = 2.0

        @Option(name: .long, help: "How to show the result and failures: text or json.")
        var output = OutputForm.text

        func validate() throws {
            guard bits.allSatisfy({ [1024, 2048, 3072, 4096, 8192].contains($0) }) else {
                throw ValidationError("--bits takes 1024, 2048, 3072, 4096 or 8192.")
            }
            guard seconds > 0, seconds <= 3600 else {
                throw ValidationError("--seconds takes a number above 0, up to 3600.")
            }
        }
    }

    /// One line of the result.
    struct SpeedResult {
        let operation: String
        let bits: Int
        let ours: SpeedRounds.Time
        let floor: SpeedRounds.Time
        let usual: SpeedRounds.Time?

        var ratio: Double { ours.median / floor.median }

        /// Writes all results.
        static func write(_ results: [SpeedResult], _ form: OutputForm) throws {
            switch form {
            case .json:
                var object = JSONWriter()
                object.member("results", results.map(\.object))
                try Console.write(object.finished + [UInt8(ascii: "\n")])
            case .text:
                try Console.write(([heading] + results.map(\.line)).joined(separator: "\n") + "\n")
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
            if let usual { object.member("usual_us", raw: decimal(usual.median).utf8) }
            object.member("ratio", raw: decimal(ratio, digits: 3).utf8)
            return object
        }

        private static let heading = "operation  bits  ours µs (p10 – p90)  floor µs  usual µs  ours ÷ floor"

        private var line: String {
            let spread = "(\(decimal(ours.spread.lowerBound)) – \(decimal(ours.spread.upperBound)))"
            let columns: [(String, Int)] = [
                (operation, -9), (String(bits), 4), ("\(decimal(ours.median)) \(spread)", 19),
                (decimal(floor.median), 8), (usual.map { decimal($0.median) } ?? "–", 8),
                (decimal(ratio, digits: 3), 12),
            ]
            return columns.map { text, width in
                let padding = String(repeating: " ", count: max(0, abs(width) - text.count))
                return width < 0 ? text + padding : padding + text
            }.joined(separator: "  ")
        }
    }

    /// A number with a fixed count of digits behind the point.
    private func decimal(_ number: Double, digits: Int = 2) -> String {
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((number * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        return "\(scaled / scale).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }
#endif
